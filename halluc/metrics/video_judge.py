"""The score of VLM2-Bench's open video descriptions, from what a judge said about each."""

from collections.abc import Iterable


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
    scores: dict[str, list[int]] = {"AB": [], "ABA": []}
    for pattern, score in judged:
        if score is not None:
            scores[pattern].append(score)
    two_part = _mean(scores["AB"])
    three_part = _mean(scores["ABA"]) / 2
    return {"ab_score": two_part, "aba_score": three_part, "average": (two_part + three_part) / 2}


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0
