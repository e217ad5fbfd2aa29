"""Token trees of Gemma-3: picture tokens see their whole picture, some layers see a window only."""

from typing import Any, ClassVar

import torch
from torch import Tensor
from transformers import PreTrainedModel, ProcessorMixin

from halluc.models.families.trees.base import TreeHooks, as_mask
from halluc.models.families.trees.tokens import TreeTokens


class Gemma3Tree(TreeHooks):
    """Let the tokens of one picture attend to each other both ways, and narrow the sliding layers.

    A picture's tokens are one unbroken run of slots, since no branch begins between equal tokens.
    """

    layer_types: ClassVar[frozenset[str]] = frozenset({"full_attention", "sliding_attention"})
    continues_from_cache: ClassVar[bool] = False

    def picture_token_id(self, processor: ProcessorMixin) -> int:
        """Return the soft token's id; ``image_token`` of this processor begins a picture instead."""
        token_id: int = processor.tokenizer.image_token_id
        return token_id

    def attention_mask(self, model: PreTrainedModel, tokens: TreeTokens) -> Any:  # noqa: ANN401 - may be a dict
        """Return one mask for each kind of layer, shapes ``[1, 1, N, N]``."""
        picture = _picture_numbers(tokens, model.config.image_token_id)
        same_picture = (picture[:, None] == picture) & (picture >= 0)
        window = model.config.get_text_config().sliding_window
        near = tokens.depths[:, None] - tokens.depths < window
        return {
            "full_attention": as_mask(model, tokens.allowed | same_picture),
            "sliding_attention": as_mask(model, (tokens.allowed & near) | same_picture),
        }


def _picture_numbers(tokens: TreeTokens, picture_token_id: int) -> Tensor:
    """Number the runs of picture tokens, -1 for text, shape ``[N]``."""
    is_picture = tokens.input_ids == picture_token_id
    first = is_picture & ~torch.nn.functional.pad(is_picture, (1, 0))[:-1]
    return torch.where(is_picture, first.long().cumsum(0) - 1, -1)
