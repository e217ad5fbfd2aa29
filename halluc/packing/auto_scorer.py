"""Share as much as is proven right for the model at hand."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from halluc.errors import ModelSupportError
from halluc.models.lvlm import Lvlm
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.plain import PlainScorer
from halluc.packing.prefix_rows import PrefixBatch
from halluc.packing.prefix_scorer import PrefixScorer
from halluc.packing.self_check import check_sharing
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
    """Choose the way that shares most among those that the model allows.

    Token trees come first. Where the attention implementation takes no mask (flash attention), common
    prefixes are continued from their keys and values. A family that can't share prefixes gets padded rows
    with shared features from the start. For the others, the first batch in which sequences share a prefix
    and part is scored on padded rows too, with a negative control. If they disagree, or if the control
    shows nothing, padded rows are used from then on, which is logged as a warning.

    Args:
        lvlm: The model.
        tokens_per_tree: See ``TreeScorer``.
        tokens_per_forward: See ``TreeScorer``.
        rows_per_forward: See ``PlainScorer`` and ``PrefixScorer``.
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
        ways: dict[str, Callable[[], SequenceScorer[Any]]] = {
            "token trees": lambda: TreeScorer(lvlm, tokens_per_tree, tokens_per_forward, feature_cache),
            "keys and values of shared prefixes": lambda: PrefixScorer(lvlm, rows_per_forward, feature_cache),
            "padded rows, with shared features": lambda: SharedFeatureScorer(
                lvlm, rows_per_forward, feature_cache
            ),
            "padded rows": lambda: self._plain,
        }
        self._scorer = _first(ways)
        self._checked = False
        self.uses_trees: bool | None = None if isinstance(self._scorer, TreeScorer) else False

    def collate(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> AutoBatch:
        """Turn sequences into a batch on the CPU; see ``TreeScorer.collate``."""
        return AutoBatch(self._scorer.collate(sequences, max_pixels), tuple(sequences), max_pixels)

    def __call__(self, batch: AutoBatch) -> AnswerLogps:
        """Score a batch on the device that it is on; decide first if nothing is decided yet."""
        if isinstance(batch.batch, TreeBatch | PrefixBatch):
            if not self._checked and batch.batch.branches:
                self._check(batch)
            if self._scorer is self._plain:
                return self._plain(self._rows(batch))
        return self._scorer(batch.batch)

    def _check(self, batch: AutoBatch) -> None:
        assert isinstance(self._scorer, TreeScorer | PrefixScorer)
        found = check_sharing(self._scorer, self._plain, batch.batch, self._rows(batch))
        self._checked = True
        if isinstance(self._scorer, TreeScorer):
            self.uses_trees = found.passed
        if found.passed:
            logger.info("%s agree with padded rows: %s", self._way, found)
            return
        logger.warning(
            "packing=auto uses padded rows, which is slower: %s don't agree with them on the first batch "
            "(%s). Set packing=plain to silence this, and please report the model.",
            self._way,
            found,
        )
        self._scorer = self._plain

    @property
    def _way(self) -> str:
        return "token trees" if isinstance(self._scorer, TreeScorer) else "shared prefixes"

    def _rows(self, batch: AutoBatch) -> Any:  # noqa: ANN401 - a PlainBatch
        """Make padded rows of a batch that was made for another way."""
        device = batch.batch.sequence_index.device
        return self._plain.collate(batch.sequences, batch.max_pixels).to(device)


def _first(ways: Mapping[str, Callable[[], SequenceScorer[Any]]]) -> SequenceScorer[Any]:
    """Build the first way that the model allows; say so if it is not the very first."""
    refused: list[str] = []
    for name, build in ways.items():
        try:
            scorer = build()
        except ModelSupportError as error:
            refused.append(str(error))
            continue
        if refused:
            logger.warning("packing=auto uses %s, which is slower than token trees: %s", name, refused[0])
        return scorer
    raise AssertionError(refused)  # padded rows refuse no model
