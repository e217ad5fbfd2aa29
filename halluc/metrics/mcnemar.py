"""McNemar's exact test of two models on the same questions."""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import binomtest

from halluc.metrics.alignment import check_aligned


@dataclass(frozen=True, slots=True)
class McNemar:
    """Hold what the test looks at, and its result.

    Attributes:
        only_first: Questions that only the first model answered right.
        only_second: Questions that only the second did.
        p_value: Two-sided; how often chance alone makes the two counts so unequal.
    """

    only_first: int
    only_second: int
    p_value: float


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Test whether two models are right equally often.

    It takes every question for independent. Questions about one image are not, so the p-value is too
    small wherever images have several questions; the clustered interval is the one to trust.

    Args:
        first: Whether the first model was right, length N.
        second: Whether the second was, on the same questions.

    Returns:
        The test; p is 1.0 if no question tells the two apart.

    Raises:
        LengthMismatchError: If the lengths differ.

    Reference:
        McNemar, Note on the sampling error of the difference between correlated proportions or
        percentages, Psychometrika 12, 1947; exact binomial form.

    Example:
        >>> mcnemar([True, True, False, False], [True, False, False, True]).p_value
        1.0
    """
    check_aligned(first, second)
    pairs = list(zip(first, second, strict=True))
    gone, won = pairs.count((True, False)), pairs.count((False, True))
    p_value = float(binomtest(gone, gone + won).pvalue) if gone + won else 1.0
    return McNemar(gone, won, p_value)
