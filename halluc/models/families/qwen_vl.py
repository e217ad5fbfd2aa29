"""Qwen2-VL, Qwen2.5-VL and Qwen3-VL: pictures of any size, positions with three axes."""

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor
from transformers import PreTrainedModel, ProcessorMixin

from halluc.models.families.base import Family


class QwenVL(Family):
    """Resize by the processor's own rule, and take positions from the model's ``get_rope_index``.

    Positions are always passed: the model keeps an offset of its last call (``rope_deltas``), which
    would leak into the next one.
    """

    resizes: ClassVar[bool] = True

    def images_arguments(self, processor: ProcessorMixin, max_pixels: int | None) -> dict[str, Any]:
        """Bound the resized picture; the lower bound stays the processor's own unless it is larger."""
        if max_pixels is None:
            return {}
        smallest = min(processor.image_processor.size["shortest_edge"], max_pixels)
        return {"images_kwargs": {"size": {"shortest_edge": smallest, "longest_edge": max_pixels}}}

    def text_arguments(
        self, model: PreTrainedModel, input_ids: Tensor, prompt_lengths: Tensor, vision: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """Mark image tokens with 1; without it the model can't place them."""
        del prompt_lengths, vision
        return {"mm_token_type_ids": (input_ids == model.config.image_token_id).int()}

    def position_ids(
        self, model: PreTrainedModel, input_ids: Tensor, attention_mask: Tensor, vision: Mapping[str, Tensor]
    ) -> Tensor:
        """Return temporal, height and width positions, shape ``[3, R, L]``."""
        positions: Tensor = model.model.get_rope_index(
            input_ids,
            mm_token_type_ids=(input_ids == model.config.image_token_id).int(),
            image_grid_thw=vision.get("image_grid_thw"),
            attention_mask=attention_mask,
        )[0]
        return positions


class Qwen2VL(QwenVL):
    """Qwen2-VL alone, whose wrapper in lmms-eval (0.7, ``qwen2_vl``) sends pictures through JPEG.

    Qwen2.5-VL and Qwen3-VL have chat wrappers there, which are preferred and do not.
    """

    lmms_eval_jpeg_quality: ClassVar[int | None] = 85
