"""Intervals of a benchmark's scores, and comparisons of two models' answers to it."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from halluc.data.records import Prediction
from halluc.errors import BenchmarkError
from halluc.metrics.bootstrap import Difference, Interval, bootstrap_differences, bootstrap_intervals
from halluc.metrics.tally import Tally


@runtime_checkable
class Countable(Protocol):
    """Count answers cluster by cluster, so that scores can be resampled; every published benchmark does."""

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count the answers to any subset of the questions, matched by id."""
        ...

    def unasked(self, predictions: Sequence[Prediction]) -> frozenset[str]:
        """Return the ids of questions that need no answer, given these."""
        ...


def intervals(
    benchmark: object,
    predictions: Sequence[Prediction],
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, Interval]:
    """Compute the interval of every score, resampling images.

    Args:
        benchmark: One that is not ``Countable`` has no intervals.
        predictions: Any subset of its questions, as for ``score``.
        confidence: Probability that an interval shall cover the true score.
        resamples: Number of resamples; 0 computes none.
        seed: Seed of the draw.

    Returns:
        Keys as ``score`` returns them, counts left out.

    Raises:
        BenchmarkError: As ``score`` does.
    """
    if not isinstance(benchmark, Countable) or not resamples:
        return {}
    tally = benchmark.tally(predictions)
    return bootstrap_intervals(tally, confidence=confidence, resamples=resamples, seed=seed)


def differences(
    benchmark: Countable,
    before: Sequence[Prediction],
    after: Sequence[Prediction],
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, Difference]:
    """Compare two models' answers to the same questions, score by score, resampling images.

    A question that the answers of one made needless may lack an answer there.

    Raises:
        BenchmarkError: If the two did not answer the same questions, or as ``score`` does.
    """
    only = {prediction.id for prediction in before} ^ {prediction.id for prediction in after}
    only -= benchmark.unasked(before) | benchmark.unasked(after)
    if only:
        raise BenchmarkError(
            f"{len(only)} questions were answered by one of the two only, as {min(only)}. "
            f"Compare answers to the same questions."
        )
    return bootstrap_differences(
        benchmark.tally(before),
        benchmark.tally(after),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
