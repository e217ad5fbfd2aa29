"""Rows of a run's own predictions files: whole questions with the answers that a model gave."""

from collections.abc import Mapping
from typing import Any

from halluc.benchmarks.files.rows import Row
from halluc.data.records import AnswerKind, AnswerSpace, Prediction, Question
from halluc.errors import RecordError

FIELDS = frozenset({"id", "prompt", "gold", "response", "parsed", "tags", "space"})
"""Fields that make a row a whole question; older files lack ``space``."""


def space_fields(space: AnswerSpace) -> dict[str, Any]:
    """Return what a row says about the answers that its question allows."""
    return {"kind": str(space.kind), "candidates": list(space.candidates), "options": list(space.options)}


def is_run_row(row: Row) -> bool:
    """Tell a row of a run's own predictions, which holds its whole question."""
    return row.record.keys() >= FIELDS


def question_of(row: Row) -> Question:
    """Rebuild the question of a row.

    Raises:
        RecordError: If a field is not as a run writes it.
    """
    record = row.record
    try:
        space = AnswerSpace(
            AnswerKind(record["space"]["kind"]),
            tuple(record["space"]["candidates"]),
            tuple(record["space"]["options"]),
        )
        return Question(
            id=row.text("id"),
            images=tuple(record.get("images", ())),
            prompt=str(record["prompt"]),
            space=space,
            gold=record["gold"],
            tags=dict(record["tags"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{row.where}: not as a run writes its predictions: {error}.") from error


def likelihood_of(row: Row, question: Question) -> Prediction | None:
    """Return the answer by likelihood that a row holds; None if it holds a text only.

    Such an answer needs no reader: it is one of the candidates.

    Raises:
        RecordError: If its probabilities are not those of the candidates.
    """
    record = row.record
    probabilities = record.get("probabilities")
    if not isinstance(probabilities, dict) or "parsed" not in record:
        return None
    _check(probabilities, question, row.where)
    return Prediction(
        id=question.id,
        text=record["response"],
        parsed=record["parsed"],
        probabilities=probabilities,
        mass=record.get("mass"),
    )


def _check(probabilities: Mapping[str, Any], question: Question, where: str) -> None:
    candidates = question.space.candidates
    if candidates and probabilities.keys() != set(candidates):
        raise RecordError(
            f"{where}: probabilities are of {', '.join(map(str, probabilities))}, not of "
            f"{', '.join(candidates)}. Leave the field out to score the response as text."
        )
    values = [value for value in probabilities.values() if isinstance(value, int | float)]
    if len(values) < len(probabilities) or not all(0 <= value <= 1 for value in values) or not sum(values):
        raise RecordError(f"{where}: probabilities {dict(probabilities)} are no shares of 1.")
