"""Accuracy of questions with one right answer among several."""

from collections.abc import Sequence
from dataclasses import dataclass

from halluc.metrics.alignment import check_aligned


@dataclass(frozen=True, slots=True)
class ChoiceCounts:
    """Count answers by outcome.

    Attributes:
        right: Parsed and right.
        wrong: Parsed and wrong.
        unparsed: Not parsed, which is wrong.
    """

    right: int
    wrong: int
    unparsed: int

    @property
    def n(self) -> int:
        """Count all answers."""
        return self.right + self.wrong + self.unparsed

    def __add__(self, other: "ChoiceCounts") -> "ChoiceCounts":
        """Count the answers of both."""
        return ChoiceCounts(
            self.right + other.right, self.wrong + other.wrong, self.unparsed + other.unparsed
        )


def count_choice(predicted: str | None, label: str) -> ChoiceCounts:
    """Count one answer; None means unparsed."""
    right = predicted == label
    return ChoiceCounts(int(right), int(not right and predicted is not None), int(predicted is None))


def choice_scores(predictions: Sequence[str | None], labels: Sequence[str]) -> dict[str, float | None]:
    """Compute accuracy, the share of unparsed answers, and n.

    Args:
        predictions: Parsed answers, length N; None means unparsed, which is wrong.
        labels: Ground truth, length N, aligned with ``predictions``.

    Returns:
        ``accuracy`` and ``unparsed_rate`` as fractions in [0, 1], None if N is 0; ``n`` = N.

    Raises:
        LengthMismatchError: If the two lengths differ.

    Example:
        >>> choice_scores(["A", None, "C", "B"], ["A", "B", "D", "B"])
        {'accuracy': 0.5, 'unparsed_rate': 0.25, 'n': 4.0}
    """
    check_aligned(predictions, labels)
    counts = (count_choice(predicted, label) for predicted, label in zip(predictions, labels, strict=True))
    return choice_scores_of(sum(counts, start=ChoiceCounts(0, 0, 0)))


def choice_scores_of(counts: ChoiceCounts) -> dict[str, float | None]:
    """Compute the same from counts."""
    return {
        "accuracy": counts.right / counts.n if counts.n else None,
        "unparsed_rate": counts.unparsed / counts.n if counts.n else None,
        "n": float(counts.n),
    }
