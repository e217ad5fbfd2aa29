"""V*-Bench's annotations: one JSON file a picture, beside it; the first of its options is the right one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from halluc.benchmarks.files.rows import Row
from halluc.data.choices import CHOICE_SUFFIX, option_order
from halluc.errors import RecordError, SourceNotFoundError

MOST_OPTIONS = 4


def annotation_files(root: Path, folder: str) -> list[Path]:
    """Return the annotations in a folder below ``root`` by name; without any, the pattern of their names."""
    return sorted((root / folder).glob("*.json")) or [root / folder / "*.json"]


def annotation_rows(
    root: Path, folders: Sequence[str], image_root: Path, question_ids: Mapping[str, str]
) -> list[Row]:
    """Name the annotations of some folders, not read yet.

    Args:
        root: Folder of the folders.
        folders: Names of the folders, which are the categories.
        image_root: Folder of equally named folders with the pictures, each called as its annotation.
        question_ids: Picture, as ``direct_attributes/sa_4690.jpg``, to the id of its question; a question
            whose picture it lacks is called as the picture, without suffix.

    Returns:
        One row a file, with ``image``, ``category`` and ``question_id``.

    Raises:
        SourceNotFoundError: If a folder holds no annotation.
    """
    return [
        _named(path, image_root, question_ids)
        for folder in folders
        for path in _found(annotation_files(root, folder))
    ]


def published_row(row: Row, shuffle_choices: int | None) -> Row:
    """Read a named annotation and write it as a row of the published ``test_questions.jsonl``.

    Args:
        row: As ``annotation_rows`` names it; its file holds ``question`` and ``options``.
        shuffle_choices: Seed that puts the options into another order, by picture; the right letter
            follows. None keeps them as they are: A is then always right.

    Returns:
        The row with ``text`` (the question, one option a line, the letter instruction) and ``label``.

    Raises:
        RecordError: If the file is no JSON object, or lacks a question or two to four options.
    """
    annotation = replace(row, record={**row.record, **_read(row)})
    question, options = annotation.text("question").strip(), _options(annotation)
    order: Sequence[int] = range(len(options))
    if shuffle_choices is not None:
        order = option_order(len(options), shuffle_choices, row.text("image"))
    lines = [f"({letter}) {options[old]}" for letter, old in zip(ascii_uppercase, order, strict=False)]
    text = "\n".join([question, *lines]) + CHOICE_SUFFIX
    return replace(row, record={**row.record, "text": text, "label": ascii_uppercase[order.index(0)]})


def _found(paths: list[Path]) -> list[Path]:
    if not paths[0].is_file():
        raise SourceNotFoundError(
            f"No annotations {paths[0]}. Set benchmark.vstar.root to the folder that holds "
            f"{paths[0].parent.name}, or benchmark.vstar.annotations=null to read the question file instead."
        )
    return paths


def _named(path: Path, image_root: Path, question_ids: Mapping[str, str]) -> Row:
    category = path.parent.name
    image = f"{category}/{_picture(image_root / category, path.stem)}"
    name = question_ids.get(image, path.stem)
    return Row({"image": image, "category": category, "question_id": name}, path, 1)


def _picture(folder: Path, stem: str) -> str:
    """Find the picture of an annotation; one that is missing is called as most published ones are."""
    beside = sorted(path.name for path in folder.glob("*") if path.stem == stem and path.suffix != ".json")
    return beside[0] if beside else f"{stem}.jpg"


def _read(row: Row) -> dict[str, Any]:
    try:
        annotation = json.loads(row.file.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise RecordError(f"{row.where}: no valid JSON: {error}.") from error
    if not isinstance(annotation, dict):
        raise RecordError(f"{row.where}: no JSON object with question and options.")
    return {key: annotation[key] for key in ("question", "options") if key in annotation}


def _options(row: Row) -> list[str]:
    options = row.record.get("options")
    listed = [" ".join(str(option).split()) for option in options] if isinstance(options, list) else []
    if not 2 <= len(listed) <= MOST_OPTIONS or not all(listed):
        raise RecordError(
            f"{row.where}: options is {options!r}. Give 2 to {MOST_OPTIONS} texts, the right one first."
        )
    return listed
