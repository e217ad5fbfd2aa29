"""The score of VLM2-Bench's open video descriptions, from what a judge said about each."""

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


def video_judge_scores(sums: JudgeSums) -> dict[str, float]:
    """Average judge scores of two-part (AB) and three-part (ABA) videos.

    Args:
        sums: Sums over judged videos; one whose judge's text held no score is left out, as the script
            does.

    Returns:
        ``ab_score`` and ``aba_score`` as fractions in [0, 1], 0.0 where no video was scored, and
        ``average``, their mean.

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084, ``eval_pc-v_open-ended.py``.

    Example:
        >>> video_judge_scores(JudgeSums.of("AB", 1) + JudgeSums.of("AB", 0) + JudgeSums.of("ABA", 2))
        {'ab_score': 0.5, 'aba_score': 1.0, 'average': 0.75}
    """
    two_part = sums.two_part_score / sums.two_part if sums.two_part else 0.0
    three_part = sums.three_part_score / sums.three_part / 2 if sums.three_part else 0.0
    return {"ab_score": two_part, "aba_score": three_part, "average": (two_part + three_part) / 2}
