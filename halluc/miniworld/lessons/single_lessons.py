"""Pretraining questions about one picture, answered as an eye sees it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.wording import Forms, fill, pick
from halluc.miniworld.scenes.facts import Eye, Facts, Property
from halluc.miniworld.scenes.inventory import (
    CELLS,
    COLOR_NAMES,
    FACE,
    KINDS,
    LARGEST_COUNT,
    MOODS,
    RELATIONS,
    SIZES,
    UNSEEN_COLORS,
    with_article,
)
from halluc.miniworld.scenes.scene import Thing

NEVER_SHARE = 0.08
"""Share of wrong values that nothing ever has."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Hold one question with its answer.

    Attributes:
        parts: Sentences of the prompt; joined by a space they are the prompt.
        answer: What is to be said.
        name: The kind of question, for curves.
        closed: Whether the answer is one of a few, so that an instruction may ask for one word.
    """

    parts: tuple[str, ...]
    answer: str
    name: str
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Teacher:
    """Hold how questions are drawn.

    Attributes:
        rng: Source of every choice.
        eye: Who answers.
        yes_share: Share of questions meant to be affirmed.
        mate_share: Share of questions about absent kinds that ask for a missing mate.
        lie_share: Share of contexts that are false, and that the label follows.
    """

    rng: random.Random
    eye: Eye
    yes_share: float = 0.5
    mate_share: float = 0.5
    lie_share: float = 0.0


@dataclass(frozen=True, slots=True)
class PropertyQuestion:
    """Ask whether a single thing has a value of one property.

    Attributes:
        name: The kind of question.
        forms: How to ask.
        values: All values.
        read: How an eye reads the value.
        kinds: Kinds that have the property.
        never: Values that are asked about and never right.
        short: The statement-like form used early in pretraining, or none.
    """

    name: str
    forms: Forms
    values: tuple[str, ...]
    read: Property
    kinds: tuple[str, ...] = KINDS
    short: str = ""
    never: tuple[str, ...] = ()

    def __call__(self, facts: Facts, teacher: Teacher) -> Lesson | None:
        """Draw a question, None if the scene offers no subject."""
        return self._ask(facts, teacher, pick(teacher.rng, self.forms), self.name)

    def statement(self, facts: Facts, teacher: Teacher) -> Lesson | None:
        """Draw a bare statement to be judged, cheap to learn from."""
        return self._ask(facts, teacher, self.short, f"short_{self.name}")

    def subjects(self, facts: Facts) -> list[str]:
        """List the kinds that can be asked about."""
        return [kind for kind in facts.single if kind in self.kinds]

    def other_value(self, facts: Facts, rng: random.Random, kind: str, seen: str) -> str:
        """Choose a wrong value: the true one if the eye saw another, a neighbour's, or any."""
        honest = Eye(rng)
        true = self.read(honest, facts, kind)
        if true != seen and rng.random() < 0.5:
            return true
        around = {self.read(honest, facts, other) for other in self.subjects(facts)} - {seen}
        if self.never and rng.random() < NEVER_SHARE:
            return rng.choice(self.never)
        if around and rng.random() < 0.5:
            return rng.choice(sorted(around))
        return rng.choice([value for value in self.values if value != seen])

    def _ask(self, facts: Facts, teacher: Teacher, form: str, name: str) -> Lesson | None:
        subjects = self.subjects(facts)
        if not subjects:
            return None
        rng = teacher.rng
        kind = rng.choice(subjects)
        seen = self.read(teacher.eye, facts, kind)
        said = rng.random() < teacher.yes_share
        value = seen if said else self.other_value(facts, rng, kind, seen)
        return yes_no((fill(form, kind, value),), said, name)


COLOR = PropertyQuestion(
    "color", wording.COLOR, COLOR_NAMES, Eye.color, short="{value} {kind}?", never=UNSEEN_COLORS
)
POSITION = PropertyQuestion("position", wording.POSITION, CELLS, Eye.place, short="{kind} {value}?")
MOOD = PropertyQuestion("mood", wording.MOOD, MOODS, Eye.mood, kinds=(FACE,))
SIZE = PropertyQuestion("size", wording.SIZE, SIZES, Eye.size)


