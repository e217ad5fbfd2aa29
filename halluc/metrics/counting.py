"""The soft counting score of VLM2-Bench."""

from dataclasses import dataclass

LONGEST_SEQUENCE = 4
EXPONENT = 1 / 10
UNPARSED = "invalid_answer_format"
OUT_OF_RANGE = "answer_out_of_expected_range"
INCORRECT = "incorrect_answer"


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


def error_reason(predicted: int | None, gold: int, images: int) -> str | None:
    """Name what is wrong with one count, in the words of the official script; None if it is right.

    Args:
        predicted: Parsed count; None means unparsed.
        gold: Right count, at least 1.
        images: Length n of the image sequence.

    Returns:
        ``invalid_answer_format`` if unparsed, ``answer_out_of_expected_range`` outside 1..n (both are
        left out of the official mean), else ``incorrect_answer``.

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084; ``acc_with_cnt_score.py``.

    Example:
        >>> error_reason(3, 2, 4), error_reason(2, 2, 4)
        ('incorrect_answer', None)
    """
    if predicted is None:
        return UNPARSED
    if not 1 <= predicted <= images:
        return OUT_OF_RANGE
    return None if predicted == gold else INCORRECT


@dataclass(frozen=True, slots=True)
class CountingSums:
    """Hold what the counting scores are made of, summed over questions.

    Attributes:
        n: Number of questions.
        exact: Number of exact counts.
        valid: Number of parsed counts in 1..n of their sequence.
        score: Sum of ``count_score``.
        unchecked: Sum of ``count_score`` without the range check.
    """

    n: float
    exact: float
    valid: float
    score: float
    unchecked: float

    @classmethod
    def of(cls, predicted: int | None, gold: int, images: int) -> "CountingSums":
        """Return the summand of one question."""
        reason = error_reason(predicted, gold, images)
        return cls(
            n=1.0,
            exact=float(reason is None),
            valid=float(reason in {None, INCORRECT}),
            score=count_score(predicted, gold, images),
            unchecked=count_score(predicted, gold, images, check_range=False),
        )

    def __add__(self, other: "CountingSums") -> "CountingSums":
        """Sum over the questions of both."""
        return CountingSums(
            self.n + other.n,
            self.exact + other.exact,
            self.valid + other.valid,
            self.score + other.score,
            self.unchecked + other.unchecked,
        )


def counting_scores(sums: CountingSums) -> dict[str, float | None]:
    """Compute exact accuracy and both means of the counting score.

    The official script leaves unparsed counts and counts outside 1..n out of its mean, which rewards
    refusing to answer; ``mean_score_over_all`` counts them as 0.

    Args:
        sums: Sums over questions.

    Returns:
        ``exact_accuracy``, ``mean_score_over_valid``, ``mean_score_over_all`` and ``valid_rate`` as
        fractions in [0, 1]; the mean over valid is 0.0 if none is, all are None without questions.

    Example:
        >>> counting_scores(CountingSums.of(2, 2, 2) + CountingSums.of(None, 1, 2))["mean_score_over_all"]
        0.5
    """
    if not sums.n:
        names = ("exact_accuracy", "mean_score_over_valid", "mean_score_over_all", "valid_rate")
        return dict.fromkeys(names)
    return {
        "exact_accuracy": sums.exact / sums.n,
        "mean_score_over_valid": sums.score / sums.valid if sums.valid else 0.0,
        "mean_score_over_all": sums.score / sums.n,
        "valid_rate": sums.valid / sums.n,
    }


def mean_count_score_unchecked(sums: CountingSums) -> float | None:
    """Compute VLMEvalKit's mean counting score: over all records, without a range check.

    Returns:
        Fraction in [0, 1]; None without records.
    """
    return sums.unchecked / sums.n if sums.n else None
