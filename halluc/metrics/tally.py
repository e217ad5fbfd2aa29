"""The sufficient statistics of a benchmark's scores, cluster by cluster."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from halluc.metrics.weighted import Weighted, Weights

Scores = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Tally:
    """Hold what scores are made of, so that they can be computed under any weighting of clusters.

    The score of the data is that of equal weights, so that a bootstrap replicate and the score itself
    come from the same formulas.

    Attributes:
        clusters: Number of clusters C: sets of questions that share images.
        groups: Name to what is totalled, as ``random`` to the counts of that subset.
        formula: Takes the totals by the same names, and returns named scores; None where one is
            undefined.
    """

    clusters: int
    groups: Mapping[Any, Weighted[Any]]
    formula: Callable[[Mapping[Any, Any]], Scores]

    def score(self) -> Scores:
        """Compute the scores of the data."""
        return self.scores(np.ones((self.clusters, 1)))[0]

    def scores(self, weights: Weights) -> list[Scores]:
        """Compute the scores for each of B weightings, weights of shape ``[C, B]``."""
        totals = {name: group.totals(weights) for name, group in self.groups.items()}
        return [
            self.formula({name: total[b] for name, total in totals.items()}) for b in range(weights.shape[1])
        ]
