"""Strings that a tokenizer reads as control tokens, and which data may therefore not contain."""

from collections.abc import Iterable
from functools import lru_cache

from transformers import ProcessorMixin

from halluc.data.records import Preference, Question, Sample
from halluc.errors import RecordError

_WAY_OUT = (
    "That is a control string of this model's tokenizer, and would become a picture slot or end the turn. "
    "Remove it, or write it differently."
)


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
    problem = _problem(processor, question, answer)
    if problem:
        raise RecordError(f"{problem}. {_WAY_OUT}")


def check_records(processor: ProcessorMixin, records: Iterable[Sample | Preference]) -> None:
    """Check questions and answers of many records.

    Raises:
        RecordError: Listing every record that holds a control string.
    """
    problems = [
        problem
        for record in records
        for answer in _answers(record)
        if (problem := _problem(processor, record.question, answer))
    ]
    if problems:
        unique = list(dict.fromkeys(problems))
        raise RecordError(f"{len(unique)} texts hold control strings. {_WAY_OUT}", unique)


def _answers(record: Sample | Preference) -> tuple[str, ...]:
    return (record.answer,) if isinstance(record, Sample) else (record.chosen, record.rejected)


def _problem(processor: ProcessorMixin, question: Question, answer: str) -> str | None:
    places = {"prompt": question.prompt, "system text": question.system, "answer": answer}
    for place, text in places.items():
        found = [control for control in control_strings(processor) if control in text]
        if found:
            return f"question {question.id}: its {place} holds {max(found, key=len)!r}"
    return None
