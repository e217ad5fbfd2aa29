"""Mllama (Llama-3.2-Vision): pictures are looked at through cross-attention layers."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import torch
from PIL.Image import Image
from torch import Tensor
from transformers import PreTrainedModel, ProcessorMixin
from transformers.models.mllama.processing_mllama import get_cross_attention_token_mask

from halluc.models.families.base import TEXT_KEYS, Family, VisionInputs


class Mllama(Family):
    """Build the cross-attention mask; one placeholder token stands for a whole picture.

    Tokens before the first picture attend evenly to whatever pictures are there, padding included,
    so rows go together only if they have equally many pictures.
    """

    def preprocess(
        self, processor: ProcessorMixin, images: Sequence[Image], max_pixels: int | None
    ) -> VisionInputs:
        """Turn the pictures of one prompt into tensors of shape ``[1, images, tiles, …]``."""
        del max_pixels  # the tile budget of the processor bounds a picture
        token = self.placeholder(processor)
        features = processor(text=[token * len(images)], images=[list(images)], return_tensors="pt")
        dropped = TEXT_KEYS | {"cross_attention_mask"}
        tensors = {key: value for key, value in features.items() if key not in dropped}
        return VisionInputs(tensors, (token,) * len(images))

    def layout(self, vision: VisionInputs | None) -> Hashable:
        """Return the number of pictures."""
        return len(vision.expansions) if vision else 0

    def text_arguments(
        self, model: PreTrainedModel, input_ids: Tensor, prompt_lengths: Tensor, vision: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """Let each token see the tiles of the pictures that stand before it.

        Returns:
            ``cross_attention_mask`` of shape ``[R, L, images, tiles]``, or nothing without pictures.
        """
        del prompt_lengths
        if not vision:
            return {}
        tiles = vision["aspect_ratio_mask"]
        mask = torch.zeros(*input_ids.shape, *tiles.shape[1:], dtype=torch.long, device=input_ids.device)
        for row, ids in enumerate(input_ids.tolist()):
            for image, span in enumerate(_spans(ids, model.config.image_token_id)):
                mask[row, span[0] : span[1], image] = tiles[row, image].long()
        return {"cross_attention_mask": mask}


def _spans(ids: list[int], image_token_id: int) -> list[list[Any]]:
    """Return the token range that sees each picture; the last one is seen to the end of the row."""
    spans = get_cross_attention_token_mask(ids, image_token_id)
    return [[start, len(ids) if end == -1 else end] for start, end in spans]
