"""Compare token trees with padded rows on a real batch, and show that the comparison can fail."""

from dataclasses import dataclass, replace

import torch

from halluc.packing.plain import PlainBatch, PlainScorer
from halluc.packing.tree_batch import TreeBatch
from halluc.packing.tree_scorer import TreeScorer

TOLERANCES = {torch.float32: 1e-3, torch.float16: 0.05, torch.bfloat16: 0.3}
"""Largest difference of a token's log-probability, in nats, that rounding explains."""

CONTROL_FACTOR = 3.0
"""How many times that difference leaking branches must make, so that its smallness says something."""


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """Hold what the comparison found, in nats.

    Attributes:
        difference: Largest difference between trees and padded rows.
        control: Largest difference when every branch sees the ones before it (negative control).
        tolerance: What rounding explains in the model's number format.
    """

    difference: float
    control: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether trees agree with rows, and leaking branches would have been noticed."""
        return self.difference <= self.tolerance and self.control > CONTROL_FACTOR * self.difference

    def __str__(self) -> str:
        """Say the numbers."""
        return (
            f"largest difference {self.difference:.2g} nats, tolerance {self.tolerance:.2g}, with leaking "
            f"branches {self.control:.2g}"
        )


@torch.no_grad()
def check_trees(tree: TreeScorer, plain: PlainScorer, trees: TreeBatch, rows: PlainBatch) -> SelfCheck:
    """Score a batch on trees, on padded rows, and on trees whose branches leak.

    Args:
        tree: Scores ``trees``.
        plain: Scores ``rows``, with the same model.
        trees: A batch with branches, on the model's device.
        rows: The same sequences.
    """
    leaking = replace(
        trees,
        forests=tuple(
            replace(forest, subtree_end=torch.full_like(forest.subtree_end, len(forest.subtree_end)))
            for forest in trees.forests
        ),
    )
    with tree.lvlm.evaluating():
        expected = plain(rows).token_logps
        difference, control = (
            float((tree(batch).token_logps - expected).abs().max()) for batch in (trees, leaking)
        )
    return SelfCheck(difference, control, TOLERANCES.get(tree.lvlm.dtype, min(TOLERANCES.values())))