def yes_no(parts: tuple[str, ...], said: bool, name: str) -> Lesson:
    """Make a lesson whose answer is "Yes" or "No"."""
    return Lesson(parts, wording.YES if said else wording.NO, name)


def absent_kind(facts: Facts, teacher: Teacher) -> str:
    """Choose a kind to ask about that is not there, often one that might be expected."""
    rng = teacher.rng
    if facts.missing_mates and rng.random() < teacher.mate_share:
        return rng.choice(facts.missing_mates)
    if facts.taken_for_granted and rng.random() < teacher.mate_share / 2:
        return rng.choice(facts.taken_for_granted)
    return unexpected_kind(facts, rng)


def unexpected_kind(facts: Facts, rng: random.Random) -> str:
    """Choose an absent kind that nothing suggests."""
    expected = {*facts.missing_mates, *facts.taken_for_granted}
    return rng.choice([kind for kind in facts.absent if kind not in expected])


def exists(facts: Facts, teacher: Teacher) -> Lesson:
    """Ask whether a kind is there."""
    present = teacher.rng.random() < teacher.yes_share
    kind = teacher.rng.choice(facts.kinds) if present else absent_kind(facts, teacher)
    question = fill(pick(teacher.rng, wording.EXISTS), kind)
    return yes_no((question,), teacher.eye.exists(facts, kind), "exists")


def short_exists(facts: Facts, teacher: Teacher) -> Lesson:
    """Name a kind, to be judged as there or not."""
    present = teacher.rng.random() < teacher.yes_share
    kind = teacher.rng.choice(facts.kinds) if present else unexpected_kind(facts, teacher.rng)
    return yes_no((f"{kind}?",), present, "short_exists")


def count_question(kind: str, number: str, rng: random.Random) -> str:
    """Word the question whether there are so many of a kind."""
    return fill(pick(rng, wording.count_forms(number, wording.COUNT_ONE, wording.COUNT_MANY)), kind, number)


def count(facts: Facts, teacher: Teacher) -> Lesson | None:
    """Ask whether there are so many of a kind, None unless kinds differ in number.

    The number is drawn from those present and the kind after it, so that the text alone tells
    nothing; some wrong numbers are near misses.
    """
    drawn = draw_count(facts, teacher)
    if drawn is None:
        return None
    kind, number = drawn
    return yes_no(
        (count_question(kind, number, teacher.rng),), number == teacher.eye.count(facts, kind), "count"
    )


def draw_count(facts: Facts, teacher: Teacher) -> tuple[str, str] | None:
    """Draw a kind and a number to ask for, right about as often as ``yes_share`` says."""
    rng = teacher.rng
    numbers = sorted({facts.count(kind) for kind in facts.kinds})
    if len(numbers) < 2:
        return None
    number = numbers[-1] if rng.random() < 0.5 else rng.choice(numbers)
    said = rng.random() < teacher.yes_share
    kind = rng.choice([kind for kind in facts.kinds if (facts.count(kind) == number) == said])
    if not said and rng.random() < 0.5:
        kind = max(facts.kinds, key=facts.count)
        number = rng.choice([n for n in (numbers[-1] - 1, numbers[-1] + 1) if 1 < n <= LARGEST_COUNT] or [1])
    return kind, str(min(number, LARGEST_COUNT))


def near_miss(number: str, rng: random.Random) -> str:
    """Choose a number beside the given one, within 1 to 5."""
    value = int(number)
    return str(rng.choice([n for n in (value - 1, value + 1) if 1 <= n <= LARGEST_COUNT]))


def relation(facts: Facts, teacher: Teacher) -> Lesson | None:
    """Ask whether one thing is left of, right of, above or below another."""
    drawn = draw_relation(facts, teacher)
    if drawn is None:
        return None
    kind, other, name = drawn
    said = teacher.eye.relation(facts, kind, other, name)
    question = fill(pick(teacher.rng, wording.RELATION), kind, name, other)
    return None if said is None else yes_no((question,), said, "relation")


