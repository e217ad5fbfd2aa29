"""Strings that a tokenizer reads as control tokens, and which data may therefore not contain."""

from functools import lru_cache

from transformers import ProcessorMixin

from halluc.data.records import Question
from halluc.errors import RecordError


@lru_cache(maxsize=8)
def control_strings(processor: ProcessorMixin) -> tuple[str, ...]:
    """List the control strings of a processor's tokenizer.

    These are its special tokens, its picture placeholder, and added tokens written as ``<|…|>``.
    Other added tokens (runs of spaces, HTML tags) are text.
    """
    tokenizer = processor.tokenizer
    added = tokenizer.added_tokens_decoder.values()
    controls = {token.content for token in added if token.special or token.content.startswith("<|")}
    controls.update(tokenizer.all_special_tokens)
    controls.update(filter(None, [getattr(processor, "image_token", None)]))
    return tuple(sorted(controls))


def refuse_controls(processor: ProcessorMixin, question: Question, answer: str = "") -> None:
    """Refuse a question or an answer that holds a control string.

    Raises:
        RecordError: With the question's id, the place and the string.
    """
    places = {"prompt": question.prompt, "system text": question.system, "answer": answer}
    for place, text in places.items():
        found = [control for control in control_strings(processor) if control in text]
        if found:
            raise RecordError(
                f"question {question.id}: its {place} holds {max(found, key=len)!r}, a control string of "
                "this model's tokenizer, which would become a picture slot or end the turn. Remove it, or "
                "write it differently."
            )
