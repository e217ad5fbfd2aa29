"""Pretraining questions with lettered options about one picture."""

from collections.abc import Callable, Sequence
from string import ascii_uppercase

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.single_lessons import (
    COLOR,
    POSITION,
    Lesson,
    PropertyQuestion,
    Teacher,
    unexpected_kind,
)
from halluc.miniworld.lessons.wording import Forms, fill, pick
from halluc.miniworld.scenes.facts import Eye, Facts
from halluc.miniworld.scenes.inventory import COLOR_NAMES


def choose_kind(facts: Facts, teacher: Teacher) -> Lesson:
    """Ask which of four kinds is in the picture; wrong ones are mostly nothing to be expected."""
    rng = teacher.rng
    right = rng.choice(facts.kinds)
    wrong: list[str] = []
    while len(wrong) < 3:
        kind = rng.choice(facts.absent) if rng.random() < 0.3 else unexpected_kind(facts, rng)
        if kind not in wrong:
            wrong.append(kind)
    return lettered(pick(rng, wording.ASK_WHICH), right, wrong, teacher)


def choose_count(facts: Facts, teacher: Teacher) -> Lesson:
    """Ask how many there are of a kind, with four numbers to choose from."""
    rng = teacher.rng
    kind = max(facts.kinds, key=facts.count) if rng.random() < 0.5 else rng.choice(facts.kinds)
    right = teacher.eye.count(facts, kind)
    near = range(max(1, int(right) - 3), int(right) + 4)
    wrong = rng.sample([str(number) for number in near if str(number) != right], 3)
    return lettered(fill(pick(rng, wording.ASK_COUNT), kind), right, wrong, teacher)


def _choose_value(forms: Forms, question: PropertyQuestion) -> Callable[[Facts, Teacher], Lesson | None]:
    def choose(facts: Facts, teacher: Teacher) -> Lesson | None:
        subjects = question.subjects(facts)
        if not subjects:
            return None
        kind = teacher.rng.choice(subjects)
        right = question.read(teacher.eye, facts, kind)
        wrong = teacher.rng.sample([value for value in question.values if value != right], 3)
        return lettered(fill(pick(teacher.rng, forms), kind), right, wrong, teacher)

    return choose


choose_color = _choose_value(wording.ASK_COLOR, COLOR)
choose_place = _choose_value(wording.ASK_PLACE, POSITION)


def choose_detail(facts: Facts, teacher: Teacher) -> Lesson | None:
    """Ask for the colour of a thing or the side it is on, with options in parentheses."""
    drawn = draw_detail(facts, teacher.eye, teacher.rng.choice(DETAILS))
    return None if drawn is None else lettered(*drawn, teacher, mark="({})")


def draw_detail(facts: Facts, eye: Eye, category: str) -> tuple[str, str, list[str]] | None:
    """Draw a question about a detail.

    Args:
        facts: The scene.
        eye: Who answers.
        category: ``direct_attributes`` or ``relative_position``.

    Returns:
        Question, right option and wrong ones; None if the scene offers no subject.
    """
    return DRAW_DETAIL[category](facts, eye)


def _draw_color(facts: Facts, eye: Eye) -> tuple[str, str, list[str]] | None:
    small = [kind for kind in facts.single if facts.thing(kind).size == "small"]
    if not facts.single:
        return None
    kind = eye.rng.choice(small or facts.single)
    right = eye.color(facts, kind)
    wrong = eye.rng.sample([color for color in COLOR_NAMES if color != right], 3)
    return fill(wording.ASK_COLOR[0], kind), right, wrong


def _draw_side(facts: Facts, eye: Eye) -> tuple[str, str, list[str]] | None:
    if len(facts.single) < 2:
        return None
    kind, other = eye.rng.sample(facts.single, 2)
    sides = [
        (ask, options, said)
        for ask, options, name in (
            (wording.ASK_SIDE, wording.SIDES, "to the left of"),
            (wording.ASK_HEIGHT, wording.HEIGHTS, "above"),
        )
        if (said := eye.relation(facts, kind, other, name)) is not None
    ]
    if not sides:
        return None
    ask, options, said = eye.rng.choice(sides)
    first, second = (fill(option, kind, other=other) for option in options)
    right, wrong = (first, second) if said else (second, first)
    return fill(ask[0], kind, other=other), right, [wrong]


DRAW_DETAIL: dict[str, Callable[[Facts, Eye], tuple[str, str, list[str]] | None]] = {
    "direct_attributes": _draw_color,
    "relative_position": _draw_side,
}
DETAILS: tuple[str, ...] = tuple(DRAW_DETAIL)


def lettered(question: str, right: str, wrong: Sequence[str], teacher: Teacher, mark: str = "{}.") -> Lesson:
    """Shuffle the options, mark each with its letter, and answer with the right one's letter."""
    options = [right, *wrong]
    teacher.rng.shuffle(options)
    marks = [mark.format(letter) for letter in ascii_uppercase[: len(options)]]
    parts = (question, *(f"{letter} {text}" for letter, text in zip(marks, options, strict=True)))
    instruction = (wording.LETTER_ONLY,) if teacher.rng.random() < 0.8 else ()
    return Lesson(parts + instruction, ascii_uppercase[options.index(right)], "choice", closed=False)
