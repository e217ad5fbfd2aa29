"""Tables as VLMEvalKit leaves them, xlsx or tsv, read without a spreadsheet library."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from halluc.data.readers.tables import iterate_table
from halluc.errors import RecordError

SUFFIXES = (".xlsx", ".tsv")

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MAX_BYTES = 2**31


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

    Raises:
        RecordError: If it is no UTF-8 table, its quotes swallow cells, or a row has more cells than there
            are columns.
    """
    lines = iterate_table(path, "\t")
    _, header = next(lines, (0, []))
    for place, (_, cells) in enumerate(lines, 1):
        if len(cells) > len(header):
            raise RecordError(f"{path}, record {place}: more cells than columns.")
        row = {name: cell for name, cell in zip(header, cells, strict=False) if cell}
        if row:
            yield row


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
