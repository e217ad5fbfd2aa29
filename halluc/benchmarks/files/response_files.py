"""Response files of this and other tools, brought to one form of rows."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from halluc.benchmarks.files.rows import GOLD_FIELDS, Row, read_rows
from halluc.benchmarks.files.sheets import SUFFIXES, read_sheet
from halluc.errors import RecordError, SourceNotFoundError

_ID_FIELDS = ("question_id", "q_id", "id")


def read_responses(path: Path) -> list[Row]:
    """Read responses: our rows, lmms-eval's ``*_samples_*.jsonl``, or VLMEvalKit's xlsx or tsv.

    Which of them a file is, is told from its suffix and fields.

    Args:
        path: The file.

    Returns:
        Rows with ``response``, the published fields, and the gold answer where the tool keeps it.

    Raises:
        SourceNotFoundError: If there is no such file.
        RecordError: If it can't be read; all broken lines are listed.
    """
    if not path.is_file():
        raise SourceNotFoundError(f"No file {path}. FILES are the response files that are to be scored.")
    if path.suffix.lower() in SUFFIXES:
        records = enumerate(read_sheet(path), 1)
        return [
            Row(one, path, line)
            for line, record in records
            for one in _of_vlmevalkit(record, f"{path}, record {line}")
        ]
    published = read_rows(path, "the FILES argument")
    return [_of_lmms_eval(row) if _is_lmms_eval(row) else _of_a_run(row) for row in published]


def _of_a_run(row: Row) -> Row:
    """Unpack the tags and the picture of a row of a run's own predictions; any other row stays as it is."""
    tags = row.record.get("tags")
    if not isinstance(tags, dict) or "response" not in row.record:
        return row
    images = row.record.get("images") or []
    shown = {"image": images[0], "image_id": images[0]} if len(images) == 1 else {}
    return Row({**tags, **shown, **row.record}, row.file, row.line)


def _is_lmms_eval(row: Row) -> bool:
    return {"doc_id", "target"} <= row.record.keys() and bool(row.record.keys() & {"filtered_resps", "resps"})


def _of_lmms_eval(row: Row) -> Row:
    """Unpack a sample of lmms-eval.

    The published record is in ``doc`` (without what is named image), the answer in ``filtered_resps``,
    or ``resps`` where that is missing, within one or two lists.
    """
    record = row.record
    doc = record.get("doc")
    published = dict(doc) if isinstance(doc, dict) else {}
    response = _first(record.get("filtered_resps", record.get("resps")))
    metric: Mapping[str, Any] = next((value for value in record.values() if _is_metric(value)), {})
    named = {name: metric[name] for name in ("question_id", "category") if name in metric}
    unpacked = {**named, **published, "response": response}
    if not unpacked.keys() & {*GOLD_FIELDS, "answer"}:
        unpacked["gold"] = record["target"]
    if not unpacked.keys() & {*_ID_FIELDS}:
        unpacked["question_id"] = record["doc_id"]
    if "image_source" in unpacked:  # POPE's name of the picture that is left out of doc
        unpacked.setdefault("image", unpacked["image_source"])
    return Row(unpacked, row.file, row.line)


def _is_metric(value: object) -> bool:
    return isinstance(value, dict) and "question_id" in value


def _first(value: object) -> object:
    while isinstance(value, list):
        value = value[0] if value else None
    return value


def _of_vlmevalkit(record: Mapping[str, str], where: str) -> Iterator[dict[str, Any]]:
    """Unpack a row of VLMEvalKit: once for each category that it belongs to, options put into the text."""
    row: dict[str, Any] = dict(record)
    if "index" in row and not row.keys() & {*_ID_FIELDS}:
        row["question_id"] = row["index"]
    if not row.keys() & {"prediction", "response"}:
        row["response"] = None  # an empty cell
    letters = "".join(letter for letter in ascii_uppercase if letter in row)
    if not ascii_uppercase.startswith(letters):
        raise RecordError(
            f"{where}: options {', '.join(letters)} leave one out. Fill its cell, or drop the row."
        )
    options = [row[letter] for letter in letters]
    if len(options) > 1:
        lines = (f"\n({letter}) {text}" for letter, text in zip(ascii_uppercase, options, strict=False))
        row["text"] = row.get("question", "") + "".join(lines)
        row |= {f"choice_{letter.lower()}": text for letter, text in zip("ABCD", options, strict=False)}
    categories = [name.strip() for name in str(row.get("category", "")).split(",") if name.strip()]
    for category in categories:
        yield row | {"category": category}
    if not categories:
        yield row
