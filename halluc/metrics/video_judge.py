"""The score of VLM2-Bench's open video descriptions, from what a judge said about each."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgeSums:
    """Hold sums over judged videos.

    Attributes:
        two_part: Number of judged two-part videos (pattern AB).
        two_part_score: Sum of their scores, 0 or 1 each.
        three_part: Number of judged three-part videos (ABA).
        three_part_score: Sum of their scores, 0, 1 or 2 each.
    """

    two_part: int
    two_part_score: int
    three_part: int
    three_part_score: int

    @classmethod
    def of(cls, pattern: str, score: int | None) -> "JudgeSums":
        """Return the summand of one video; one without score counts nowhere, as in the script.

        Raises:
            ValueError: If the pattern is neither AB nor ABA.
        """
        if pattern not in ("AB", "ABA"):
            raise ValueError(f"pattern is {pattern!r}; expected AB or ABA")
        if score is None:
            return cls(0, 0, 0, 0)
        return cls(1, score, 0, 0) if pattern == "AB" else cls(0, 0, 1, score)

    def __add__(self, other: "JudgeSums") -> "JudgeSums":
        """Sum over the videos of both."""
        return JudgeSums(
            self.two_part + other.two_part,
            self.two_part_score + other.two_part_score,
            self.three_part + other.three_part,
            self.three_part_score + other.three_part_score,
        )


def video_judge_scores(judged: Iterable[tuple[str, int | None]]) -> dict[str, float]:
    """Average judge scores of two-part (AB) and three-part (ABA) videos.

    Args:
        judged: Pattern ``AB`` (score 0 or 1) or ``ABA`` (0, 1 or 2) and the score of each video; None
            where the judge's text held none, and that video is left out, as the script does.

    Returns:
        ``ab_score`` and ``aba_score`` as fractions in [0, 1], 0.0 where no video was scored, and
        ``average``, their mean.

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084, ``eval_pc-v_open-ended.py``.

    Example:
        >>> video_judge_scores([("AB", 1), ("AB", 0), ("ABA", 2), ("ABA", None)])
        {'ab_score': 0.5, 'aba_score': 1.0, 'average': 0.75}
    """
    return video_judge_scores_of(sum((JudgeSums.of(*one) for one in judged), start=JudgeSums(0, 0, 0, 0)))


def video_judge_scores_of(sums: JudgeSums) -> dict[str, float]:
    """Compute the same from sums."""
    two_part = sums.two_part_score / sums.two_part if sums.two_part else 0.0
    three_part = sums.three_part_score / sums.three_part / 2 if sums.three_part else 0.0
    return {"ab_score": two_part, "aba_score": three_part, "average": (two_part + three_part) / 2}
