"""The soft counting score of VLM2-Bench."""

from collections.abc import Sequence

from halluc.metrics.alignment import check_aligned

LONGEST_SEQUENCE = 4
EXPONENT = 1 / 10


def count_score(predicted: int | None, gold: int, images: int, *, check_range: bool = True) -> float:
    """Score one count: 1 if exact, otherwise little or nothing.

    With e = |p - g| / max(g - 1, n - g) the score is max(0, 1 - 4/n · e^(1/10)). With 2 or 3 images
    every wrong count scores 0, with 4 at most 0.10. (The paper's formula lacks the clamp.)

    Args:
        predicted: Parsed count; None means unparsed, which scores 0.
        gold: Right count g, at least 1.
        images: Length n of the image sequence.
        check_range: Score 0 outside 1..n, as the official script does; VLMEvalKit does not.

    Returns:
        Score in [0, 1].

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084, section 3; ``acc_with_cnt_score.py``.

    Example:
        >>> count_score(2, 2, 4), count_score(1, 2, 3), round(count_score(2, 3, 4), 4)
        (1.0, 0.0, 0.067)
    """
    if predicted is None or (check_range and not 1 <= predicted <= images):
        return 0.0
    largest_error = max(gold - 1, images - gold) or 1
    error = abs(predicted - gold) / largest_error
    penalty: float = LONGEST_SEQUENCE / images * error**EXPONENT
    return max(0.0, 1.0 - penalty)


def counting_scores(
    predicted: Sequence[int | None], gold: Sequence[int], images: Sequence[int]
) -> dict[str, float | None]:
    """Compute exact accuracy and both means of the counting score.

    The official script leaves unparsed counts and counts outside 1..n out of its mean, which rewards
    refusing to answer; ``mean_score_over_all`` counts them as 0.

    Args:
        predicted: Parsed counts, length N.
        gold: Right counts, length N.
        images: Lengths of the image sequences, length N.

    Returns:
        ``exact_accuracy``, ``mean_score_over_valid``, ``mean_score_over_all`` and ``valid_rate`` as
        fractions in [0, 1]; the mean over valid is 0.0 if none is, all are None if N is 0.

    Raises:
        LengthMismatchError: If the lengths differ.
    """
    check_aligned(predicted, gold)
    check_aligned(images, gold)
    triples = list(zip(predicted, gold, images, strict=True))
    if not triples:
        names = ("exact_accuracy", "mean_score_over_valid", "mean_score_over_all", "valid_rate")
        return dict.fromkeys(names)
    total = sum(count_score(*triple) for triple in triples)
    valid = sum(p is not None and 1 <= p <= n for p, _, n in triples)
    return {
        "exact_accuracy": sum(p == g and 1 <= g <= n for p, g, n in triples) / len(triples),
        "mean_score_over_valid": total / valid if valid else 0.0,
        "mean_score_over_all": total / len(triples),
        "valid_rate": valid / len(triples),
    }


def mean_count_score_unchecked(
    predicted: Sequence[int | None], gold: Sequence[int], images: Sequence[int]
) -> float | None:
    """Compute VLMEvalKit's mean counting score: over all records, without a range check.

    Returns:
        Fraction in [0, 1]; None without records.

    Raises:
        LengthMismatchError: If the lengths differ.
    """
    check_aligned(predicted, gold)
    check_aligned(images, gold)
    scores = [
        count_score(p, g, n, check_range=False) for p, g, n in zip(predicted, gold, images, strict=True)
    ]
    return sum(scores) / len(scores) if scores else None
