"""A vision-language model together with the processor that belongs to it.

Shape letters: ``R`` rows, ``L`` tokens of the longest row, ``K`` kept columns, ``V`` vocabulary.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import peft
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel, ProcessorMixin

from halluc.data.records import Preference, Sample
from halluc.errors import ConfigError
from halluc.models.controls import check_records
from halluc.models.families.base import Family
from halluc.models.prompts import PromptEncoder


class Lvlm(nn.Module):
    """Hold a Hugging Face vision-language model, its processor and the hooks of its family.

    Args:
        model: The model; an adapter may wrap it later.
        processor: The processor of the same checkpoint.
        family: Hooks of the model's family.
        path: Folder or hub name that the checkpoint was asked for by.
        max_pixels: Upper bound of a picture's pixels; None leaves the processor's own.

    Attributes:
        encoder: Turns questions into tokens and pictures into tensors; holds no weights.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        processor: ProcessorMixin,
        family: Family,
        *,
        path: str,
        max_pixels: int | None,
    ) -> None:
        super().__init__()
        self.model = model
        self.processor = processor
        self.family = family
        self.path = path
        self.max_pixels = max_pixels
        self.encoder = PromptEncoder(processor, family, max_pixels)

    @property
    def hf_model(self) -> PreTrainedModel:
        """The Hugging Face model itself, whatever wraps it."""
        return self.model.get_base_model() if self.is_adapted else self.model

    @property
    def is_adapted(self) -> bool:
        """Whether an adapter wraps the model."""
        return isinstance(self.model, peft.PeftModel)

    def require_adapter(self) -> None:
        """Refuse to go on without an adapter.

        Raises:
            ConfigError: If the model has none.
        """
        if not self.is_adapted:
            raise ConfigError(f"{self.path} has no adapter. Attach one first (adapter=lora).")

    def check_texts(self, records: Sequence[Sample | Preference]) -> None:
        """Check all training texts for control strings, before any training.

        Raises:
            RecordError: Listing every record that holds one.
        """
        check_records(self.processor, records)

    @property
    def decoder_name(self) -> str:
        """Name of the language model inside ``hf_model``, such as ``model.language_model``."""
        decoder = self.family.decoder(self.hf_model)
        return str(next(name for name, module in self.hf_model.named_modules() if module is decoder))

    @property
    def device(self) -> torch.device:
        """Where the first parameter is."""
        device: torch.device = next(self.model.parameters()).device
        return device

    @property
    def dtype(self) -> torch.dtype:
        """Number format of the model's activations."""
        dtype: torch.dtype = self.hf_model.dtype
        return dtype

    @property
    def compute_dtype(self) -> torch.dtype:
        """Number format of matrix products here and now: autocast's where that is on."""
        device = self.device.type
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else self.dtype

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Switch to evaluation mode, and back to training mode if that was on."""
        if not self.training:  # switching walks over every module, which costs as much as a small forward
            yield
            return
        self.eval()
        try:
            yield
        finally:
            self.train()

    def inputs(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        prompt_lengths: Tensor,
        vision_rows: Sequence[Mapping[str, Tensor]],
    ) -> dict[str, Any]:
        """Assemble the arguments of the model's forward, positions aside.

        Args:
            input_ids: Padded tokens, shape ``[R, L]``.
            attention_mask: 1 for tokens and 0 for padding, shape ``[R, L]``.
            prompt_lengths: Number of columns up to the prompt's last token, shape ``[R]``.
            vision_rows: Picture tensors of the rows that have pictures, in the order of the rows.
        """
        vision = {
            name: tensor.to(self.dtype) if tensor.is_floating_point() else tensor
            for name, tensor in self.family.vision_arguments(vision_rows).items()
        }
        text = self.family.text_arguments(self.hf_model, input_ids, prompt_lengths, vision)
        return {"input_ids": input_ids, "attention_mask": attention_mask, **vision, **text}

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        prompt_lengths: Tensor,
        vision_rows: Sequence[Mapping[str, Tensor]],
        keep: Tensor,
    ) -> Tensor:
        """Compute next-token logits at chosen columns of right-padded rows.

        Args:
            input_ids: Right-padded tokens, shape ``[R, L]``.
            attention_mask: 1 for tokens and 0 for padding, shape ``[R, L]``.
            prompt_lengths: Number of prompt tokens, shape ``[R]``.
            vision_rows: Picture tensors of the rows that have pictures, in the order of the rows.
            keep: Columns to return logits of, shape ``[K]``.

        Returns:
            Logits of shape ``[R, K, V]`` in the model's dtype.
        """
        arguments = self.inputs(input_ids, attention_mask, prompt_lengths, vision_rows)
        positions = self.family.position_ids(self.hf_model, input_ids, attention_mask, arguments)
        output = self.model(**arguments, position_ids=positions, logits_to_keep=keep, use_cache=False)
        logits: Tensor = output.logits
        return logits
