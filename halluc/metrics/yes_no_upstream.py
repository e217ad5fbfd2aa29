"""Binary metrics as public harnesses compute them, where they differ from ``yes_no``."""

from halluc.metrics.alignment import ratio
from halluc.metrics.yes_no import YesNoCounts, harmonic_mean, yes_no_scores


def longhalqa_yes_no_scores(counts: YesNoCounts) -> dict[str, float | None]:
    """Compute the binary metrics of LongHalQA's script (hanqiu-hq/LongHalQA ``utils.py``).

    Recall leaves unparsed answers out of its denominator, TP / (TP + gold yes answered no), and so
    rewards refusing; it is 0.0 if that denominator is. The rest is as in ``yes_no_scores``.

    Args:
        counts: See ``count_yes_no``.

    Returns:
        Fractions in [0, 1]; recall and F1 are None if no gold answer is yes.
    """
    scores = yes_no_scores(counts)
    if counts.gold_yes:
        scores["recall"] = ratio(counts.true_yes, counts.true_yes + counts.false_no)
        scores["f1"] = harmonic_mean(scores["precision"], scores["recall"])
    return scores


def lmms_eval_yes_no_scores(counts: YesNoCounts) -> dict[str, float | None]:
    """Compute POPE's metrics as lmms-eval does (``tasks/pope/utils.py``).

    Recall leaves unparsed answers out of its denominator. And its ``yes_ratio`` is the share of gold
    yes, whatever the model says; the true one stands beside it as ``predicted_yes_ratio``.

    Args:
        counts: See ``count_yes_no``.

    Returns:
        Fractions in [0, 1]; recall and F1 are None if no gold answer is yes.

    Example:
        >>> from halluc.metrics.yes_no import count_yes_no
        >>> always_no = count_yes_no([False, False, False, False], [True, True, False, False])
        >>> lmms_eval_yes_no_scores(always_no)["yes_ratio"]
        0.5
    """
    scores = longhalqa_yes_no_scores(counts)
    scores["predicted_yes_ratio"] = scores["yes_ratio"]
    scores["yes_ratio"] = counts.gold_yes / counts.n if counts.n else None
    return scores
