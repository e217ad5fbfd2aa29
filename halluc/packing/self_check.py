"""Compare shared prefixes with padded rows on a real batch, and show that the comparison can fail."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from halluc.packing.plain import PlainBatch, PlainScorer
from halluc.packing.prefix_rows import PrefixBatch
from halluc.packing.prefix_scorer import PrefixScorer
from halluc.packing.sequence import AnswerLogps
from halluc.packing.tree_batch import TreeBatch
from halluc.packing.tree_scorer import TreeScorer

TOLERANCES = {torch.float32: 1e-3, torch.float16: 0.05, torch.bfloat16: 0.3}
"""Largest difference of a token's log-probability, in nats, that rounding explains."""

CONTROL_FACTOR = 3.0
"""How many times that difference the mistake must make, so that its smallness says something."""


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """Hold what the comparison found, in nats.

    Attributes:
        difference: Largest difference between shared prefixes and padded rows.
        control: Largest difference under a mistake made on purpose (negative control).
        tolerance: What rounding explains in the model's number format.
        mistake: What that mistake is.
    """

    difference: float
    control: float
    tolerance: float
    mistake: str = "leaking branches"

    @property
    def passed(self) -> bool:
        """Whether both agree, and the mistake would have been noticed."""
        return self.difference <= self.tolerance and self.control > CONTROL_FACTOR * self.difference

    def __str__(self) -> str:
        """Say the numbers."""
        return (
            f"largest difference {self.difference:.2g} nats, tolerance {self.tolerance:.2g}, with "
            f"{self.mistake} {self.control:.2g}"
        )


@torch.no_grad()
def check_sharing(
    sharing: TreeScorer | PrefixScorer, plain: PlainScorer, batch: TreeBatch | PrefixBatch, rows: PlainBatch
) -> SelfCheck:
    """Score a batch with prefixes shared, on padded rows, and shared wrongly.

    Args:
        sharing: Scores ``batch``.
        plain: Scores ``rows``, with the same model.
        batch: A batch with branches, on the model's device.
        rows: The same sequences.
    """
    score: Callable[[Any], AnswerLogps] = sharing
    with sharing.lvlm.evaluating():
        expected = plain(rows).token_logps
        difference, control = (
            float((score(each).token_logps - expected).abs().max()) for each in (batch, batch.spoiled())
        )
    tolerance = TOLERANCES.get(sharing.lvlm.dtype, min(TOLERANCES.values()))
    mistake = "leaking branches" if isinstance(batch, TreeBatch) else "hidden prefixes"
    return SelfCheck(difference, control, tolerance, mistake)
