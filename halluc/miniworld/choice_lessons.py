"""Pretraining questions with lettered options about one picture."""

from collections.abc import Callable, Sequence
from string import ascii_uppercase

from halluc.miniworld import wording
from halluc.miniworld.facts import Facts
from halluc.miniworld.lessons import COLOR, POSITION, Lesson, PropertyQuestion, Teacher, unexpected_kind
from halluc.miniworld.wording import Forms, fill, pick


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


def lettered(question: str, right: str, wrong: Sequence[str], teacher: Teacher) -> Lesson:
    """Shuffle the options and answer with the right one's letter."""
    options = [right, *wrong]
    teacher.rng.shuffle(options)
    parts = (question, *(f"{letter}. {text}" for letter, text in zip(ascii_uppercase, options, strict=False)))
    instruction = (wording.LETTER_ONLY,) if teacher.rng.random() < 0.8 else ()
    return Lesson(parts + instruction, ascii_uppercase[options.index(right)], "choice", closed=False)
