"""How far two ways of answering the same questions agree."""

from collections.abc import Sequence
from dataclasses import dataclass

from halluc.metrics.alignment import check_aligned


@dataclass(frozen=True, slots=True)
class Agreement:
    """Count questions by what two ways of answering made of them.

    Attributes:
        n: All questions.
        same: Answered alike; unparsed by both counts as alike.
        first_only_right: Right in the first way only.
        second_only_right: Right in the second way only.
        both_wrong_apart: Wrong in both ways, but not alike.
        second_unparsed: Unparsed in the second way.
    """

    n: int
    same: int
    first_only_right: int
    second_only_right: int
    both_wrong_apart: int
    second_unparsed: int

    @property
    def disagreement_rate(self) -> float | None:
        """Return the share of questions not answered alike, in [0, 1]; None without questions."""
        return (self.n - self.same) / self.n if self.n else None


def agreement(
    first: Sequence[str | None], second: Sequence[str | None], labels: Sequence[str | None]
) -> Agreement:
    """Compare two ways of answering, as likelihood and greedy text.

    Args:
        first: Parsed answers of the first way, length N; None means unparsed.
        second: Those of the second way, length N.
        labels: Ground truth, length N.

    Raises:
        LengthMismatchError: If the lengths differ.

    Example:
        >>> agreement(["yes", "yes", "no"], ["yes", "no", None], ["yes", "no", "no"]).disagreement_rate
        0.6666666666666666
    """
    check_aligned(first, labels)
    check_aligned(second, labels)
    triples = list(zip(first, second, labels, strict=True))
    apart = [(one == label, other == label) for one, other, label in triples if one != other]
    return Agreement(
        n=len(triples),
        same=len(triples) - len(apart),
        first_only_right=apart.count((True, False)),
        second_only_right=apart.count((False, True)),
        both_wrong_apart=apart.count((False, False)),
        second_unparsed=sum(other is None for other in second),
    )
