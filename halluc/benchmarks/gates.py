"""Which fine questions of gated sequences need no answer, because the coarse answer closed the gate."""

from collections.abc import Iterable, Mapping, Sequence

from halluc.data.records import Prediction, Question


def due_behind_gates(questions: Sequence[Question], predictions: Mapping[str, Prediction]) -> list[Question]:
    """Return what to ask next so that closed gates keep their fine questions unasked.

    Questions of no gated sequence and coarse ones come first, then the fine ones behind open gates. A
    sequence of which fine questions were already asked is finished, whatever its gate says.

    Args:
        questions: All questions that are to be asked; a fine one stands with its coarse one.
        predictions: Question id to prediction, so far.
    """
    let_through = {sequence for sequence, is_open in gates(questions, predictions).items() if is_open}
    let_through |= {_sequence(q) for q in questions if _is_fine(q) and q.id in predictions}
    return [
        question
        for question in questions
        if question.id not in predictions and (not _is_fine(question) or _sequence(question) in let_through)
    ]


def unasked(questions: Iterable[Question], predictions: Mapping[str, Prediction]) -> frozenset[str]:
    """Return the ids of fine questions that a closed gate made needless and nobody answered.

    Args:
        questions: All questions of a benchmark.
        predictions: Question id to prediction; one without a text is no answer.

    Returns:
        Only of sequences whose coarse question was answered, wrongly, and none of the fine ones was.
    """
    known = list(questions)
    closed = {sequence for sequence, is_open in gates(known, predictions).items() if not is_open}
    fine = [question for question in known if _is_fine(question)]
    closed -= {_sequence(question) for question in fine if _is_answered(question, predictions)}
    return frozenset(question.id for question in fine if _sequence(question) in closed)


def gates(questions: Iterable[Question], predictions: Mapping[str, Prediction]) -> dict[str, bool]:
    """Return sequence to whether its gate is open, for those whose coarse question was answered."""
    return {
        _sequence(question): predictions[question.id].parsed == question.gold
        for question in questions
        if question.tags.get("part") == "coarse" and _is_answered(question, predictions)
    }


def _is_answered(question: Question, predictions: Mapping[str, Prediction]) -> bool:
    return question.id in predictions and predictions[question.id].text is not None


def _is_fine(question: Question) -> bool:
    return question.tags.get("part") == "fine"


def _sequence(question: Question) -> str:
    return question.tags["sequence"]
