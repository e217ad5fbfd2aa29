"""The hooks of a token tree that serve most families: causal text, positions by depth."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel, ProcessorMixin

from halluc.models.families.base import Family
from halluc.models.families.trees.tokens import TreeTokens

MASKED_IMPLEMENTATIONS = ("sdpa", "eager")
"""Attention implementations that take any mask."""


class TreeHooks:
    """Say what a family's forward takes for token trees.

    Args:
        family: The family's hooks for rows; what it computes for rows, it also computes for heads.

    Attributes:
        mixes_pictures: Whether one forward can hold trees about different pictures.
        layer_types: Kinds of decoder layers whose mask this family's tree can express.
        continues_from_cache: Whether text can follow from the keys and values of a common prefix alone,
            with padding in between.
    """

    mixes_pictures: ClassVar[bool] = True
    layer_types: ClassVar[frozenset[str]] = frozenset({"full_attention"})
    continues_from_cache: ClassVar[bool] = True

    def __init__(self, family: Family) -> None:
        self.family = family

    def obstacle(self, config: PreTrainedConfig) -> str | None:
        """Say what of this checkpoint's decoder stands against trees; None if nothing does."""
        if _attention(config) not in MASKED_IMPLEMENTATIONS:
            return f"attn_implementation={_attention(config)} takes no mask (sdpa and eager do)"
        return self._foreign_layers(config)

    def cache_obstacle(self, config: PreTrainedConfig) -> str | None:
        """Say what stands against continuing from a prefix's keys and values; None if nothing does."""
        if not self.continues_from_cache:
            return "text can't continue from keys and values alone"
        return self._foreign_layers(config)

    def _foreign_layers(self, config: PreTrainedConfig) -> str | None:
        text = config.get_text_config()
        foreign = sorted(set(getattr(text, "layer_types", None) or ()) - self.layer_types)
        return f"its decoder has layers of type {', '.join(foreign)}" if foreign else None

    def picture_token_id(self, processor: ProcessorMixin) -> int:
        """Return the id of the token that a picture's features replace."""
        token_id: int = processor.image_token_id
        return token_id

    def arguments(
        self, model: PreTrainedModel, tokens: TreeTokens, vision: Sequence[Mapping[str, Tensor]]
    ) -> dict[str, Any]:
        """Assemble the arguments of the model's forward for one forest, features aside.

        Args:
            model: The Hugging Face model.
            tokens: The forest.
            vision: Picture tensors, pixels aside, of each head that has pictures, in their order.
        """
        return {
            "input_ids": tokens.input_ids[None],
            "position_ids": self.position_ids(model, tokens, vision),
            "attention_mask": self.attention_mask(model, tokens),
        }

    def position_ids(
        self, model: PreTrainedModel, tokens: TreeTokens, vision: Sequence[Mapping[str, Tensor]]
    ) -> Tensor:
        """Return the position of each slot in its own sequence, shape ``[1, N]``."""
        del model, vision
        return tokens.depths[None]

    def text_positions(self, positions: Tensor) -> Tensor:
        """Write positions of text, shape ``[R, L]``, the way that the forward takes them."""
        return positions

    def attention_mask(self, model: PreTrainedModel, tokens: TreeTokens) -> Any:  # noqa: ANN401 - may be a dict
        """Return the mask of the decoder's layers, shape ``[1, 1, N, N]``."""
        return as_mask(model, tokens.allowed)


def as_mask(model: PreTrainedModel, allowed: Tensor) -> Tensor:
    """Write who may attend to whom the way that the model's attention reads it.

    Args:
        model: Its SDPA attention reads booleans; eager attention adds the mask to its scores.
        allowed: Shape ``[N, N]``, bool.

    Returns:
        Shape ``[1, 1, N, N]``.
    """
    if _attention(model.config) == "sdpa":
        return allowed[None, None]
    scores = torch.zeros(allowed.shape, dtype=model.dtype, device=allowed.device)
    return scores.masked_fill(~allowed, torch.finfo(model.dtype).min)[None, None]


def _attention(config: PreTrainedConfig) -> str:
    name: str = config.get_text_config()._attn_implementation
    return name
