"""Accuracy of true/false questions that are asked in pairs, once affirmed and once negated."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PairedAnswer:
    """Hold one half of a pair.

    Attributes:
        pair: Name of the pair.
        positive: Whether it is the positive half: gold T, or the affirmative statement.
        right: Whether it was answered right.
    """

    pair: str
    positive: bool
    right: bool


@dataclass(frozen=True, slots=True)
class PairSums:
    """Count pairs by what was right in them.

    Attributes:
        pairs: Number of pairs.
        both: With a right positive and a right negative half.
        positive: With a right positive half.
        negative: With a right negative half.
        throughout: With more than one half, all of them right; VLMEvalKit's rule.
    """

    pairs: int
    both: int
    positive: int
    negative: int
    throughout: int

    @classmethod
    def of(cls, halves: Sequence[PairedAnswer]) -> "PairSums":
        """Return the summand of one pair, given its halves."""
        hits = {half.positive for half in halves if half.right}
        return cls(
            pairs=1,
            both=int(hits == {True, False}),
            positive=int(True in hits),
            negative=int(False in hits),
            throughout=int(len(halves) > 1 and all(half.right for half in halves)),
        )

    def __add__(self, other: "PairSums") -> "PairSums":
        """Count the pairs of both."""
        return PairSums(
            self.pairs + other.pairs,
            self.both + other.both,
            self.positive + other.positive,
            self.negative + other.negative,
            self.throughout + other.throughout,
        )


def paired_scores(sums: PairSums) -> dict[str, float | None]:
    """Compute the share of pairs with both halves right, as the scripts of VLM2-Bench do.

    Args:
        sums: Sums over pairs. The comparison script leaves pairs with one half out, the general-cue
            script counts them, and they are wrong.

    Returns:
        ``paired_accuracy``, ``positive_accuracy`` and ``negative_accuracy`` as fractions in [0, 1] of
        the pairs, None if there are none; ``pairs``, their number.

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084, ``code/gc/eval`` and ``code/oc/eval``.

    Example:
        >>> halves = [PairedAnswer("1", True, True), PairedAnswer("1", False, False)]
        >>> scores = paired_scores(PairSums.of(halves))
        >>> scores["positive_accuracy"], scores["paired_accuracy"]
        (1.0, 0.0)
    """
    return {
        "paired_accuracy": sums.both / sums.pairs if sums.pairs else None,
        "positive_accuracy": sums.positive / sums.pairs if sums.pairs else None,
        "negative_accuracy": sums.negative / sums.pairs if sums.pairs else None,
        "pairs": float(sums.pairs),
    }


def group_scores(sums: PairSums) -> dict[str, float | None]:
    """Compute the share of pairs that are complete and right throughout, as VLMEvalKit does.

    A group of one stays in the denominator and is wrong.

    Returns:
        ``paired_accuracy`` as a fraction in [0, 1], None without pairs; ``pairs``, their number.
    """
    share = sums.throughout / sums.pairs if sums.pairs else None
    return {"paired_accuracy": share, "pairs": float(sums.pairs)}


def by_pair(answers: Iterable[PairedAnswer]) -> list[list[PairedAnswer]]:
    """Bring the halves of each pair together, in order of appearance."""
    groups: dict[str, list[PairedAnswer]] = {}
    for answer in answers:
        groups.setdefault(answer.pair, []).append(answer)
    return list(groups.values())


def is_complete(halves: Iterable[PairedAnswer]) -> bool:
    """Tell whether a pair has a positive and a negative half."""
    return {half.positive for half in halves} == {True, False}
