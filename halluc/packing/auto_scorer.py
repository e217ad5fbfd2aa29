"""Score on token trees where that is proven right for the model at hand, and on padded rows elsewhere."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from halluc.errors import ModelSupportError
from halluc.models.families.pictures import PICTURES
from halluc.models.lvlm import Lvlm
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.plain import PlainScorer
from halluc.packing.self_check import check_trees
from halluc.packing.sequence import AnswerLogps, ScoredSequence, SequenceScorer
from halluc.packing.shared_features import SharedFeatureScorer
from halluc.packing.tree_batch import TreeBatch
from halluc.packing.tree_scorer import TreeScorer

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AutoBatch:
    """Hold a batch, and what it was made of, so that it can be made anew for another scorer."""

    batch: Any
    sequences: tuple[ScoredSequence, ...]
    max_pixels: int | None

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "AutoBatch":
        """Return a copy on another device, as Lightning asks for."""
        return AutoBatch(self.batch.to(device, non_blocking), self.sequences, self.max_pixels)


class AutoScorer:
    """Choose between token trees and padded rows.

    A family that can't share prefixes gets padded rows from the start. For the others, the first batch
    in which sequences share a prefix and part is scored both ways, with a negative control. If they
    disagree, or if the control shows nothing, padded rows are used from then on, which is logged as a
    warning and shown by ``uses_trees``.

    Args:
        lvlm: The model.
        tokens_per_tree: See ``TreeScorer``.
        tokens_per_forward: See ``TreeScorer``.
        rows_per_forward: See ``PlainScorer``.
        feature_cache: See ``TreeScorer``.

    Attributes:
        uses_trees: Whether batches are scored on token trees; None until the first batch decided.
    """

    def __init__(
        self,
        lvlm: Lvlm,
        tokens_per_tree: int | None = None,
        tokens_per_forward: int | None = 512,
        rows_per_forward: int | None = None,
        feature_cache: FeatureCache | None = None,
    ) -> None:
        self._plain = PlainScorer(lvlm, rows_per_forward)
        self._scorer: SequenceScorer[Any]
        self.uses_trees: bool | None
        try:
            self._scorer = TreeScorer(lvlm, tokens_per_tree, tokens_per_forward, feature_cache)
            self.uses_trees = None
        except ModelSupportError as error:
            self._scorer, self.uses_trees = self._plain, False
            if lvlm.hf_model.config.model_type in PICTURES:
                self._scorer = SharedFeatureScorer(lvlm, rows_per_forward, feature_cache)
            logger.warning("packing=auto uses padded rows, which is slower: %s", error)

    def collate(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> AutoBatch:
        """Turn sequences into a batch on the CPU; see ``TreeScorer.collate``."""
        return AutoBatch(self._scorer.collate(sequences, max_pixels), tuple(sequences), max_pixels)

    def __call__(self, batch: AutoBatch) -> AnswerLogps:
        """Score a batch on the device that it is on; decide first if nothing is decided yet."""
        if isinstance(batch.batch, TreeBatch):
            if self.uses_trees is None and batch.batch.branches:
                self._decide(batch)
            if self.uses_trees is False:
                return self._plain(self._rows(batch))
        return self._scorer(batch.batch)

    def _decide(self, batch: AutoBatch) -> None:
        assert isinstance(self._scorer, TreeScorer)
        found = check_trees(self._scorer, self._plain, batch.batch, self._rows(batch))
        self.uses_trees = found.passed
        if found.passed:
            logger.info("token trees agree with padded rows: %s", found)
            return
        self._scorer = self._plain
        logger.warning(
            "packing=auto uses padded rows, which is slower: token trees don't agree with them on the "
            "first batch (%s). Set packing=plain to silence this, and please report the model.",
            found,
        )

    def _rows(self, batch: AutoBatch) -> Any:  # noqa: ANN401 - a PlainBatch
        """Make padded rows of a batch that was made for trees."""
        device = batch.batch.sequence_index.device
        return self._plain.collate(batch.sequences, batch.max_pixels).to(device)
