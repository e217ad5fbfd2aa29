"""Accuracy of questions with one right answer among several."""

from collections.abc import Sequence

from halluc.metrics.alignment import check_aligned


def choice_scores(predictions: Sequence[str | None], labels: Sequence[str]) -> dict[str, float | None]:
    """Compute accuracy, the share of unparsed answers, and n.

    Args:
        predictions: Parsed answers, length N; None means unparsed, which is wrong.
        labels: Ground truth, length N, aligned with ``predictions``.

    Returns:
        ``accuracy`` and ``unparsed_rate`` as fractions in [0, 1], None if N is 0; ``n`` = N.

    Raises:
        LengthMismatchError: If the two lengths differ.

    Example:
        >>> choice_scores(["A", None, "C", "B"], ["A", "B", "D", "B"])
        {'accuracy': 0.5, 'unparsed_rate': 0.25, 'n': 4.0}
    """
    check_aligned(predictions, labels)
    n = len(labels)
    right = sum(predicted == label for predicted, label in zip(predictions, labels, strict=True))
    return {
        "accuracy": right / n if n else None,
        "unparsed_rate": predictions.count(None) / n if n else None,
        "n": float(n),
    }
