"""The PhD Index, and the two recalls that it is made of."""

from collections.abc import Sequence

from halluc.metrics.yes_no import YesNoCounts, count_yes_no, harmonic_mean


def phd_index(predictions: Sequence[bool | None], labels: Sequence[bool]) -> float | None:
    """Compute the PhD Index, the harmonic mean of yes-recall and no-recall.

    A model that always answers yes, or always no, gets 0; coin flipping gets 0.5.

    Args:
        predictions: Parsed answers, length N; True means "yes", None means unparsed.
            An unparsed answer is wrong, whatever the label.
        labels: Ground truth, length N, aligned with ``predictions``.

    Returns:
        Fraction in [0, 1], 0.0 if either recall is 0; None if ``labels`` holds no "yes" or
        no "no", since the index is then undefined.

    Raises:
        LengthMismatchError: If the two lengths differ.

    Reference:
        Liu et al., PhD: A ChatGPT-Prompted Visual Hallucination Evaluation Dataset, section
        "Metric", arXiv 2403.11116.

    Example:
        >>> round(phd_index([True, False, None, True], [True, False, False, True]), 4)
        0.6667
    """
    return phd_scores(count_yes_no(predictions, labels))["index"]


def phd_scores(counts: YesNoCounts) -> dict[str, float | None]:
    """Compute yes-recall, no-recall and their harmonic mean, the PhD Index.

    Args:
        counts: See ``count_yes_no``.

    Returns:
        ``yes_recall``, ``no_recall`` and ``index`` as fractions in [0, 1]; None where the gold
        answers lack the class.
    """
    yes_recall = counts.true_yes / counts.gold_yes if counts.gold_yes else None
    no_recall = counts.true_no / counts.gold_no if counts.gold_no else None
    return {
        "yes_recall": yes_recall,
        "no_recall": no_recall,
        "index": harmonic_mean(yes_recall, no_recall),
    }
