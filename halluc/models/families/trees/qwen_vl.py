"""Token trees of Qwen2-VL, Qwen2.5-VL and Qwen3-VL: positions have three axes."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from transformers import PreTrainedModel

from halluc.models.families.trees.base import TreeHooks
from halluc.models.families.trees.tokens import TreeTokens


class QwenVLTree(TreeHooks):
    """Take the positions of heads from the model; text behind a head counts on from its largest."""

    def position_ids(
        self, model: PreTrainedModel, tokens: TreeTokens, vision: Sequence[Mapping[str, Tensor]]
    ) -> Tensor:
        """Return temporal, height and width positions, shape ``[3, 1, N]``."""
        mask = tokens.head_mask
        joined = self.family.vision_arguments(vision)
        heads = self.family.position_ids(model, tokens.head_ids, mask, joined)  # [3, H, P]
        largest = heads.masked_fill(mask == 0, -1).amax((0, 2))[tokens.head_of]
        inside = heads[:, tokens.head_of, tokens.head_columns]
        beyond = tokens.beyond_head
        return torch.where(beyond < 0, inside, largest + 1 + beyond)[:, None]

    def text_positions(self, positions: Tensor) -> Tensor:
        """Repeat positions of text for the three axes, shape ``[3, R, L]``."""
        return positions.expand(3, *positions.shape)
