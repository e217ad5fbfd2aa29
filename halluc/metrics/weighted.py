"""Sums that can be taken again under any weighting of clusters, which is what a bootstrap needs.

Shapes: ``C`` clusters (usually images), ``B`` weightings, ``U`` units (questions, pairs, sequences),
``F`` fields of a dataclass of numbers.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from halluc.metrics.alignment import check_aligned

Weights = NDArray[np.float64]
"""Shape ``[C, B]``: how often each cluster occurs in each of B weightings; all ones is the data itself."""

SumsT = TypeVar("SumsT")
TotalT_co = TypeVar("TotalT_co", covariant=True)


class Weighted(Protocol[TotalT_co]):
    """Give one total for each weighting of the clusters."""

    def totals(self, weights: Weights) -> Sequence[TotalT_co]:
        """Return B totals for weights of shape ``[C, B]``."""
        ...


class Sums(Generic[SumsT]):
    """Sum dataclasses of numbers, field by field, over units that lie in clusters.

    Args:
        clusters: Number of the cluster of each unit, from 0, length U.
        units: The summands, length U; objects that occur often are best given as the same object.
        count: Number of clusters C; some may hold no unit.
        kind: Class of the summands; its fields are all int, or all float.

    Raises:
        LengthMismatchError: If the lengths differ.

    Example:
        >>> from halluc.metrics.yes_no import YesNoCounts
        >>> right, wrong = YesNoCounts(1, 0, 0, 0, 0, 0), YesNoCounts(0, 1, 0, 0, 0, 0)
        >>> sums = Sums([0, 0, 1], [right, right, wrong], 2, YesNoCounts)
        >>> [total.predicted_yes for total in sums.totals(np.array([[1.0, 0.0], [1.0, 2.0]]))]
        [3, 2]
    """

    def __init__(
        self, clusters: Sequence[int], units: Sequence[SumsT], count: int, kind: type[SumsT]
    ) -> None:
        check_aligned(clusters, units)
        distinct = {id(unit): unit for unit in units}
        places = {key: place for place, key in enumerate(distinct)}
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass, by contract
        values = np.array([[getattr(unit, name) for name in names] for unit in distinct.values()])
        columns = [places[id(unit)] for unit in units]
        occurrences = csr_array((np.ones(len(units)), (clusters, columns)), shape=(count, len(distinct)))
        self._per_cluster = csr_array(occurrences @ values.reshape(len(distinct), len(names)))
        self._kind = kind
        self._integral = np.issubdtype(values.dtype, np.integer) or not len(units)

    def totals(self, weights: Weights) -> list[SumsT]:
        """Return the weighted sums, one instance of the class for each of B weightings."""
        summed: NDArray[Any] = np.asarray(self._per_cluster.T @ weights).T
        if self._integral:
            summed = np.rint(summed).astype(np.int64)
        return [self._kind(*row) for row in summed.tolist()]
