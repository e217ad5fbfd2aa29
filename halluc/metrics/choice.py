"""Accuracy of questions with one right answer among several."""

from dataclasses import dataclass


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


def choice_scores(counts: ChoiceCounts) -> dict[str, float | None]:
    """Compute accuracy, the share of unparsed answers, and n.

    Args:
        counts: See ``count_choice``.

    Returns:
        ``accuracy`` and ``unparsed_rate`` as fractions in [0, 1], None without answers; ``n``, their
        number.

    Example:
        >>> choice_scores(ChoiceCounts(right=2, wrong=1, unparsed=1))
        {'accuracy': 0.5, 'unparsed_rate': 0.25, 'n': 4.0}
    """
    return {
        "accuracy": counts.right / counts.n if counts.n else None,
        "unparsed_rate": counts.unparsed / counts.n if counts.n else None,
        "n": float(counts.n),
    }
