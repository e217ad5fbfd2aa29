"""Token trees of Mllama (Llama-3.2-Vision): pictures are looked at through cross-attention layers."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from torch import Tensor
from transformers import PreTrainedModel

from halluc.models.families.trees.base import TreeHooks
from halluc.models.families.trees.tokens import TreeTokens


class MllamaTree(TreeHooks):
    """Let each slot look at the pictures that its own sequence looks at.

    Tokens before the first picture attend evenly to all pictures of their forward, so a forward holds
    the pictures of one prompt only.
    """

    mixes_pictures: ClassVar[bool] = False
    continues_from_cache: ClassVar[bool] = False

    def arguments(
        self, model: PreTrainedModel, tokens: TreeTokens, vision: Sequence[Mapping[str, Tensor]]
    ) -> dict[str, Any]:
        """Assemble the forward's arguments, ``cross_attention_mask`` of shape ``[1, N, images, tiles]``."""
        arguments = super().arguments(model, tokens, vision)
        if vision:
            joined = self.family.vision_arguments(vision)
            heads = self.family.text_arguments(model, tokens.head_ids, tokens.head_lengths, joined)
            seen = heads["cross_attention_mask"][tokens.head_of, tokens.head_columns]
            arguments["cross_attention_mask"] = seen[None]
        return arguments
