"""Bias and calibration of a model's yes/no answers, beside its scores and never applied to them."""

from collections.abc import Collection, Sequence
from dataclasses import asdict

from halluc.benchmarks.scoring.answers import Pair
from halluc.benchmarks.scoring.yes_no_scoring import yes_margin
from halluc.data.records import AnswerKind, Prediction, Question
from halluc.metrics.calibration import expected_calibration_error, reliability
from halluc.metrics.yes_margin import Threshold, accuracy_at, auroc, best_threshold


def yes_no_calibration(
    questions: Sequence[Question], predictions: Sequence[Prediction], fitted_on: Collection[str]
) -> dict[str, object] | None:
    """Describe the yes/no answers that have probabilities.

    A threshold on log p(yes) - log p(no) is fitted on some questions and tried on the others; the
    published threshold is 0. A gain says that the model knew better than it answered; it is no cure.

    Args:
        questions: Of any kinds; only those with yes/no answers and probabilities count.
        predictions: Aligned with ``questions``.
        fitted_on: Ids of the questions that the threshold is fitted on.

    Returns:
        ``n``; ``yes_ratio``; ``expected_calibration_error`` and its ``reliability`` table; ``auroc``,
        where both classes occur; and ``threshold``: ``value``, ``fitted_on_n``, ``tried_on_n``,
        ``accuracy_at_0`` and ``accuracy`` of the others. Without what is undefined; None if there are
        no such answers.
    """
    pairs = [
        (question, prediction)
        for question, prediction in zip(questions, predictions, strict=True)
        if question.space.kind is AnswerKind.YES_NO and prediction.probabilities is not None
    ]
    if not pairs:
        return None
    bins = reliability([_confidence(p) for _, p in pairs], [p.parsed == q.gold for q, p in pairs])
    found = {
        "n": len(pairs),
        "yes_ratio": sum(prediction.parsed == "yes" for _, prediction in pairs) / len(pairs),
        "expected_calibration_error": expected_calibration_error(bins),
        "auroc": auroc(*_margins(pairs)),
        "threshold": _threshold(pairs, fitted_on),
        "reliability": [asdict(one) for one in bins],
    }
    return {name: value for name, value in found.items() if value is not None}


def _threshold(pairs: Sequence[Pair], fitted_on: Collection[str]) -> dict[str, float] | None:
    fit = [pair for pair in pairs if pair[0].id in fitted_on]
    rest = [pair for pair in pairs if pair[0].id not in fitted_on]
    best = best_threshold(*_margins(fit))
    if best is None or not rest:
        return None
    value = _inside(best)
    return {
        "value": value,
        "fitted_on_n": len(fit),
        "tried_on_n": len(rest),
        "accuracy_at_0": accuracy_at(0.0, *_margins(rest)) or 0.0,
        "accuracy": accuracy_at(value, *_margins(rest)) or 0.0,
    }


def _inside(best: Threshold) -> float:
    """Choose the middle of the best interval; near its finite end where the other is infinite."""
    if best.low == float("-inf") and best.high == float("inf"):
        return 0.0
    if best.low == float("-inf"):
        return best.high - 1.0
    return best.low + 1.0 if best.high == float("inf") else (best.low + best.high) / 2


def _margins(pairs: Sequence[Pair]) -> tuple[list[float], list[bool]]:
    margins = [yes_margin(prediction.probabilities) for _, prediction in pairs]
    labels = [question.gold == "yes" for question, _ in pairs]
    return [margin for margin in margins if margin is not None], labels


def _confidence(prediction: Prediction) -> float:
    return max((prediction.probabilities or {}).values(), default=0.0)
