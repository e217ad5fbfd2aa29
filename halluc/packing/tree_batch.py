"""The tensors of scoring on token trees.

Shape letters: ``N`` slots, ``H`` heads, ``P`` tokens of the longest head, ``I`` slots that hold a picture
token, ``K`` kept slots, ``T`` answer tokens.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from halluc.models.families.trees.tokens import TreeTokens
from halluc.packing.picture_sets import PictureSets
from halluc.packing.tree import allowed_attention


@dataclass(frozen=True, slots=True)
class Forest:
    """Hold the trees of one forward, side by side, and which of their tokens are scored.

    Attributes:
        input_ids: Token of each slot, shape ``[N]``, int64.
        depths: Place of each slot in its own sequences, shape ``[N]``, int64.
        subtree_end: One past the last slot below each slot, shape ``[N]``, int64.
        head_ids: See ``TreeTokens``, as for the next three; shape ``[H, P]``, int64.
        head_lengths: Shape ``[H]``, int64.
        head_of: Shape ``[N]``, int64.
        feature_rows: Shape ``[I]``, int64.
        pictures: Index into the batch's picture sets, in the order that features are joined in.
        head_pictures: The same for each head that has pictures, in the order of the heads.
        keep: Slots whose logits are needed, ascending, shape ``[K]``, int64.
        target_slots: Index into ``keep`` of the slot that predicts each scored token, shape ``[T]``, int64.
        target_ids: Its token id, shape ``[T]``, int64.
        order: Where its log-probability belongs among all of the batch, shape ``[T]``, int64.
        branches: Whether any two sequences part.
    """

    input_ids: Tensor
    depths: Tensor
    subtree_end: Tensor
    head_ids: Tensor
    head_lengths: Tensor
    head_of: Tensor
    feature_rows: Tensor
    pictures: tuple[int, ...]
    head_pictures: tuple[int, ...]
    keep: Tensor
    target_slots: Tensor
    target_ids: Tensor
    order: Tensor
    branches: bool

    def tokens(self) -> TreeTokens:
        """Return what the hooks of a family see."""
        return TreeTokens(
            input_ids=self.input_ids,
            depths=self.depths,
            allowed=allowed_attention(self.subtree_end),
            head_ids=self.head_ids,
            head_lengths=self.head_lengths,
            head_of=self.head_of,
            feature_rows=self.feature_rows,
        )

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "Forest":
        """Return a copy on another device."""
        moved: dict[str, Any] = {
            entry.name: value.to(device, non_blocking=non_blocking)
            for entry in fields(self)
            if isinstance(value := getattr(self, entry.name), Tensor)
        }
        return replace(self, **moved)


@dataclass(frozen=True, slots=True)
class TreeBatch:
    """Hold everything that scoring on trees needs, on one device.

    Attributes:
        forests: One forward each.
        pictures: The distinct sets of pictures; forests refer to them by index.
        sequence_index: The sequence that each scored token belongs to, ascending, shape ``[T]``.
        count: Number of sequences.
    """

    forests: tuple[Forest, ...]
    pictures: PictureSets
    sequence_index: Tensor
    count: int

    @property
    def branches(self) -> bool:
        """Whether any two sequences share a prefix and part."""
        return any(forest.branches for forest in self.forests)

    def spoiled(self) -> "TreeBatch":
        """Return a batch that is wrong on purpose: every branch sees the ones before it."""
        leaking = (
            replace(forest, subtree_end=torch.full_like(forest.subtree_end, len(forest.subtree_end)))
            for forest in self.forests
        )
        return replace(self, forests=tuple(leaking))

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "TreeBatch":
        """Return a copy on another device, as Lightning asks for."""
        return TreeBatch(
            tuple(forest.to(device, non_blocking) for forest in self.forests),
            self.pictures.to(device, non_blocking),
            self.sequence_index.to(device, non_blocking=non_blocking),
            self.count,
        )
