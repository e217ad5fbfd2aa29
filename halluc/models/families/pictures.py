"""How families encode pictures apart from text, so that one encoding can serve many prompts.

Shape letters: ``I`` picture tokens of a prompt, ``D`` width of the decoder.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPooling
from transformers.models.qwen3_vl.modeling_qwen3_vl import BaseModelOutputWithDeepstackFeatures

Features = Mapping[str, Tensor]


class PictureHooks:
    """Serve families whose features each replace one picture token, in the order of the tokens.

    Args:
        one_tensor: Whether the forward wants features as one tensor; otherwise as a list of tensors.
    """

    def __init__(self, *, one_tensor: bool = False) -> None:
        self.one_tensor = one_tensor

    def encode(self, model: PreTrainedModel, vision: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Compute the features of the pictures of one prompt.

        Args:
            model: The Hugging Face model.
            vision: The pictures' tensors, in the model's dtype.

        Returns:
            Features by name, each of shape ``[I, D]``.
        """
        return {"tokens": _flatten(model.get_image_features(**vision, return_dict=True).pooler_output)}

    def at_tokens(self, features: Features, rows: Tensor) -> Features:
        """Pick the features of picture tokens.

        Args:
            features: Features of the pictures of one or several prompts, joined.
            rows: Row of ``features`` that each picture token of the forward wants, in order.
        """
        return {name: feature[rows] for name, feature in features.items()}

    def arguments(self, features: Features) -> dict[str, Any]:
        """Return the arguments of the forward that hand over features, in the order of its tokens."""
        tokens = features["tokens"]
        output = BaseModelOutputWithPooling(pooler_output=tokens if self.one_tensor else (tokens,))
        return {"mm_encoder_outputs": {"image": output}}


class DeepstackPictures(PictureHooks):
    """Carry along what the tower's inner layers add to the decoder's first layers (Qwen3-VL)."""

    def encode(self, model: PreTrainedModel, vision: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Compute features, and those of the inner layers as ``deepstack_0`` and so on."""
        output = model.get_image_features(**vision, return_dict=True)
        inner = {f"deepstack_{layer}": _flatten(part) for layer, part in enumerate(output.deepstack_features)}
        return {"tokens": _flatten(output.pooler_output), **inner}

    def arguments(self, features: Features) -> dict[str, Any]:
        """Return the arguments of the forward that hand over features and inner features."""
        output = BaseModelOutputWithDeepstackFeatures(
            pooler_output=(features["tokens"],),
            deepstack_features=[(features[f"deepstack_{n}"],) for n in range(len(features) - 1)],
        )
        return {"mm_encoder_outputs": {"image": output}}


class CrossAttentionPictures(PictureHooks):
    """Hand over projected states for cross-attention layers, which replace no token (Mllama)."""

    def encode(self, model: PreTrainedModel, vision: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Compute the states, shape ``[pictures * tiles, patches, D]``."""
        output = model.model.vision_model(**vision).last_hidden_state
        states = model.model.multi_modal_projector(output)
        return {"states": states.reshape(-1, output.shape[-2], states.shape[-1])}

    def at_tokens(self, features: Features, rows: Tensor) -> Features:
        """Leave the states as they are."""
        del rows
        return features

    def arguments(self, features: Features) -> dict[str, Any]:
        """Return the argument of the forward that hands over the states."""
        return {"cross_attention_states": features["states"]}


PICTURES: Mapping[str, PictureHooks] = {
    "gemma3": PictureHooks(one_tensor=True),
    "idefics3": PictureHooks(),
    "internvl": PictureHooks(one_tensor=True),
    "llava": PictureHooks(),
    "llava_next": PictureHooks(),
    "llava_onevision": PictureHooks(),
    "mllama": CrossAttentionPictures(),
    "paligemma": PictureHooks(one_tensor=True),
    "qwen2_5_vl": PictureHooks(),
    "qwen2_vl": PictureHooks(),
    "qwen3_vl": DeepstackPictures(),
    "smolvlm": PictureHooks(),
}
"""By ``config.model_type``; whatever is not listed encodes its pictures anew for each row."""


def _flatten(features: Tensor | Sequence[Tensor]) -> Tensor:
    """Join features to shape ``[I, D]``, whether they come by picture, by tile, or as one tensor."""
    parts = [features] if isinstance(features, Tensor) else list(features)
    return torch.cat([part.reshape(-1, part.shape[-1]) for part in parts])