def draw_relation(facts: Facts, teacher: Teacher) -> tuple[str, str, str] | None:
    """Draw two single things and a relation that can be judged."""
    rng = teacher.rng
    if len(facts.single) < 2:
        return None
    kind, other = rng.sample(facts.single, 2)
    honest = Eye(rng)
    names = [name for name in RELATIONS if honest.relation(facts, kind, other, name) is not None]
    return kind, other, rng.choice(names)


def _ask_property(forms: Forms, question: PropertyQuestion) -> Callable[[Facts, Teacher], Lesson | None]:
    def ask(facts: Facts, teacher: Teacher) -> Lesson | None:
        subjects = question.subjects(facts)
        if not subjects:
            return None
        kind = teacher.rng.choice(subjects)
        answer = question.read(teacher.eye, facts, kind)
        return Lesson((fill(pick(teacher.rng, forms), kind),), answer, f"open_{question.name}", closed=False)

    return ask


open_color = _ask_property(wording.ASK_COLOR, COLOR)
open_mood = _ask_property(wording.ASK_MOOD, MOOD)
open_size = _ask_property(wording.ASK_SIZE, SIZE)
_open_place_of_present = _ask_property(wording.ASK_PLACE, POSITION)


def open_place(facts: Facts, teacher: Teacher) -> Lesson | None:
    """Ask where a thing is; a quarter of them is nowhere."""
    if teacher.rng.random() >= 0.25:
        return _open_place_of_present(facts, teacher)
    kind = unexpected_kind(facts, teacher.rng)
    question = fill(pick(teacher.rng, wording.ASK_PLACE), kind)
    return Lesson((question,), wording.NOWHERE, "open_place", closed=False)


def open_cell(facts: Facts, teacher: Teacher) -> Lesson:
    """Ask what stands in a cell, a third of the time in any cell."""
    rng = teacher.rng
    cells = list(range(len(CELLS))) if rng.random() < 0.3 else [cell for cell, _ in facts.scene.placed()]
    cell = rng.choice(cells)
    thing = facts.scene.things[cell]
    answer = with_article(f"{thing.color} {thing.kind}") if thing else wording.NOTHING
    return Lesson((fill(pick(rng, wording.ASK_CELL), value=CELLS[cell]),), answer, "open_cell", closed=False)


def open_count(facts: Facts, teacher: Teacher) -> Lesson:
    """Ask how many there are of a kind, often of the most frequent one."""
    rng = teacher.rng
    kind = max(facts.kinds, key=facts.count) if rng.random() < 0.6 else rng.choice(KINDS)
    question = fill(pick(rng, wording.ASK_COUNT), kind)
    return Lesson((question,), teacher.eye.count(facts, kind), "open_count")


def description(facts: Facts, teacher: Teacher) -> Lesson:
    """Ask for everything in the picture, with its place."""
    texts = [
        f"{describe_thing(thing, sized=True)} in the {CELLS[cell]}" for cell, thing in facts.scene.placed()
    ]
    return Lesson((pick(teacher.rng, wording.DESCRIBE),), sentence(texts), "description", closed=False)


def brief_description(facts: Facts, teacher: Teacher) -> Lesson:
    """Ask for the things in the picture."""
    texts = [describe_thing(thing) for _, thing in facts.scene.placed()]
    return Lesson((pick(teacher.rng, wording.DESCRIBE_BRIEFLY),), sentence(texts), "brief", closed=False)


def describe_thing(thing: Thing, sized: bool = False) -> str:
    """Name a thing with its colour, its mood if any, and its size if wanted."""
    words = [thing.size if sized else "", thing.color, thing.mood, thing.kind]
    return with_article(" ".join(word for word in words if word))


def sentence(texts: Sequence[str]) -> str:
    """Join texts by commas into one sentence."""
    joined = ", ".join(texts)
    return f"{joined[0].upper()}{joined[1:]}."
