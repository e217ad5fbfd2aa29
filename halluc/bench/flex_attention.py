"""Attend in token trees with flex attention, which skips blocks of pairs that no branch has.

An attention variant to be measured on a GPU beside the dense mask that is used everywhere else. On a CPU
PyTorch runs it without a fused kernel: right, and slow. Shape letters: ``N`` slots, ``H`` heads, ``D``
width of a head.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention
from transformers import AttentionInterface, PreTrainedModel

from halluc.errors import ModelSupportError
from halluc.models.families.trees.base import TreeHooks
from halluc.models.families.trees.tokens import TreeTokens
from halluc.models.lvlm import Lvlm
from halluc.packing.tree_scorer import TreeScorer

NAME = "halluc_tree_flex"
"""Under this name transformers finds the function below."""

PLAIN_MASKS = frozenset({"full_attention"})


def tree_block_mask(subtree_end: Tensor) -> BlockMask:
    """Say which blocks of pairs hold one that is allowed, and which pairs of them are.

    Args:
        subtree_end: One past the last slot below each slot, shape ``[N]``, int64.

    Returns:
        The mask ``j <= i < subtree_end[j]`` for all heads.
    """

    def allowed(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        del batch, head
        return (key <= query) & (query < subtree_end[key])

    slots = len(subtree_end)
    return create_block_mask(allowed, None, None, slots, slots, device=str(subtree_end.device))


def subtree_ends(allowed: Tensor) -> Tensor:
    """Read the ends of subtrees off a tree's mask: a slot is seen by itself and all slots below it.

    Args:
        allowed: Shape ``[N, N]``, bool, a row for each query.
    """
    return torch.arange(len(allowed), device=allowed.device) + allowed.sum(0)


def tree_flex_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: BlockMask,
    *,
    scaling: float | None = None,
    **_: object,  # transformers passes every attention function more than it needs
) -> tuple[Tensor, None]:
    """Attend; in the form that transformers asks of an attention function.

    Args:
        module: The layer.
        query: Shape ``[1, H, N, D]``.
        key: Possibly of fewer heads, each of which serves several of the query.
        value: The same.
        attention_mask: Made by ``tree_block_mask``.
        scaling: Of the scores; None takes ``D ** -0.5``.

    Returns:
        Shape ``[1, N, H, D]``, and no weights.
    """
    del module
    output: Tensor = _attend(query.device.type)(
        query,
        key,
        value,
        block_mask=attention_mask,
        scale=scaling,
        enable_gqa=query.shape[1] != key.shape[1],
    )
    return output.transpose(1, 2).contiguous(), None


@cache
def _attend(device_type: str) -> Callable[..., Any]:
    plain = cast("Callable[..., Any]", flex_attention)
    return torch.compile(plain) if device_type == "cuda" else plain


class FlexTreeScorer(TreeScorer):
    """Score on token trees with flex attention in the decoder.

    Args:
        lvlm: The model, of a family whose decoder has one plain kind of attention.

    Raises:
        ModelSupportError: If its decoder needs other masks than the tree's.
    """

    def __init__(self, lvlm: Lvlm) -> None:
        super().__init__(lvlm, tokens_per_forward=None)
        if self.hooks.layer_types != PLAIN_MASKS:
            raise ModelSupportError(
                f"{lvlm.path} has layers of types {', '.join(sorted(self.hooks.layer_types))}; flex "
                "attention is measured for plain decoders only. Use the dense mask (TreeScorer)."
            )
        self.hooks = _FlexHooks(self.hooks)


class _FlexHooks(TreeHooks):
    """Replace the dense mask of a family by blocks."""

    def __init__(self, inner: TreeHooks) -> None:
        super().__init__(inner.family)
        self._inner = inner

    def arguments(
        self, model: PreTrainedModel, tokens: TreeTokens, vision: Sequence[Mapping[str, Tensor]]
    ) -> dict[str, Any]:
        """Take everything but the mask from the family's own hooks."""
        mask = tree_block_mask(subtree_ends(tokens.allowed))
        return self._inner.arguments(model, tokens, vision) | {"attention_mask": mask}


@contextmanager
def flex_decoder(lvlm: Lvlm) -> Iterator[None]:
    """Let the decoder attend with flex attention, the vision tower as before; and back at the end."""
    AttentionInterface.register(NAME, tree_flex_attention)
    text = lvlm.hf_model.config.get_text_config()
    before = text._attn_implementation
    text._attn_implementation = NAME
    try:
        yield
    finally:
        text._attn_implementation = before
