"""Whether a model's probabilities mean what they say."""

from collections.abc import Sequence
from dataclasses import dataclass

from halluc.metrics.alignment import check_aligned

BINS = 10


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Hold the answers whose confidence lies in one interval.

    Attributes:
        low: Lower end of the interval, in [0, 1].
        high: Upper end, which belongs to it.
        n: Number of answers.
        confidence: Their mean confidence.
        accuracy: Share of right ones.
    """

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float


def reliability(
    confidences: Sequence[float], right: Sequence[bool], bins: int = BINS
) -> list[ReliabilityBin]:
    """Sort answers by confidence into bins of equal width.

    Args:
        confidences: Probability of the answer given, in [0, 1], length N.
        right: Whether the answer was right, length N.
        bins: Number of bins over [0, 1].

    Returns:
        The bins that hold answers, ascending.

    Raises:
        LengthMismatchError: If the lengths differ.

    Reference:
        Guo et al., On Calibration of Modern Neural Networks, arXiv 1706.04599, section 2.
    """
    check_aligned(confidences, right)
    members: dict[int, list[tuple[float, bool]]] = {}
    for confidence, hit in zip(confidences, right, strict=True):
        place = min(max(-int(-confidence * bins // 1), 1), bins)  # ceil: the upper end belongs to the bin
        members.setdefault(place, []).append((confidence, hit))
    return [
        ReliabilityBin(
            low=(place - 1) / bins,
            high=place / bins,
            n=len(own),
            confidence=sum(confidence for confidence, _ in own) / len(own),
            accuracy=sum(hit for _, hit in own) / len(own),
        )
        for place, own in sorted(members.items())
    ]


def expected_calibration_error(bins: Sequence[ReliabilityBin]) -> float | None:
    """Average the gap between confidence and accuracy over the bins, weighted by their answers.

    Returns:
        Fraction in [0, 1]; None without answers.

    Reference:
        Guo et al., arXiv 1706.04599, equation 3.

    Example:
        >>> expected_calibration_error(reliability([0.9, 0.9, 0.6, 0.6], [True, True, True, False]))
        0.1
    """
    n = sum(one.n for one in bins)
    gap = sum(one.n * abs(one.accuracy - one.confidence) for one in bins)
    return round(gap / n, 12) if n else None
