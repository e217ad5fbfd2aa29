"""AUROC and the best threshold of yes/no margins under any weighting of clusters.

Shapes: ``C`` clusters, ``B`` weightings, ``N`` answers, ``G`` distinct margins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halluc.metrics.alignment import check_aligned
from halluc.metrics.weighted import Weights


@dataclass(frozen=True, slots=True)
class MarginScores:
    """Hold what the margins tell; see ``auroc`` and ``best_threshold`` in ``yes_margin``.

    Attributes:
        auroc: Fraction in [0, 1]; None if one of the two classes does not occur.
        best_threshold_accuracy: Highest accuracy of any threshold on these very answers; None likewise.
    """

    auroc: float | None
    best_threshold_accuracy: float | None


class Margins:
    """Compute ``MarginScores`` of weighted answers, all weightings at once.

    Args:
        clusters: Number of the cluster of each answer, length N.
        margins: Belief in "yes" over "no", length N, infinities allowed.
        labels: Ground truth, length N.

    Raises:
        LengthMismatchError: If the lengths differ.
    """

    def __init__(self, clusters: Sequence[int], margins: Sequence[float], labels: Sequence[bool]) -> None:
        check_aligned(margins, labels)
        check_aligned(clusters, labels)
        values = np.asarray(margins, dtype=np.float64)
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        self._clusters = np.asarray(clusters, dtype=np.int64)[order]
        self._gold_yes = np.asarray(labels, dtype=np.float64)[order][:, None]
        self._starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else None

    def totals(self, weights: Weights) -> list[MarginScores]:
        """Return the scores for each of B weightings, weights of shape ``[C, B]``."""
        if self._starts is None:
            return [MarginScores(None, None)] * weights.shape[1]
        weighted = weights[self._clusters]
        yes = np.add.reduceat(weighted * self._gold_yes, self._starts, axis=0)
        no = np.add.reduceat(weighted * (1 - self._gold_yes), self._starts, axis=0)
        yes_total, no_total = yes.sum(axis=0), no.sum(axis=0)
        no_below = np.cumsum(no, axis=0) - no
        wins = (yes * (no_below + no / 2)).sum(axis=0)
        gains = np.maximum(np.cumsum(no - yes, axis=0).max(axis=0), 0)
        return _scores(wins, yes_total, no_total, right=yes_total + gains)


def _scores(
    wins: NDArray[np.float64],
    yes_total: NDArray[np.float64],
    no_total: NDArray[np.float64],
    right: NDArray[np.float64],
) -> list[MarginScores]:
    columns = zip(wins.tolist(), yes_total.tolist(), no_total.tolist(), right.tolist(), strict=True)
    return [
        MarginScores(won / (yes * no), best / (yes + no)) if yes and no else MarginScores(None, None)
        for won, yes, no, best in columns
    ]
