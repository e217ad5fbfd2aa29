"""Metrics of AMBER's discriminative questions, where "no" is the positive class."""

from halluc.metrics.alignment import ratio
from halluc.metrics.yes_no import YesNoCounts, harmonic_mean, yes_no_scores

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


def answer_shares(counts: YesNoCounts) -> dict[str, float | None]:
    """Compute what does not depend on which answer is positive, each under a name that says so.

    Args:
        counts: See ``count_yes_no``.

    Returns:
        Fractions in [0, 1]: ``yes_recall`` and ``no_recall``, the shares of gold yes answered yes and of
        gold no answered no, None if there is no such gold; ``yes_ratio``, the share of all answers that
        are yes; and ``unparsed_rate``. All are None without questions.

    Example:
        >>> from halluc.metrics.yes_no import count_yes_no
        >>> answer_shares(count_yes_no([True, None, False, True], [True, True, False, False]))
        {'yes_recall': 0.5, 'no_recall': 0.5, 'yes_ratio': 0.5, 'unparsed_rate': 0.25}
    """
    scores = yes_no_scores(counts)
    names = ("no_recall", "yes_ratio", "unparsed_rate")
    return {"yes_recall": scores["recall"], **{name: scores[name] for name in names}}


def official_no_scores(
    counts: YesNoCounts, *, starts: int = 1, f1_epsilon: float = 0.0001
) -> dict[str, float | None]:
    """Compute the same as AMBER's ``inference.py`` prints it.

    Every denominator starts at 0.001 instead of 0; percentages are rounded to one decimal, and F1 is
    computed from the rounded ones with a small number in its denominator.

    Args:
        counts: See ``count_yes_no``.
        starts: How many denominators with their 0.001 are added up: 3 for "attribute", 1 elsewhere.
        f1_epsilon: 0.001 for "existence", 0.0001 elsewhere.

    Returns:
        Fractions in [0, 1] with three decimals (percentages with one).

    Example:
        >>> from halluc.metrics.yes_no import count_yes_no
        >>> official_no_scores(count_yes_no([True, True, False], [True, False, False]))
        {'accuracy': 0.666, 'precision': 0.999, 'recall': 0.5, 'f1': 0.666}
    """
    start = START * starts
    accuracy = _percent(counts.true_no + counts.true_yes, counts.n + start)
    precision = _percent(counts.true_no, counts.true_no + counts.false_no + start)
    recall = _percent(counts.true_no, counts.gold_no + start)
    f1 = _percent(2 * (precision / 100) * (recall / 100), precision / 100 + recall / 100 + f1_epsilon)
    names = ("accuracy", "precision", "recall", "f1")
    return {
        name: round(value / 100, 3)
        for name, value in zip(names, (accuracy, precision, recall, f1), strict=True)
    }


def _percent(part: float, whole: float) -> float:
    return round(part / whole * 100, 1)
