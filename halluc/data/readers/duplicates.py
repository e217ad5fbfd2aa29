"""Rows that repeat an id: the same row again, another question, or the opposite answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from halluc.data.readers.entry import Entry

Repeat = tuple[Entry, Entry]
"""An entry that was there first, and a later one of the same id."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Hold what repeats an id.

    Attributes:
        exact: The same question with the same answers.
        other_question: The same id on another question, or with another free answer.
        conflicting: The same question with another gold answer; one of the two is wrong.
    """

    exact: tuple[Repeat, ...]
    other_question: tuple[Repeat, ...]
    conflicting: tuple[Repeat, ...]


def find_duplicates(entries: Sequence[Entry]) -> Duplicates:
    """Sort the entries that repeat an id by what they repeat; each later one occurs once."""
    by_id: dict[str, list[Entry]] = {}
    kinds: dict[str, list[Repeat]] = {"exact": [], "other": [], "conflicting": []}
    for entry in entries:
        before = by_id.setdefault(entry.question.id, [])
        if before:
            kind, first = _compare(entry, before)
            kinds[kind].append((first, entry))
        before.append(entry)
    return Duplicates(tuple(kinds["exact"]), tuple(kinds["other"]), tuple(kinds["conflicting"]))


def _compare(entry: Entry, before: Sequence[Entry]) -> tuple[str, Entry]:
    twins = [other for other in before if _question(other) == _question(entry)]
    for other in twins:
        if other.question.gold != entry.question.gold:
            return "conflicting", other
    for other in twins:
        if _answers(other) == _answers(entry):
            return "exact", other
    return "other", (twins or before)[0]


def _question(entry: Entry) -> tuple[object, ...]:
    question = entry.question
    return question.images, question.prompt, question.image_offsets, question.system


def _answers(entry: Entry) -> tuple[object, ...]:
    return entry.answer, entry.rejected, entry.rejected_images, entry.weight
