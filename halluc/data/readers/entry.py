"""From one row of a file to questions with answers: pictures found, marks placed, labels read."""

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase

from halluc.data.choices import CHOICE_SUFFIX, option_order, render_options
from halluc.data.images import is_data_uri, resolve_image
from halluc.data.readers.exchange import Exchange
from halluc.data.readers.labels import Label, read_label
from halluc.data.readers.options import find_options, gold_index, is_letter
from halluc.data.readers.placeholders import PLACEHOLDER, place_images
from halluc.data.readers.rows import Row
from halluc.data.readers.shapes import normalise
from halluc.data.readers.turns import reply_of
from halluc.data.records import AnswerSpace, Question
from halluc.errors import RecordError


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Hold one question of a row, ready to become a sample or a preference.

    Attributes:
        row: Where it comes from.
        question: What is asked.
        answer: The text to be learnt.
        rejected: The worse answer as text; None if the row has none, or a blank one.
        rejected_images: Pictures of the worse side; None if the row names none.
        weight: Factor on the loss.
    """

    row: Row
    question: Question
    answer: str
    rejected: str | None = None
    rejected_images: tuple[str, ...] | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RowReader:
    """Read rows of any known shape.

    Attributes:
        image_root: Folder of the pictures.
        allow_outside: Whether a picture may lie outside of it.
        answer_space: ``auto``, ``yes_no`` or ``text``; see ``JsonlSource``.
        choice_index_base: What integer names the first option.
        shuffle_choices: Seed of the options' order; None keeps the order.
        split_turns: Whether each exchange of a conversation becomes a question of its own.
    """

    image_root: Path
    allow_outside: bool = False
    answer_space: str = "auto"
    choice_index_base: int = 0
    shuffle_choices: int | None = None
    split_turns: bool = False

    def read(self, row: Row) -> list[Entry]:
        """Read one row.

        Raises:
            RecordError: If it is unusable; the message says why, without file and id.
            ImageError: If a picture can't be found, or may not be read.
        """
        exchanges = normalise(row.fields)
        if len(exchanges) == 1:
            return [self._entry(row, exchanges[0], row.id)]
        if not self.split_turns:
            raise RecordError(
                f"it holds {len(exchanges)} questions, and later ones may refer to earlier ones. "
                "Write one row each, or set many_turns=split to ask them apart."
            )
        return [
            self._entry(row, found, f"{row.id}/{number}") for number, found in enumerate(exchanges, start=1)
        ]

    def _entry(self, row: Row, exchange: Exchange, key: str) -> Entry:
        prompt, offsets = place_images(exchange.prompt, len(exchange.images))
        answer = _answer_of(row, exchange)
        worse = reply_of(row.fields.get("rejected", row.fields.get("rejected_response")), "rejected")
        prompt, label, rejected = self._label(row, prompt, answer, worse, key)
        space, gold, text = label
        if any(PLACEHOLDER in part for part in (exchange.system, text, rejected or "")):
            raise RecordError(
                f"{PLACEHOLDER} stands in an answer or system text; pictures belong to the user."
            )
        images = self._images(exchange.images)
        given = row.fields.get("rejected_images")
        return Entry(
            row=row,
            question=Question(
                id=key,
                images=images,
                prompt=prompt,
                space=space,
                gold=gold,
                group=group_of(images),
                system=exchange.system,
                image_offsets=offsets,
            ),
            answer=text,
            rejected=rejected,
            rejected_images=None
            if given is None
            else self._images(given if isinstance(given, list) else [given]),
            weight=_weight_of(row),
        )

    def _images(self, values: "tuple[object, ...] | list[object]") -> tuple[str, ...]:
        return tuple(
            resolve_image(value, self.image_root, allow_outside=self.allow_outside) for value in values
        )

    def _label(
        self, row: Row, prompt: str, answer: object, worse: object, key: str
    ) -> tuple[str, Label, str | None]:
        """Return the prompt with its options, the label, and the worse answer as text."""
        options = find_options(row.fields, prompt)
        if options is not None and options.in_prompt:
            label = self._shown_choice(answer, options.texts, prompt)
            return prompt, label, _plain_text(worse)
        if options is None:
            return prompt, self._read_label(answer, prompt), _plain_text(worse)
        count = len(options.texts)
        seed = self.shuffle_choices
        order = tuple(range(count)) if seed is None else option_order(count, seed, key)
        texts = tuple(options.texts[old] for old in order)

        def letter(value: object) -> str:
            return ascii_uppercase[order.index(gold_index(value, options.texts, self.choice_index_base))]

        label = (AnswerSpace.choice(texts), letter(answer), letter(answer))
        return (
            prompt + render_options(texts) + CHOICE_SUFFIX,
            label,
            None if _is_blank(worse) else letter(worse),
        )

    def _shown_choice(self, answer: object, texts: tuple[str, ...], prompt: str) -> Label:
        """Read an answer to options that the prompt shows itself; a long answer may be free text."""
        try:
            gold = ascii_uppercase[gold_index(answer, texts, self.choice_index_base)]
        except RecordError:
            if not isinstance(answer, str) or is_letter(answer):
                raise
            return self._read_label(answer, prompt)
        return AnswerSpace.choice(texts), gold, answer if isinstance(answer, str) else gold

    def _read_label(self, answer: object, prompt: str) -> Label:
        if self.answer_space == "text":
            return AnswerSpace.text(), None, _plain_text(answer) or ""
        return read_label(answer, prompt, must_be_yes_no=self.answer_space == "yes_no")


def group_of(images: tuple[str, ...]) -> str:
    """Name what may not be torn apart: the pictures; a data URI goes by a hash of its text."""
    names = [
        hashlib.sha256(image.encode()).hexdigest()[:16] if is_data_uri(image) else image for image in images
    ]
    return "|".join(names)


def _answer_of(row: Row, exchange: Exchange) -> object:
    given = {}
    if exchange.answer is not None:
        given["answer"] = exchange.answer
    if row.fields.get("chosen") is not None:
        given["chosen"] = reply_of(row.fields["chosen"], "chosen")
    if not given:
        name = "chosen" if "chosen" in row.fields else "answer"
        raise RecordError(f"it has no {name}; expected text.")
    if len(given) == 2 and given["answer"] != given["chosen"]:
        raise RecordError("answer and chosen differ. Keep one of them.")
    name, answer = given.popitem()
    if _is_blank(answer):
        raise RecordError(f"{name} is {answer!r}; expected text.")
    return answer


def _weight_of(row: Row) -> float:
    weight = row.fields.get("weight", 1.0)
    if isinstance(weight, str):  # a cell of a table
        try:
            weight = float(weight)
        except ValueError:
            weight = None
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < math.inf:
        raise RecordError(f"weight is {row.fields['weight']!r}; expected a positive number.")
    return float(weight)


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _plain_text(value: object) -> str | None:
    """Return an answer's text; None for a blank one. A boolean is "Yes" or "No"."""
    if _is_blank(value):
        return None
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if not isinstance(value, str | int | float):
        raise RecordError(f"an answer is {value!r}; expected text.")
    return str(value)
