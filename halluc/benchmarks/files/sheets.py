"""Tables as VLMEvalKit leaves them, xlsx or tsv, read without a spreadsheet library."""

import csv
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from halluc.benchmarks.files.encoding import not_utf8
from halluc.errors import RecordError

SUFFIXES = (".xlsx", ".tsv")

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MAX_BYTES = 2**31
_SHOWN = 40
_SEPARATOR = re.compile(r"[\t\r\n]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_QUOTED_CELL = re.compile(
    r"""
    "(?<![^\t\r\n]")                        # at the beginning of a cell
    (?P<content>[^"]*+(?:""[^"]*+)*+)       # a doubled quote is one of the text
    (?P<end>"?)
    (?P<rest>[^\t\r\n]*)                    # text behind the closing quote: in no table that pandas writes
    """,
    re.VERBOSE,
)


def read_sheet(path: Path) -> list[dict[str, str]]:
    """Read a table with a header line; empty cells are left out of their rows.

    Args:
        path: A ``.tsv`` file, or an ``.xlsx`` file, whose first sheet is read. All cells are text.

    Returns:
        Column name to text, for each row that is not empty.

    Raises:
        RecordError: If the file is none of its format.
    """
    if path.suffix.lower() == ".tsv":
        return list(iterate_tsv(path))
    try:
        with zipfile.ZipFile(path) as archive:
            cells = list(_rows(archive))
    except (zipfile.BadZipFile, ElementTree.ParseError, LookupError) as error:
        raise RecordError(f"{path} is no xlsx workbook: {error}.") from error
    if not cells:
        raise RecordError(f"{path} holds no header line.")
    header, *body = cells
    rows = [{header[place]: text for place, text in row.items() if place in header} for row in body]
    return [row for row in rows if row]


def iterate_tsv(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a tab-separated table one by one; empty cells are left out, empty rows too.

    A cell in double quotes may hold tabs and line ends, as pandas writes it; quotes within a cell that does
    not begin with one are text, as pandas reads them.

    Raises:
        RecordError: If it is no UTF-8 table, a row has more cells than there are columns, or a quote at the
            beginning of a cell never closes, or only at a quote within another cell.
    """
    before = csv.field_size_limit(_MAX_BYTES - 1)  # cells may hold pictures as base64
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _tsv_rows(file, path)
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error
    except csv.Error as error:
        raise RecordError(f"{path} is no table: {error}.") from error
    finally:
        csv.field_size_limit(before)


def _tsv_rows(file: Iterable[str], path: Path) -> Iterator[dict[str, str]]:
    taken: list[str] = []
    table = csv.reader(_remembered(file, taken), delimiter="\t")
    header = next(table, [])
    _require_closed_quotes(path, taken, table.line_num)
    for place, cells in enumerate(filter(None, table), 1):
        _require_closed_quotes(path, taken, table.line_num)
        if len(cells) > len(header):
            raise RecordError(f"{path}, record {place}: more cells than columns.")
        row = {name: cell for name, cell in zip(header, cells, strict=False) if cell}
        if row:
            yield row


def _remembered(lines: Iterable[str], taken: list[str]) -> Iterator[str]:
    """Pass lines on, and append them to ``taken``."""
    for line in lines:
        taken.append(line)
        yield line


def _require_closed_quotes(path: Path, taken: list[str], last: int) -> None:
    """Refuse a quoted cell that has swallowed cells or rows; then forget the lines.

    Args:
        path: The table, for the message.
        taken: Whole lines: those of one record, and blank ones before it.
        last: Number of the last of them in the file.
    """
    text = "".join(taken)
    first = last - len(taken) + 1
    taken.clear()
    for cell in _QUOTED_CELL.finditer(text):
        if not cell["end"] or (cell["rest"] and _SEPARATOR.search(cell["content"])):
            line = first + len(_LINE_END.findall(text, 0, cell.start()))
            raise RecordError(
                f"{path}, line {line}: the cell that begins with {cell[0][:_SHOWN]!r} never closes its "
                f"double quote, so it would take the cells after it into itself. Write the cell between "
                f'double quotes, with those of its text doubled (""), as pandas does.'
            )


def _rows(archive: zipfile.ZipFile) -> Iterator[dict[str, str]]:
    """Yield column letters to text, row by row, of the first sheet."""
    names = sorted(name for name in archive.namelist() if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name))
    first = "xl/worksheets/sheet1.xml"
    shared = _shared_texts(archive)
    for row in ElementTree.fromstring(_part(archive, first if first in names else names[0])).iter(
        f"{_MAIN}row"
    ):
        cells = {_letters(cell): _text(cell, shared) for cell in row.iter(f"{_MAIN}c")}
        yield {place: text for place, text in cells.items() if text}


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _MAX_BYTES:
        raise zipfile.BadZipFile(f"{name} would unpack to more than 2 GB")
    return archive.read(name)


def _shared_texts(archive: zipfile.ZipFile) -> list[str]:
    name = "xl/sharedStrings.xml"
    if name not in archive.namelist():
        return []
    return [_joined(item) for item in ElementTree.fromstring(_part(archive, name)).iter(f"{_MAIN}si")]


def _joined(item: ElementTree.Element) -> str:
    """Join the runs of a text; a character that XML can't hold is written as _xHHHH_."""
    text = "".join(run.text or "" for run in item.iter(f"{_MAIN}t"))
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _letters(cell: ElementTree.Element) -> str:
    return cell.get("r", "").rstrip("0123456789")


def _text(cell: ElementTree.Element, shared: list[str]) -> str:
    kind = cell.get("t")
    if kind == "inlineStr":
        return _joined(cell)
    value = cell.findtext(f"{_MAIN}v") or ""
    if kind == "s":
        return shared[int(value)]
    return {"0": "FALSE", "1": "TRUE"}[value] if kind == "b" else value
