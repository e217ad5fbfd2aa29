"""Read tab- or comma-separated tables, and refuse those whose quotes swallow rows."""

import csv
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from halluc.data.readers.encoding import not_utf8
from halluc.errors import RecordError

_MAX_BYTES = 2**31
_SHOWN = 40
_LINE_END = re.compile(r"\r\n|\r|\n")


def iterate_table(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a table one by one, the header first; blank lines are skipped.

    A cell in double quotes may hold delimiters and line ends, as pandas writes it; quotes within a cell
    that does not begin with one are text, as pandas reads them.

    Args:
        path: The table, as UTF-8 with or without a byte-order mark.
        delimiter: Character between two cells.

    Yields:
        Number of the record's last line in the file, from 1, and its cells.

    Raises:
        RecordError: If it is no UTF-8 table, or a quote at the beginning of a cell never closes, or only
            at a quote within another cell.
    """
    before = csv.field_size_limit(_MAX_BYTES - 1)  # cells may hold pictures as base64
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _records(file, path, delimiter)
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error
    except csv.Error as error:
        raise RecordError(f"{path} is no table: {error}.") from error
    finally:
        csv.field_size_limit(before)


def _records(file: Iterable[str], path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    taken: list[str] = []
    table = csv.reader(_remembered(file, taken), delimiter=delimiter)
    for cells in filter(None, table):
        _require_closed_quotes(path, taken, table.line_num, delimiter)
        yield table.line_num, cells


@cache
def _quoted_cells(delimiter: str) -> re.Pattern[str]:
    border = rf"[^{re.escape(delimiter)}\r\n]"
    return re.compile(
        rf"""
        "(?<!{border}")                         # at the beginning of a cell
        (?P<content>[^"]*+(?:""[^"]*+)*+)       # a doubled quote is one of the text
        (?P<end>"?)
        (?P<rest>{border}*)                     # behind the closing quote: in no table that pandas writes
        """,
        re.VERBOSE,
    )


def _remembered(lines: Iterable[str], taken: list[str]) -> Iterator[str]:
    """Pass lines on, and append them to ``taken``."""
    for line in lines:
        taken.append(line)
        yield line


def _require_closed_quotes(path: Path, taken: list[str], last: int, delimiter: str) -> None:
    """Refuse a quoted cell that has swallowed cells or rows; then forget the lines.

    Args:
        path: The table, for the message.
        taken: Whole lines: those of one record, and blank ones before it.
        last: Number of the last of them in the file.
        delimiter: Between two cells.
    """
    text = "".join(taken)
    first = last - len(taken) + 1
    taken.clear()
    for cell in _quoted_cells(delimiter).finditer(text):
        if not cell["end"] or (
            cell["rest"] and any(mark in cell["content"] for mark in (delimiter, "\r", "\n"))
        ):
            line = first + len(_LINE_END.findall(text, 0, cell.start()))
            raise RecordError(
                f"{path}, line {line}: the cell that begins with {cell[0][:_SHOWN]!r} never closes its "
                f"double quote, so it would take the cells after it into itself. Write the cell between "
                f'double quotes, with those of its text doubled (""), as pandas does.'
            )
