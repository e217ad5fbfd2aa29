"""The PhD Index, and the two recalls that it is made of."""

from halluc.metrics.yes_no import YesNoCounts, harmonic_mean


def phd_scores(counts: YesNoCounts) -> dict[str, float | None]:
    """Compute yes-recall, no-recall and their harmonic mean, the PhD Index.

    A model that always answers yes, or always no, gets 0; coin flipping gets 0.5. An unparsed answer
    is wrong, whatever the label.

    Args:
        counts: See ``count_yes_no``.

    Returns:
        ``yes_recall``, ``no_recall`` and ``index`` as fractions in [0, 1]; None where the gold
        answers lack the class, and the index is 0.0 if either recall is.

    Reference:
        Liu et al., PhD: A ChatGPT-Prompted Visual Hallucination Evaluation Dataset, section
        "Metric", arXiv 2403.11116.

    Example:
        >>> from halluc.metrics.yes_no import count_yes_no
        >>> counts = count_yes_no([True, False, None, True], [True, False, False, True])
        >>> round(phd_scores(counts)["index"], 4)
        0.6667
    """
    yes_recall = counts.true_yes / counts.gold_yes if counts.gold_yes else None
    no_recall = counts.true_no / counts.gold_no if counts.gold_no else None
    return {
        "yes_recall": yes_recall,
        "no_recall": no_recall,
        "index": harmonic_mean(yes_recall, no_recall),
    }
