"""Gemma-3: image tokens of one picture see each other both ways."""

from collections.abc import Mapping

from torch import Tensor
from transformers import PreTrainedModel

from halluc.models.families.base import Family


class Gemma3(Family):
    """Mark image tokens in ``token_type_ids``, from which the model builds its masks."""

    def text_arguments(
        self, model: PreTrainedModel, input_ids: Tensor, prompt_lengths: Tensor, vision: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """Give image tokens type 1, all others type 0."""
        del prompt_lengths, vision
        return {"token_type_ids": (input_ids == model.config.image_token_id).long()}
