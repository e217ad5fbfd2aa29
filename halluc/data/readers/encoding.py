"""Say where a file leaves UTF-8."""

from pathlib import Path

from halluc.errors import RecordError

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def not_utf8(path: Path) -> RecordError:
    """Make the error for a file that could not be decoded as UTF-8.

    Args:
        path: The file; it is read again, line by line.

    Returns:
        An error with the first byte that can't be decoded, its offset in the file (from 0) and its line
        (from 1), and how to convert the file.
    """
    offset = 0
    with path.open("rb") as file:
        encoding = "UTF-16" if file.read(2) in _UTF16_MARKS else "LATIN1"
        file.seek(0)
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                place = f"byte 0x{line[error.start]:02x} at offset {offset + error.start}, line {number}"
                return RecordError(f"{path} is no UTF-8 text: {place}. {_way_out(path, encoding)}")
            offset += len(line)
    return RecordError(f"{path} is no UTF-8 text. {_way_out(path, encoding)}")


def _way_out(path: Path, encoding: str) -> str:
    return (
        f"If it is text of another encoding, as {encoding}, convert it: "
        f"iconv -f {encoding} -t UTF-8 {path.name} > NEW."
    )
