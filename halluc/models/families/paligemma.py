"""PaliGemma: no chat template, and a prompt whose tokens all see each other."""

from collections.abc import Mapping

import torch
from torch import Tensor
from transformers import PreTrainedModel, ProcessorMixin

from halluc.data.records import Question
from halluc.errors import ModelSupportError
from halluc.models.chat import AnswerFrame, Chat, content_parts
from halluc.models.families.base import Family


class PaliGemmaChat:
    """Write prompts as its processor does: pictures, beginning of text, the prompt, a line break.

    Args:
        processor: The checkpoint's processor.
        placeholder: What stands for one picture.
    """

    def __init__(self, processor: ProcessorMixin, placeholder: str) -> None:
        self.frame = AnswerFrame(lead="", end=processor.tokenizer.eos_token)
        self._bos = processor.tokenizer.bos_token
        self._placeholder = placeholder

    def render(self, question: Question) -> str:
        """Write the prompt with one placeholder a picture; an answer follows directly.

        Raises:
            ModelSupportError: If the question has system text, for which there is no place.
        """
        if question.system:
            raise ModelSupportError(
                f"question {question.id}: PaliGemma prompts have no place for system text. "
                "Put it into the prompt."
            )
        parts = [part.get("text", self._placeholder) for part in content_parts(question)]
        text = "".join(parts)
        last_image = text.rfind(self._placeholder) + len(self._placeholder) if question.images else 0
        return f"{text[:last_image]}{self._bos}{text[last_image:]}\n"


class PaliGemma(Family):
    """Mark the prompt as the part that is seen both ways; positions begin at 1."""

    def chat(self, processor: ProcessorMixin) -> Chat:
        """Return the fixed form; published checkpoints have no chat template."""
        return PaliGemmaChat(processor, self.placeholder(processor))

    def text_arguments(
        self, model: PreTrainedModel, input_ids: Tensor, prompt_lengths: Tensor, vision: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """Give prompt tokens type 0 and answer tokens type 1."""
        del model, vision
        columns = torch.arange(input_ids.shape[1], device=input_ids.device)
        return {"token_type_ids": (columns >= prompt_lengths[:, None]).long()}

    def position_ids(
        self, model: PreTrainedModel, input_ids: Tensor, attention_mask: Tensor, vision: Mapping[str, Tensor]
    ) -> Tensor:
        """Return positions from 1 on, shape ``[R, L]``."""
        return super().position_ids(model, input_ids, attention_mask, vision) + 1
