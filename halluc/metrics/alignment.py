"""The one check that all metrics share: what is compared must be aligned."""

from collections.abc import Sized

from halluc.errors import LengthMismatchError


def check_aligned(predictions: Sized, labels: Sized) -> None:
    """Refuse two sequences of different length.

    Raises:
        LengthMismatchError: If the lengths differ; the message names both.
    """
    if len(predictions) != len(labels):
        raise LengthMismatchError(
            f"{len(predictions)} predictions but {len(labels)} labels. Pass one prediction a label, "
            f"None where an answer is unparsed."
        )


def ratio(part: float, whole: float) -> float:
    """Divide, with 0.0 for a zero denominator (a prediction-side class that never occurs)."""
    return part / whole if whole else 0.0
