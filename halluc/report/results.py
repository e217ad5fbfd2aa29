"""The files that a run leaves for people and scripts: results.json and the predictions."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.run_rows import space_fields
from halluc.data.records import Prediction, Question

Rows = Mapping[str, Mapping[str, Any]]
"""Question id to what a predictions file says about it."""


def write_results(run_dir: Path, results: Mapping[str, Any]) -> None:
    """Write ``results.json`` whole or not at all."""
    _write(run_dir / "results.json", json.dumps(results, indent=1, sort_keys=False, allow_nan=False))


def read_results(run_dir: Path) -> dict[str, Any]:
    """Read ``results.json``; empty where the run has none yet."""
    path = run_dir / "results.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_predictions(
    path: Path, questions: Sequence[Question], predictions: Sequence[Prediction], parts: Mapping[str, str]
) -> None:
    """Write one line a question: what was asked, what was answered, and how it was read.

    The file can be scored again, by this project or by others: ``id`` and ``response`` are there.

    Args:
        path: Where to write, ``predictions/<epoch>/<benchmark>.jsonl``.
        questions: The questions asked.
        predictions: Their answers, aligned with ``questions``.
        parts: Question id to ``select`` or ``report``; ids without a part were asked for neither.
    """
    rows = (
        prediction_row(question, prediction, parts.get(question.id))
        for question, prediction in zip(questions, predictions, strict=True)
    )
    _write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def prediction_row(question: Question, prediction: Prediction, part: str | None) -> dict[str, Any]:
    """Return what a predictions file says about one question; pictures given as data are left out."""
    return {
        "id": question.id,
        "part": part,
        "images": [name for name in question.images if not name.startswith("data:")],
        "prompt": question.prompt,
        "gold": question.gold,
        "response": prediction.text,
        "parsed": prediction.parsed,
        "correct": prediction.parsed == question.gold,
        "probabilities": prediction.probabilities,
        "mass": prediction.mass,
        "tags": dict(question.tags),
        "space": space_fields(question.space),
    }


def prediction_of(row: Mapping[str, Any]) -> Prediction:
    """Return the prediction that a row of a predictions file holds."""
    return Prediction(
        id=row["id"],
        text=row["response"],
        parsed=row["parsed"],
        probabilities=row["probabilities"],
        mass=row["mass"],
    )


def read_predictions(path: Path) -> list[dict[str, Any]]:
    """Read the rows that ``write_predictions`` wrote."""
    # Not splitlines(): an answer may hold other line separators, which JSON does not escape.
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def rows_by_id(path: Path) -> dict[str, dict[str, Any]]:
    """Read a predictions file as question id to row."""
    return {row["id"]: row for row in read_predictions(path)}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
