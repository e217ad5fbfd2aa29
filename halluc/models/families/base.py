"""How Hugging Face models and processors are spoken to; serves every family without a file of its own.

Shape letters: ``R`` rows, ``L`` tokens of the longest row.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from PIL.Image import Image
from torch import Tensor, nn
from transformers import BatchFeature, PreTrainedModel, ProcessorMixin

from halluc.errors import ModelSupportError
from halluc.models.chat import Chat, TemplateChat

TEXT_KEYS = frozenset(
    {
        "input_ids",
        "attention_mask",
        "token_type_ids",
        "mm_token_type_ids",
        "labels",
        "text_replacement_offsets",
    }
)


@dataclass(frozen=True, slots=True)
class VisionInputs:
    """Hold the pictures of one prompt, ready for the model.

    Attributes:
        tensors: What the processor made of them, by the name of the model's argument.
        expansions: The text that each picture's placeholder becomes, in the order of the pictures.
    """

    tensors: Mapping[str, Tensor]
    expansions: tuple[str, ...]


class Family:
    """Hold the hooks into one family of Hugging Face models; this class serves the usual case.

    A family says how pictures become tensors and prompt text, which further inputs the forward
    takes, and where the decoder is. It holds no weights and pickles.

    Attributes:
        resizes: Whether the processor resizes by a pixel bound itself; otherwise pictures are scaled
            down before it sees them.
        lmms_eval_jpeg_quality: Quality at which lmms-eval's wrapper of the family encodes every picture
            as JPEG once more; None where it hands them over as they are.
    """

    resizes: ClassVar[bool] = False
    lmms_eval_jpeg_quality: ClassVar[int | None] = None

    def chat(self, processor: ProcessorMixin) -> Chat:
        """Return how this checkpoint writes conversations."""
        return TemplateChat(processor, self.placeholder(processor))

    def placeholder(self, processor: ProcessorMixin) -> str:
        """Return the string that stands for one picture in rendered text."""
        token = getattr(processor, "image_token", None)
        if token is None:
            raise ModelSupportError(
                f"{type(processor).__name__} has no image_token, so it is not known how a picture is written "
                "in its prompts. Choose a vision-language model."
            )
        return str(token)

    def images_arguments(self, processor: ProcessorMixin, max_pixels: int | None) -> dict[str, Any]:
        """Return further arguments of the processor call that bound a picture's size."""
        del processor, max_pixels
        return {}

    def preprocess(
        self, processor: ProcessorMixin, images: Sequence[Image], max_pixels: int | None
    ) -> VisionInputs:
        """Turn the pictures of one prompt into tensors and placeholder expansions.

        Args:
            processor: The checkpoint's processor.
            images: One or more RGB pictures, in the order of their placeholders.
            max_pixels: Upper bound of a picture's pixels, where the family can resize by it.
        """
        features = processor(
            text=[self.placeholder(processor) * len(images)],
            images=[list(images)],
            return_text_replacement_offsets=True,
            **self.images_arguments(processor, max_pixels),
        )
        (offsets,) = features["text_replacement_offsets"]
        expansions = tuple(str(offset["replacement"]) for offset in offsets)
        tensors = {key: value for key, value in features.items() if key not in TEXT_KEYS}
        return VisionInputs(dict(BatchFeature(tensors, tensor_type="pt")), expansions)

    def layout(self, vision: VisionInputs | None) -> Hashable:
        """Return what rows of one forward must have in common; None where any rows go together."""
        del vision
        return None

    def vision_arguments(self, rows: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
        """Join the picture tensors of the rows that have pictures, in the order of the rows."""
        names = rows[0].keys() if rows else ()
        return {name: _pad_and_join([row[name] for row in rows]) for name in names}

    def text_arguments(
        self, model: PreTrainedModel, input_ids: Tensor, prompt_lengths: Tensor, vision: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """Return further arguments of the forward that follow from the tokens.

        Args:
            model: The Hugging Face model.
            input_ids: Shape ``[R, L]``.
            prompt_lengths: Number of columns up to the prompt's last token, shape ``[R]``.
            vision: The joined picture tensors.
        """
        del model, input_ids, prompt_lengths, vision
        return {}

    def position_ids(
        self, model: PreTrainedModel, input_ids: Tensor, attention_mask: Tensor, vision: Mapping[str, Tensor]
    ) -> Tensor:
        """Return the positions that the model itself would compute, for right-padded rows.

        Returns:
            Shape ``[R, L]``, or ``[3, R, L]`` where positions have several axes.
        """
        del model, attention_mask, vision
        return torch.arange(input_ids.shape[1], device=input_ids.device).expand(input_ids.shape)

    def decoder(self, model: PreTrainedModel) -> nn.Module:
        """Return the language model without its output layer."""
        module: nn.Module = model.get_decoder()
        return module


def _pad_and_join(tensors: Sequence[Tensor]) -> Tensor:
    """Pad tensors with zeros to a common shape behind dimension 0, and join them there."""
    shape = [max(sizes) for sizes in zip(*(tensor.shape[1:] for tensor in tensors), strict=True)]
    if all(list(tensor.shape[1:]) == shape for tensor in tensors):
        return torch.cat(list(tensors))
    joined = tensors[0].new_zeros(sum(len(tensor) for tensor in tensors), *shape)
    start = 0
    for tensor in tensors:
        window = (slice(start, start + len(tensor)), *(slice(size) for size in tensor.shape[1:]))
        joined[window] = tensor
        start += len(tensor)
    return joined
