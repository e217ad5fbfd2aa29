"""Confidence intervals by resampling whole clusters, because questions about one image depend on it.

Shapes: ``C`` clusters, ``B`` resamples.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halluc.errors import ConfigError
from halluc.metrics.tally import Scores, Tally
from halluc.metrics.weighted import Weights

COUNT_NAMES = frozenset({"n", "pairs", "sequences", "skipped"})
"""Last parts of the names of scores that say how much was asked; they have no interval."""

_CELLS = 1_000_000  # weights drawn at once, 8 MB


@dataclass(frozen=True, slots=True)
class Interval:
    """Hold a confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Hold the difference of one score between two models on the same questions.

    Attributes:
        before: Score of the first.
        after: Score of the second.
        interval: Of ``after - before``; None where it can't be had.
    """

    before: float
    after: float
    interval: Interval | None

    @property
    def change(self) -> float:
        """Return ``after - before``."""
        return self.after - self.before


def resampled_weights(clusters: int, resamples: int, seed: int) -> Iterator[Weights]:
    """Draw ``C`` clusters with replacement, ``resamples`` times.

    Args:
        clusters: Number of clusters C, at least 1.
        resamples: Number of resamples B in all.
        seed: Seed of the draw; the same seed draws the same clusters.

    Yields:
        How often each cluster was drawn, in portions of shape ``[C, b]``; each column sums to C.
    """
    rng = np.random.default_rng(seed)
    portion = max(_CELLS // clusters, 1)
    for start in range(0, resamples, portion):
        b = min(portion, resamples - start)
        drawn = rng.integers(clusters, size=(clusters, b)) * b + np.arange(b)
        yield np.bincount(drawn.ravel(), minlength=clusters * b).reshape(clusters, b).astype(np.float64)


def bootstrap_intervals(
    tally: Tally, *, confidence: float = 0.95, resamples: int = 1000, seed: int = 0
) -> dict[str, Interval]:
    """Compute the percentile interval of every score.

    It is a little narrow where there are few clusters, and has no width where all answers are alike
    (all right, say): resampling can't show what was never seen.

    Args:
        tally: The scores' sufficient statistics by cluster.
        confidence: Probability that the interval shall cover the true score, in (0, 1).
        resamples: Number of resamples.
        seed: Seed of the draw.

    Returns:
        Score name to interval; without counts, without what is undefined in the data or in more than
        half of the resamples, and empty if there are fewer than 2 clusters.

    Raises:
        ConfigError: If ``confidence`` or ``resamples`` can't be.

    Reference:
        Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13.
    """
    _check(confidence, resamples)
    if tally.clusters < 2:
        return {}
    names = [name for name, value in tally.score().items() if value is not None and not is_count(name)]
    drawn = _replicates(tally.scores, tally.clusters, resamples, seed, names)
    found = {name: _percentiles(values, confidence) for name, values in drawn.items()}
    return {name: interval for name, interval in found.items() if interval is not None}


def bootstrap_differences(
    before: Tally, after: Tally, *, confidence: float = 0.95, resamples: int = 1000, seed: int = 0
) -> dict[str, Difference]:
    """Compare two models on the same questions: both are resampled alike, so shared noise cancels.

    Args:
        before: Statistics of the first model.
        after: Statistics of the second, about the same questions in the same clusters.
        confidence: Probability that the interval shall cover the true difference, in (0, 1).
        resamples: Number of resamples; 0 computes no intervals.
        seed: Seed of the draw.

    Returns:
        Score name to difference, for every score but counts that both have.

    Raises:
        ConfigError: If ``confidence`` or ``resamples`` can't be, or the numbers of clusters differ.
    """
    if resamples:
        _check(confidence, resamples)
    if before.clusters != after.clusters:
        raise ConfigError(
            f"The two have {before.clusters} and {after.clusters} clusters. Compare answers to the same "
            "questions."
        )
    first, second = before.score(), after.score()
    known = {
        name: (first[name], value) for name, value in second.items() if name in first and not is_count(name)
    }
    intervals: Mapping[str, Interval | None] = {}
    if resamples and before.clusters > 1:

        def change(weights: Weights) -> list[Scores]:
            both = zip(before.scores(weights), after.scores(weights), strict=True)
            return [{name: _minus(new.get(name), old.get(name)) for name in known} for old, new in both]

        drawn = _replicates(change, before.clusters, resamples, seed, known)
        intervals = {name: _percentiles(values, confidence) for name, values in drawn.items()}
    return {
        name: Difference(old, new, intervals.get(name))
        for name, (old, new) in known.items()
        if old is not None and new is not None
    }


def is_count(name: str) -> bool:
    """Tell a score that only says how much was asked, as ``random/n``."""
    return name.rpartition("/")[2] in COUNT_NAMES


def _replicates(
    scores: Callable[[Weights], list[Scores]],
    clusters: int,
    resamples: int,
    seed: int,
    names: Iterable[str],
) -> dict[str, NDArray[np.float64]]:
    """Return name to the B values of a score, not a number where it is undefined."""
    rows = [row for weights in resampled_weights(clusters, resamples, seed) for row in scores(weights)]
    return {
        name: np.array([np.nan if (value := row.get(name)) is None else value for row in rows])
        for name in names
    }


def _percentiles(values: NDArray[np.float64], confidence: float) -> Interval | None:
    defined = values[~np.isnan(values)]
    if len(defined) * 2 < len(values):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail]).tolist()
    return Interval(low, high)


def _minus(new: float | None, old: float | None) -> float | None:
    return None if new is None or old is None else new - old


def _check(confidence: float, resamples: int) -> None:
    if not 0 < confidence < 1:
        raise ConfigError(f"confidence={confidence} must lie between 0 and 1, as 0.95.")
    if resamples < 1:
        raise ConfigError(f"resamples={resamples} must be at least 1; 1000 is usual.")
