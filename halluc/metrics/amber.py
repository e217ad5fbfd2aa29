"""Metrics of AMBER's discriminative questions, where "no" is the positive class."""

from collections.abc import Sequence

from halluc.metrics.alignment import ratio
from halluc.metrics.yes_no import YesNoCounts, harmonic_mean

START = 0.001


def no_scores(counts: YesNoCounts) -> dict[str, float | None]:
    """Compute accuracy, and precision, recall and F1 of the answer "no".

    Args:
        counts: See ``count_yes_no``.

    Returns:
        Fractions in [0, 1]; precision is 0.0 if nothing was answered no; recall and F1 are None if no
        gold answer is no; all are None without questions.

    Reference:
        Wang et al., AMBER: An LLM-free Multi-dimensional Benchmark for MLLMs Hallucination
        Evaluation, arXiv 2311.07397.
    """
    if counts.n == 0:
        return dict.fromkeys(("accuracy", "precision", "recall", "f1"))
    precision = ratio(counts.true_no, counts.true_no + counts.false_no)
    recall = counts.true_no / counts.gold_no if counts.gold_no else None
    return {
        "accuracy": (counts.true_yes + counts.true_no) / counts.n,
        "precision": precision,
        "recall": recall,
        "f1": harmonic_mean(precision, recall),
    }


def official_no_scores(
    parts: Sequence[YesNoCounts], *, f1_epsilon: float = 0.0001
) -> dict[str, float | None]:
    """Compute the same as AMBER's ``inference.py`` prints it.

    Every denominator starts at 0.001 instead of 0; percentages are rounded to one decimal, and F1 is
    computed from the rounded ones with a small number in its denominator.

    Args:
        parts: Counts to be added up; each brings its own 0.001, and "attribute" has three parts.
        f1_epsilon: 0.001 for "existence", 0.0001 elsewhere.

    Returns:
        Fractions in [0, 1] with three decimals (percentages with one).

    Example:
        >>> from halluc.metrics.yes_no import count_yes_no
        >>> official_no_scores([count_yes_no([True, True, False], [True, False, False])])
        {'accuracy': 0.666, 'precision': 0.999, 'recall': 0.5, 'f1': 0.666}
    """
    start = START * len(parts)
    right_no = sum(part.true_no for part in parts)
    answered_no = right_no + sum(part.false_no for part in parts)
    accuracy = _percent(
        right_no + sum(part.true_yes for part in parts), sum(part.n for part in parts) + start
    )
    precision = _percent(right_no, answered_no + start)
    recall = _percent(right_no, sum(part.gold_no for part in parts) + start)
    f1 = _percent(2 * (precision / 100) * (recall / 100), precision / 100 + recall / 100 + f1_epsilon)
    names = ("accuracy", "precision", "recall", "f1")
    return {
        name: round(value / 100, 3)
        for name, value in zip(names, (accuracy, precision, recall, f1), strict=True)
    }


def _percent(part: float, whole: float) -> float:
    return round(part / whole * 100, 1)
