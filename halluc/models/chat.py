"""Write a conversation as text: up to the answer, and what stands around the answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import jinja2
from transformers import ProcessorMixin

from halluc.data.records import Question
from halluc.errors import ModelSupportError
from halluc.models.controls import control_strings

_PROBE = "probe"
_OPENING = [{"role": "user", "content": [{"type": "text", "text": "?"}]}]
_REPLY = {"role": "assistant", "content": [{"type": "text", "text": _PROBE}]}


@dataclass(frozen=True, slots=True)
class AnswerFrame:
    """Hold what is written around an answer.

    Attributes:
        lead: Text between the prompt and the answer, often empty.
        end: Text behind the answer up to and including the end-of-turn token.
    """

    lead: str
    end: str


class Chat(Protocol):
    """Write prompts; the way differs between checkpoints with and without a chat template."""

    @property
    def frame(self) -> AnswerFrame:
        """What stands around an answer."""
        ...

    def render(self, question: Question) -> str:
        """Write the prompt with one placeholder a picture, up to where the answer begins."""
        ...


class TemplateChat:
    """Write prompts with the processor's own chat template.

    Args:
        processor: The checkpoint's processor.
        placeholder: What stands for one picture in rendered text.

    Raises:
        ModelSupportError: If the processor has no chat template.
    """

    def __init__(self, processor: ProcessorMixin, placeholder: str) -> None:
        if not processor.chat_template:
            raise ModelSupportError(
                f"{type(processor).__name__} of this checkpoint has no chat template (it may be a base "
                "model). Choose an instruction-tuned checkpoint, or put a chat_template.jinja beside it."
            )
        self.processor = processor
        self.placeholder = placeholder

    @cached_property
    def frame(self) -> AnswerFrame:
        """What the template writes around an answer, found by rendering one.

        The turn ends with the first control string behind the answer. A template that writes none
        (LLaVA-1.5) gets the tokenizer's end-of-text token. Where an answered turn opens with other
        spaces than the prompt (LLaVA-OneVision), the answer follows the prompt at once, since that is
        what the model sees when it is asked.

        Raises:
            ModelSupportError: If an answered conversation doesn't begin like its prompt.
        """
        prompt = self._apply(_OPENING, "(probe)", generation_prompt=True)
        full = self._apply([*_OPENING, _REPLY], "(probe)", generation_prompt=False)
        before, found, tail = full.rpartition(_PROBE)
        goes_on = before.startswith(prompt)
        if not found or not (goes_on or before.split() == prompt.split()):
            raise ModelSupportError(
                f"the chat template doesn't write an answer right behind its generation prompt: {prompt!r} "
                f"became {full!r}. Give the checkpoint a template that does."
            )
        lead = before.removeprefix(prompt) if goes_on else ""
        controls = control_strings(self.processor)
        ends = [tail.index(control) + len(control) for control in controls if control in tail]
        return AnswerFrame(lead, tail[: min(ends)] if ends else self.processor.tokenizer.eos_token)

    def render(self, question: Question) -> str:
        """Write the prompt with one placeholder a picture, up to where the answer begins.

        Raises:
            ModelSupportError: If the template refuses the conversation, drops text or moves pictures.
        """
        parts = content_parts(question)
        user = {"role": "user", "content": parts}
        text = self._apply([*self._system(question), user], question.id, generation_prompt=True)
        if (found := text.count(self.placeholder)) != len(question.images):
            raise ModelSupportError(
                f"question {question.id}: the chat template wrote {found} picture placeholders "
                f"{self.placeholder!r} for {len(question.images)} pictures. Use a checkpoint whose chat "
                "template writes one for each picture."
            )
        if question.image_offsets:
            self._refuse_moved_pictures(question.id, parts, text)
        return text

    def _system(self, question: Question) -> list[dict[str, Any]]:
        """Write system text as a list of parts, or as a string where the template would print the list."""
        if not question.system:
            return []
        parts = [{"type": "text", "text": question.system}]
        message = {"role": "system", "content": parts}
        text = self._apply([message, *_OPENING], question.id, generation_prompt=True)
        if str(parts) in text:
            message["content"] = question.system
            text = self._apply([message, *_OPENING], question.id, generation_prompt=True)
        if question.system.strip() not in text:
            raise ModelSupportError(
                f"question {question.id}: the chat template drops the system text. Put it into the prompt."
            )
        return [message]

    def _refuse_moved_pictures(self, where: str, parts: Sequence[dict[str, str]], text: str) -> None:
        cursor = 0
        for part in parts:
            piece = part["text"].strip() if part["type"] == "text" else self.placeholder
            found = text.find(piece, cursor)
            if found < 0:
                raise ModelSupportError(
                    f"question {where}: the chat template moves pictures away from their places inside the "
                    "text. Leave image_offsets empty, so that all pictures come first."
                )
            cursor = found + len(piece)

    def _apply(self, conversation: list[dict[str, Any]], where: str, *, generation_prompt: bool) -> str:
        try:
            text: str = self.processor.apply_chat_template(
                conversation, add_generation_prompt=generation_prompt, tokenize=False
            )
        except jinja2.TemplateError as error:
            raise ModelSupportError(
                f"question {where}: the chat template refuses the conversation: {error}. Leave out what it "
                "refuses (often the system text), or use another checkpoint."
            ) from error
        return text


def content_parts(question: Question) -> list[dict[str, str]]:
    """Cut a prompt into text and image parts at its image offsets; all images first if it has none."""
    image = {"type": "image"}
    offsets = question.image_offsets or (0,) * len(question.images)
    parts: list[dict[str, str]] = []
    start = 0
    for offset in offsets:
        if offset > start:
            parts.append({"type": "text", "text": question.prompt[start:offset]})
        parts.append(image)
        start = max(start, offset)
    if start < len(question.prompt):
        parts.append({"type": "text", "text": question.prompt[start:]})
    return parts
