"""VLM2-Bench as VLMEvalKit has it: one table with pictures as base64."""

import ast
import base64
import binascii
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.picture_store import PictureStore
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.files.sheets import iterate_tsv
from halluc.errors import RecordError, SourceNotFoundError

_PICTURE_FIELDS = ("image", "image_path")
_SHORTEST_PICTURE = 64  # characters of base64; VLMEvalKit takes a shorter cell for another row's index


def read_vlm2_sheet(path: Path, image_folder: Path, option: str) -> tuple[list[Row], list[str]]:
    """Read ``VLM2Bench_img.tsv``; pictures are written to files, each distinct one once.

    A cell ``image`` holds a list of pictures, one picture, or the index of the row whose pictures it
    shares. Rows are read one after the other, so the table may be larger than memory.

    Args:
        path: The table.
        image_folder: Where pictures go.
        option: The config key that leads to ``path``, for messages.

    Returns:
        Records with ``images`` (names in the folder), and one line for each row that can't be used.

    Raises:
        SourceNotFoundError: If there is no such file.
    """
    if not path.is_file():
        raise SourceNotFoundError(f"No file {path}. Set {option} to VLMEvalKit's VLM2Bench_img.tsv.")
    store = PictureStore(image_folder)
    seen: dict[str, list[str]] = {}
    rows, problems = [], []
    for place, cells in enumerate(iterate_tsv(path), 1):
        record: dict[str, Any] = {
            key: cell for key, cell in cells.items() if key not in ("image", "image_path")
        }
        row = Row(record, path, place)
        try:
            record["images"] = _images(cells.get("image", ""), seen, store)
        except RecordError as error:
            problems.append(f"{row.where}: {error}")
            continue
        seen[record.get("index", "")] = record["images"]
        record["gt_answer"] = record.pop("answer", "")
        rows.append(row)
    return rows, problems


def _images(cell: str, seen: dict[str, list[str]], store: PictureStore) -> list[str]:
    if cell in seen:
        return seen[cell]
    try:
        parts = ast.literal_eval(cell) if cell.startswith("[") else [cell]
        pictures = [base64.b64decode(part, validate=True) for part in parts if len(part) >= _SHORTEST_PICTURE]
    except (ValueError, SyntaxError, TypeError, binascii.Error) as error:
        raise RecordError(f"image is no base64 picture, nor a list of them ({error}).") from error
    if not pictures or len(pictures) < len(parts):
        raise RecordError(f"image {cell[:40]!r} is neither a picture nor the index of an earlier row.")
    return [store.add(picture) for picture in pictures]
