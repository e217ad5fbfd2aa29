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


def paired_scores(answers: Iterable[PairedAnswer], *, drop_incomplete: bool) -> dict[str, float | None]:
    """Compute the share of pairs with both halves right, as the scripts of VLM2-Bench do.

    Args:
        answers: Halves in any order.
        drop_incomplete: Leave pairs with one half out of the denominator, as the comparison script
            does; otherwise they are wrong, as in the general-cue script.

    Returns:
        ``paired_accuracy``, ``positive_accuracy`` and ``negative_accuracy`` as fractions in [0, 1] of
        the pairs, None if there are none; ``pairs``, their number.

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084, ``code/gc/eval`` and ``code/oc/eval``.

    Example:
        >>> halves = [PairedAnswer("1", True, True), PairedAnswer("1", False, False)]
        >>> scores = paired_scores(halves, drop_incomplete=True)
        >>> scores["positive_accuracy"], scores["paired_accuracy"]
        (1.0, 0.0)
    """
    groups = _by_pair(answers)
    if drop_incomplete:
        groups = [group for group in groups if {half.positive for half in group} == {True, False}]
    hits = [{half.positive for half in group if half.right} for group in groups]
    return {
        "paired_accuracy": _share([hit == {True, False} for hit in hits]),
        "positive_accuracy": _share([True in hit for hit in hits]),
        "negative_accuracy": _share([False in hit for hit in hits]),
        "pairs": float(len(groups)),
    }


def group_scores(answers: Iterable[PairedAnswer]) -> dict[str, float | None]:
    """Compute the share of pairs that are complete and right throughout, as VLMEvalKit does.

    A group of one stays in the denominator and is wrong.

    Returns:
        ``paired_accuracy`` as a fraction in [0, 1], None without pairs; ``pairs``, their number.
    """
    groups = _by_pair(answers)
    right = [len(group) > 1 and all(half.right for half in group) for group in groups]
    return {"paired_accuracy": _share(right), "pairs": float(len(groups))}


def _by_pair(answers: Iterable[PairedAnswer]) -> list[list[PairedAnswer]]:
    groups: dict[str, list[PairedAnswer]] = {}
    for answer in answers:
        groups.setdefault(answer.pair, []).append(answer)
    return list(groups.values())


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
