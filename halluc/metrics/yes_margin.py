"""What a yes/no model knows beside where it puts its threshold.

The margin is how much more the model believes in "yes" than in "no", for instance
log p(yes) - log p(no); a positive margin is the answer "yes".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from halluc.metrics.alignment import check_aligned


@dataclass(frozen=True, slots=True)
class Threshold:
    """Hold an interval of equally good thresholds: answer "yes" where the margin is above it.

    Attributes:
        low: Lower end; minus infinity means that "yes" is always right.
        high: Upper end, reached by the next margin above; plus infinity means never "yes".
        accuracy: Accuracy at any threshold t with ``low <= t < high``, in [0, 1].
    """

    low: float
    high: float
    accuracy: float


def auroc(margins: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Compute the area under the ROC curve: how often a gold yes has the larger margin than a gold no.

    Ties count one half. The value does not depend on any threshold, so a model that only learnt to
    say "no" more often keeps its AUROC.

    Args:
        margins: Belief in "yes" over "no", length N; any monotone scale, infinities allowed.
        labels: Ground truth, length N, aligned with ``margins``.

    Returns:
        Fraction in [0, 1]; None if one of the two classes does not occur.

    Raises:
        LengthMismatchError: If the two lengths differ.

    Example:
        >>> auroc([2.0, 1.0, 1.0, 0.5], [True, True, False, False])
        0.875
    """
    no_below = wins = 0.0
    yes_total = no_total = 0
    for _, yes, no in _by_margin(margins, labels):
        wins += yes * (no_below + no / 2)
        no_below += no
        yes_total += yes
        no_total += no
    return wins / (yes_total * no_total) if yes_total and no_total else None


def best_threshold(margins: Sequence[float], labels: Sequence[bool]) -> Threshold | None:
    """Find the threshold with the highest accuracy on these very answers.

    Its accuracy is an upper bound for what moving the threshold can reach. Of equally good intervals
    the lowest is taken.

    Args:
        margins: Belief in "yes" over "no", length N.
        labels: Ground truth, length N, aligned with ``margins``.

    Returns:
        The best interval; None if one of the two classes does not occur.

    Raises:
        LengthMismatchError: If the two lengths differ.

    Example:
        >>> best_threshold([2.0, 0.9, 0.8, -0.1], [True, True, False, False])
        Threshold(low=0.8, high=0.9, accuracy=1.0)
    """
    steps = _by_margin(margins, labels)
    yes_total = sum(yes for _, yes, _ in steps)
    if yes_total in (0, len(labels)):
        return None
    lows = [float("-inf"), *(margin for margin, _, _ in steps)]
    highs = [*(margin for margin, _, _ in steps), float("inf")]
    right = [yes_total]
    for _, yes, no in steps:
        right.append(right[-1] + no - yes)
    best = max(right)
    index = right.index(best)
    return Threshold(low=lows[index], high=highs[index], accuracy=best / len(labels))


def accuracy_at(threshold: float, margins: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Compute the accuracy of answering "yes" where the margin is above a threshold.

    Returns:
        Fraction in [0, 1]; None without answers.

    Raises:
        LengthMismatchError: If the two lengths differ.
    """
    check_aligned(margins, labels)
    right = sum((margin > threshold) == label for margin, label in zip(margins, labels, strict=True))
    return right / len(labels) if labels else None


def _by_margin(margins: Sequence[float], labels: Sequence[bool]) -> list[tuple[float, int, int]]:
    """Group into (margin, gold yes, gold no), ascending."""
    check_aligned(margins, labels)
    ordered = sorted(zip(margins, labels, strict=True), key=itemgetter(0))
    groups = []
    for margin, group in groupby(ordered, key=itemgetter(0)):
        gold = [label for _, label in group]
        groups.append((margin, sum(gold), len(gold) - sum(gold)))
    return groups
