"""From questions and answers to token ids and picture tensors."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

from transformers import PreTrainedTokenizerBase, ProcessorMixin

from halluc.data.images import load_image
from halluc.data.records import Preparation, Question
from halluc.errors import ImageError
from halluc.models.chat import Chat
from halluc.models.controls import refuse_controls
from halluc.models.families.base import Family, VisionInputs
from halluc.models.picture_preparation import PicturePath, picture_path

REMEMBERED_TEXTS = 32_768
"""Texts whose rendering and tokens are kept: every spelling of an answer needs its prompt again, and every
epoch the same questions."""


@dataclass(frozen=True, slots=True)
class EncodedSequence:
    """Hold the tokens of one prompt with its answer; nothing is ever cut off.

    Attributes:
        input_ids: Prompt and answer, with the pictures' placeholders expanded.
        prompt_length: Number of tokens before the first answer token.
    """

    input_ids: tuple[int, ...]
    prompt_length: int


class PromptEncoder:
    """Tokenise prompts and answers, and prepare their pictures.

    It holds no weights and pickles, so it can work in a data-loading worker.

    Args:
        processor: The checkpoint's processor.
        family: Hooks of the model's family.
        max_pixels: Upper bound of a picture's pixels; None leaves the processor's own.
    """

    def __init__(self, processor: ProcessorMixin, family: Family, max_pixels: int | None) -> None:
        self.processor = processor
        self.family = family
        self.max_pixels = max_pixels
        self._written: dict[tuple[object, ...], str] = {}

    @cached_property
    def chat(self) -> Chat:
        """How this checkpoint writes conversations."""
        return self.family.chat(self.processor)

    @property
    def pad_id(self) -> int:
        """Token id that fills rows up; the end-of-text id where the tokenizer has no padding token."""
        tokenizer = self.processor.tokenizer
        pad_id: int = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        return pad_id

    def picture_path(self, preparation: Preparation) -> PicturePath:
        """Return what a preparation does to this model's pictures.

        Raises:
            ModelSupportError: If it can't be done with this model's processor.
        """
        return picture_path(preparation, self.processor, self.family)

    def vision(self, question: Question, max_pixels: int | None = None) -> VisionInputs | None:
        """Read and prepare a question's pictures; None if it has none.

        Args:
            question: Its ``images`` are read from disk or from their data URI.
            max_pixels: Overrides the encoder's own bound.

        Raises:
            ImageError: If a picture can't be read or prepared; the message names the question's id.
        """
        if not question.images:
            return None
        bound = self.max_pixels if max_pixels is None else max_pixels
        before = None if self.family.resizes else bound
        change = self.picture_path(question.preparation).change
        try:
            pictures = [load_image(source, before, change) for source in question.images]
        except ImageError as error:
            raise ImageError(f"question {question.id}: {error}") from error
        try:
            return self.family.preprocess(self.processor, pictures, bound)
        except ValueError as error:  # such as a picture too narrow for the processor's grid
            sizes = ", ".join(f"{picture.width}x{picture.height}" for picture in pictures)
            raise ImageError(
                f"question {question.id}: {type(self.processor).__name__} can't prepare its pictures "
                f"({sizes} pixels): {error}"
            ) from error

    def encode(
        self, question: Question, answer: str, *, ends_turn: bool, vision: VisionInputs | None
    ) -> EncodedSequence:
        """Tokenise a prompt with its answer in place.

        The whole text is tokenised at once, and the answer begins where its tokens leave those of the
        prompt alone. So token boundaries are the tokenizer's own.

        Args:
            question: What is asked.
            answer: The answer's text; may be empty.
            ends_turn: Whether the end-of-turn token belongs to the answer.
            vision: The question's prepared pictures, from ``vision``.

        Raises:
            RecordError: If prompt, system text or answer hold a control string; names the id.
            ModelSupportError: If the chat template can't write this conversation.
        """
        refuse_controls(self.processor, question, answer)
        frame = self.chat.frame
        prompt = self._prompt(question)
        full = prompt + frame.lead + answer + (frame.end if ends_turn else "")
        input_ids = self._tokenise(full, vision)
        prompt_ids = self._tokenise(prompt, vision)
        return EncodedSequence(tuple(input_ids), _common_prefix(prompt_ids, input_ids))

    def encode_prompt(self, question: Question, vision: VisionInputs | None) -> tuple[int, ...]:
        """Tokenise a prompt alone, as generation wants it.

        Raises:
            RecordError: If prompt or system text hold a control string; names the id.
            ModelSupportError: If the chat template can't write this conversation.
        """
        refuse_controls(self.processor, question)
        return tuple(self._tokenise(self._prompt(question), vision))

    def answer_ids(self, question: Question, answer: str) -> tuple[int, ...]:
        """Return the tokens of an answer in its place, the end of the turn left out; reads no picture."""
        encoded = self.encode(question, answer, ends_turn=False, vision=None)
        return encoded.input_ids[encoded.prompt_length :]

    @cached_property
    def end_of_turn_id(self) -> int:
        """Token id that ends a turn."""
        return self._tokenise(self.chat.frame.end, None)[-1]

    def _prompt(self, question: Question) -> str:
        """Render a prompt, once for all its answers: chat templates are slow."""
        key = (question.system, question.prompt, len(question.images), question.image_offsets)
        text = self._written.get(key)
        if text is None:
            text = self.chat.render(question)
            if len(self._written) >= REMEMBERED_TEXTS:
                self._written.clear()
            self._written[key] = text
        return text

    def _tokenise(self, text: str, vision: VisionInputs | None) -> list[int]:
        """Tokenise rendered text as the processor would, placeholders expanded.

        A picture's thousand tokens are spliced in where that is exact, and otherwise tokenised with
        the text around them.
        """
        tokenizer = self.processor.tokenizer
        written = tokenizer.bos_token is not None and text.startswith(tokenizer.bos_token)
        if vision is None:
            return list(_remembered_ids(tokenizer, text, add_special_tokens=not written))
        placeholder = self.family.placeholder(self.processor)
        found = [picture_ids(tokenizer, placeholder, expansion) for expansion in vision.expansions]
        spliced = [ids for ids in found if ids is not None]
        if len(spliced) < len(found):
            parts = zip(text.split(placeholder), (*vision.expansions, ""), strict=True)
            expanded = "".join(part + expansion for part, expansion in parts)
            return list(_ids(tokenizer, expanded, add_special_tokens=not written))
        placeholder_id = tokenizer.convert_tokens_to_ids(placeholder)
        left = iter(spliced)
        tokens = _remembered_ids(tokenizer, text, add_special_tokens=not written)
        return list(chain.from_iterable(next(left) if t == placeholder_id else (t,) for t in tokens))


@lru_cache(maxsize=64)
def picture_ids(
    tokenizer: PreTrainedTokenizerBase, placeholder: str, expansion: str
) -> tuple[int, ...] | None:
    """Tokenise a placeholder's expansion on its own, where that gives what it gives inside a text.

    A tokenizer cuts text at control tokens first. So the tokens around a picture don't change if one
    control token is put in place of others that treat neighbouring space alike.

    Returns:
        The tokens; None if the expansion begins or ends with other text (Gemma-3: line breaks).
    """
    ids = _ids(tokenizer, expansion, add_special_tokens=False)
    added = tokenizer.added_tokens_decoder
    outer = added.get(tokenizer.convert_tokens_to_ids(placeholder))
    first, last = added.get(ids[0]), added.get(ids[-1])
    if outer is None or first is None or last is None:
        return None
    return ids if (first.lstrip, last.rstrip) == (outer.lstrip, outer.rstrip) else None


def _ids(tokenizer: PreTrainedTokenizerBase, text: str, *, add_special_tokens: bool) -> tuple[int, ...]:
    return tuple(tokenizer(text, add_special_tokens=add_special_tokens)["input_ids"])


_remembered_ids = lru_cache(maxsize=REMEMBERED_TEXTS)(_ids)
"""For texts without a picture's thousand tokens."""


def _common_prefix(first: list[int], second: list[int]) -> int:
    pairs = zip(first, second, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))
