"""Longer texts about a scene, descriptions and conversations, whose parts are true or flawed."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.single_lessons import (
    COLOR,
    POSITION,
    PropertyQuestion,
    describe_thing,
    near_miss,
    sentence,
)
from halluc.miniworld.lessons.wording import Forms, fill
from halluc.miniworld.scenes.facts import Eye, Facts
from halluc.miniworld.scenes.inventory import CELLS, COLOR_NAMES, FACE, MOODS, SIZES
from halluc.miniworld.scenes.scene import Thing

MATE_SHARE = 0.6
"""Share of invented things that are the missing mate of something in the picture, if one is missing."""


@dataclass(frozen=True, slots=True)
class Part:
    """Hold one statement of a text.

    Attributes:
        text: The words.
        flaw: What is wrong with it: ``object``, ``color``, ``position`` or ``number``; empty if nothing.
        believed: Whether the eye that it was made for takes it for true.
    """

    text: str
    flaw: str = ""
    believed: bool = True


@dataclass(frozen=True, slots=True)
class Genre:
    """Hold one kind of text.

    Attributes:
        name: ``description`` or ``conversation``.
        size: Parts of a text, fewer where the scene offers fewer.
        true_parts: Makes all true parts of a scene, shuffled.
        flaws: Each makes a wrong part, None where the scene offers no occasion.
        join: Puts parts together.
        match: Asks whether a text matches the picture.
        choose: Asks which of several texts does.
        complete: Asks which part continues a text.
    """

    name: str
    size: int
    true_parts: Callable[[Facts, random.Random], list[Part]]
    flaws: tuple[Callable[[Facts, Eye], Part | None], ...]
    join: Callable[[Sequence[str]], str]
    match: Forms
    choose: Forms
    complete: Forms

    def flawed_part(self, facts: Facts, eye: Eye) -> Part:
        """Make a part that is wrong, of a random flaw."""
        makers = eye.rng.sample(self.flaws, len(self.flaws))
        return next(part for make in makers if (part := make(facts, eye)) is not None)

    def true_text(self, facts: Facts, rng: random.Random, size: int | None = None) -> str:
        """Make a text without a flaw."""
        parts = self.true_parts(facts, rng)[: size or self.size]
        return self.join([part.text for part in parts])

    def flawed_text(self, facts: Facts, eye: Eye, size: int | None = None) -> tuple[str, Part]:
        """Make a text with one flawed part; returns it with that part."""
        flawed = self.flawed_part(facts, eye)
        texts = [part.text for part in self.true_parts(facts, eye.rng)[: (size or self.size) - 1]]
        texts.insert(eye.rng.randint(0, len(texts)), flawed.text)
        return self.join(texts), flawed


def _phrases(facts: Facts, rng: random.Random) -> list[Part]:
    placed = facts.scene.placed()
    rng.shuffle(placed)
    return [Part(f"{describe_thing(thing)} in the {CELLS[cell]}") for cell, thing in placed]


def _invented_phrase(facts: Facts, eye: Eye) -> Part:
    """Describe a thing that is not there, in a place where another may be."""
    kind = _absent(facts, eye.rng)
    mood = eye.rng.choice(MOODS) if kind == FACE else ""
    thing = Thing(kind, eye.rng.choice(COLOR_NAMES), eye.rng.choice(SIZES), mood)
    text = f"{describe_thing(thing)} in the {eye.rng.choice(CELLS)}"
    return Part(text, "object", eye.exists(facts, kind))


def _recolored_phrase(facts: Facts, eye: Eye) -> Part | None:
    if not facts.single:
        return None
    kind = eye.rng.choice(facts.single)
    color, believed = _wrong_value(COLOR, facts, eye, kind)
    text = f"{describe_thing(replace(facts.thing(kind), color=color))} in the {CELLS[facts.cell(kind)]}"
    return Part(text, "color", believed)


def _moved_phrase(facts: Facts, eye: Eye) -> Part | None:
    if not facts.single:
        return None
    kind = eye.rng.choice(facts.single)
    place, believed = _wrong_value(POSITION, facts, eye, kind)
    return Part(f"{describe_thing(facts.thing(kind))} in the {place}", "position", believed)


def _turns(facts: Facts, rng: random.Random) -> list[Part]:
    honest = Eye(rng)
    turns = [_turn(wording.ASK_COUNT, kind, honest.count(facts, kind)) for kind in facts.kinds]
    turns += [_turn(wording.ASK_COLOR, kind, honest.color(facts, kind)) for kind in facts.single]
    turns += [_turn(wording.ASK_PLACE, kind, honest.place(facts, kind)) for kind in facts.single]
    rng.shuffle(turns)
    return [Part(text) for text in turns]


def _invented_turn(facts: Facts, eye: Eye) -> Part:
    kind = _absent(facts, eye.rng)
    text = _turn(wording.ASK_PLACE, kind, eye.rng.choice(CELLS))
    return Part(text, "object", eye.exists(facts, kind))


def _wrong_turn(forms: Forms, question: PropertyQuestion) -> Callable[[Facts, Eye], Part | None]:
    def make(facts: Facts, eye: Eye) -> Part | None:
        if not facts.single:
            return None
        kind = eye.rng.choice(facts.single)
        value, believed = _wrong_value(question, facts, eye, kind)
        return Part(_turn(forms, kind, value), question.name, believed)

    return make


def _miscounted_turn(facts: Facts, eye: Eye) -> Part:
    kind = eye.rng.choice(facts.kinds)
    number = near_miss(Eye(eye.rng).count(facts, kind), eye.rng)
    return Part(_turn(wording.ASK_COUNT, kind, number), "number", eye.count(facts, kind) == number)


def _turn(forms: Forms, kind: str, answer: str) -> str:
    return f"{fill(forms[0], kind)} {answer}."


def _wrong_value(question: PropertyQuestion, facts: Facts, eye: Eye, kind: str) -> tuple[str, bool]:
    """Choose a value that a thing does not have, and tell whether the eye sees just that one."""
    true, seen = question.read(Eye(eye.rng), facts, kind), question.read(eye, facts, kind)
    if seen != true and eye.rng.random() < MATE_SHARE:
        return seen, True
    wrong = question.other_value(facts, eye.rng, kind, true)
    return wrong, wrong == seen


def _absent(facts: Facts, rng: random.Random) -> str:
    expected = facts.missing_mates if rng.random() < MATE_SHARE else []
    return rng.choice(expected or facts.absent)


DESCRIPTION = Genre(
    name="description",
    size=3,
    true_parts=_phrases,
    flaws=(_invented_phrase, _recolored_phrase, _moved_phrase),
    join=sentence,
    match=wording.MATCH_DESCRIPTION,
    choose=wording.CHOOSE_DESCRIPTION,
    complete=wording.COMPLETE_DESCRIPTION,
)
CONVERSATION = Genre(
    name="conversation",
    size=2,
    true_parts=_turns,
    flaws=(
        _invented_turn,
        _wrong_turn(wording.ASK_COLOR, COLOR),
        _wrong_turn(wording.ASK_PLACE, POSITION),
        _miscounted_turn,
    ),
    join=" ".join,
    match=wording.MATCH_CONVERSATION,
    choose=wording.CHOOSE_CONVERSATION,
    complete=wording.COMPLETE_CONVERSATION,
)
GENRES: tuple[Genre, ...] = (DESCRIPTION, CONVERSATION)
