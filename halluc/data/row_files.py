"""Write files of rows: the project's own training rows, and any list of records."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from halluc.data.images import is_below, is_data_uri, source_name
from halluc.data.readers.placeholders import mark_images
from halluc.data.records import Preference, Question, Sample
from halluc.errors import RecordError


def sample_row(sample: Sample, image_root: Path) -> dict[str, Any]:
    """Write a sample as a row that ``JsonlSource`` reads back: id, images, question, answer, weight.

    Raises:
        RecordError: If a picture lies outside the image root.
    """
    return _question_row(sample.question, image_root) | {"answer": sample.answer} | _weight(sample.weight)


def preference_row(preference: Preference, image_root: Path) -> dict[str, Any]:
    """Write a preference as a row that ``JsonlSource`` reads back.

    Raises:
        RecordError: If a picture lies outside the image root.
    """
    row = _question_row(preference.question, image_root)
    row["prompt"] = row.pop("question")
    row |= {"chosen": preference.chosen, "rejected": preference.rejected}
    if preference.rejected_images is not None:
        row["rejected_images"] = [_relative(image, image_root) for image in preference.rejected_images]
    return row | _weight(preference.weight)


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines, UTF-8, one object a line; see ``write_text``."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_array(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one indented JSON array, UTF-8; see ``write_text``."""
    write_text(path, json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, and leave it alone where it says the same already."""
    content = text.encode()
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)


def _question_row(question: Question, image_root: Path) -> dict[str, Any]:
    row: dict[str, Any] = {"id": question.id}
    if question.images:
        row["images"] = [_relative(image, image_root) for image in question.images]
    row["question"] = mark_images(question.prompt, question.image_offsets)
    return row | ({"system": question.system} if question.system else {})


def _relative(image: str, root: Path) -> str:
    if is_data_uri(image):
        return image
    for place in (os.path.abspath, os.path.realpath):
        path, base = place(image), place(root)
        if is_below(path, base):
            return Path(path).relative_to(base).as_posix()
    raise RecordError(
        f"picture {source_name(image)} lies outside of the image root {root}. Name another root."
    )


def _weight(weight: float) -> dict[str, float]:
    return {} if weight == 1.0 else {"weight": weight}
