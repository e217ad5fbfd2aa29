"""Read the rows of a user's file, JSON Lines, JSON, YAML, TSV or CSV, without a word on their meaning."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halluc.data.readers.encoding import not_utf8
from halluc.data.readers.plain_yaml import load_yaml
from halluc.data.readers.tables import iterate_table
from halluc.errors import RecordError, SourceNotFoundError, UnknownOptionError


@dataclass(frozen=True, slots=True)
class Row:
    """Hold one row as it was written.

    Attributes:
        number: Line number in a line-based file, else the position in the list; from 1.
        fields: Key to value.
    """

    number: int
    fields: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Return ``id``, ``question_id`` or ``index`` as text, else the row's number."""
        for key in ("id", "question_id", "index"):
            value = self.fields.get(key)
            if (isinstance(value, str) and value) or type(value) is int:
                return str(value)
        return f"row {self.number}"


def read_rows(path: Path) -> tuple[list[Row], list[str]]:
    """Read a file by its suffix.

    A byte-order mark and Windows line ends are accepted, blank lines are skipped. NaN and Infinity
    make their row unusable, wherever in it they are.

    Args:
        path: ``.jsonl``, ``.ndjson``, ``.json`` (a list of objects), ``.yaml``, ``.yml`` (a list; a bare
            ``yes`` stays text), ``.tsv`` or ``.csv`` (every cell is text, only an empty one is missing).

    Returns:
        The readable rows, and one line a row that is not, with file, number and, if known, id.

    Raises:
        SourceNotFoundError: If there is no such file.
        UnknownOptionError: If the suffix is another one.
        RecordError: If the file as a whole is not of its format.
    """
    if not path.is_file():
        raise SourceNotFoundError(f"Data file not found at {path}. Correct data.path.")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UnknownOptionError(f"suffix of {path}", path.suffix, _READERS)
    rows: list[Row] = []
    problems: list[str] = []
    for number, value in reader(path):
        row = Row(number, value if isinstance(value, dict) else {})
        fault = value if isinstance(value, _Fault) else _fault_of(value)
        if fault is None:
            rows.append(row)
        else:
            problems.append(problem_line(path, row, fault))
    return rows, problems


def problem_line(path: Path, row: Row, fault: object) -> str:
    """Write one line of a report: file, number and id of a row, and what is wrong with it."""
    known = "" if row.id == f"row {row.number}" else f" (id {row.id})"
    return f"{path}:{row.number}{known}: {fault}"


class _Fault(str):
    """Say what is wrong with a row that could not be parsed."""

    __slots__ = ()


def _fault_of(value: object) -> _Fault | None:
    if not isinstance(value, dict):
        return _Fault(f"expected an object, found {type(value).__name__}")
    field = next((key for key, item in value.items() if not _is_finite(item)), None)
    return (
        None if field is None else _Fault(f"{field} holds NaN or Infinity; write a number, or leave it away")
    )


def _is_finite(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list) else True


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error


def _json_lines(path: Path) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(_text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except json.JSONDecodeError as error:
            yield number, _Fault(f"broken JSON ({error.msg}, column {error.colno})")


def _json_list(path: Path) -> Iterator[tuple[int, object]]:
    try:
        value = json.loads(_text_of(path))
    except json.JSONDecodeError as error:
        raise RecordError(
            f"{path}:{error.lineno} is broken JSON ({error.msg}). "
            "If it holds one object a line, name it .jsonl."
        ) from error
    yield from _listed(path, value)


def _yaml_list(path: Path) -> Iterator[tuple[int, object]]:
    try:
        value = load_yaml(_text_of(path))
    except ValueError as error:
        raise RecordError(f"{path} is {error}") from error
    yield from _listed(path, value)


def _listed(path: Path, value: object) -> Iterator[tuple[int, object]]:
    if not isinstance(value, list):
        raise RecordError(f"{path} holds one {type(value).__name__}; expected a list of objects.")
    yield from enumerate(value, start=1)


def _table(delimiter: str) -> Callable[[Path], Iterator[tuple[int, object]]]:
    def read(path: Path) -> Iterator[tuple[int, object]]:
        lines = iterate_table(path, delimiter)
        _, header = next(lines, (0, []))
        for number, cells in lines:
            filled = {key: cell for key, cell in zip(header, cells, strict=False) if cell}
            surplus = cells[len(header) :]
            yield number, _Fault(f"more cells than columns: {surplus}") if surplus else filled

    return read


_READERS: dict[str, Callable[[Path], Iterator[tuple[int, object]]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json_list,
    ".yaml": _yaml_list,
    ".yml": _yaml_list,
    ".tsv": _table("\t"),
    ".csv": _table(","),
}
