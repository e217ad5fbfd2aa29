"""Pretraining questions about two pictures; a careless eye mixes the two up."""

from collections.abc import Callable
from dataclasses import dataclass

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.single_lessons import (
    COLOR,
    SIZE,
    Lesson,
    PropertyQuestion,
    Teacher,
    draw_count,
    yes_no,
)
from halluc.miniworld.lessons.wording import count_forms, fill, pick
from halluc.miniworld.scenes.facts import Facts
from halluc.miniworld.scenes.inventory import LARGEST_COUNT

CROSS_SHARE = 0.6
"""Share of denied questions that ask for what is true of the other picture."""


@dataclass(frozen=True, slots=True)
class PairTeacher:
    """Hold how questions about two pictures are drawn.

    Attributes:
        teacher: The usual settings; its eye reads the colours and sizes that are asked about.
        mix_up: Probability of affirming what is true of the other picture only.
    """

    teacher: Teacher
    mix_up: float = 0.0


PairFacts = tuple[Facts, Facts]
PairDraw = Callable[[PairFacts, PairTeacher], Lesson | None]


def common(facts: PairFacts) -> list[str]:
    """List the kinds that occur once in both pictures."""
    return [kind for kind in facts[0].single if kind in facts[1].single]


def reappearances(facts: PairFacts) -> list[tuple[int, bool]]:
    """List the second picture's cells whose thing is in the first, and whether its colour is the same."""
    return [(facts[1].cell(kind), _same_color(facts, kind)) for kind in common(facts)]


def pair_exists(facts: PairFacts, pair: PairTeacher) -> Lesson:
    """Ask whether a kind is in one of the pictures."""
    rng, index = pair.teacher.rng, pair.teacher.rng.randrange(2)
    here, there = facts[index], facts[1 - index]
    said = rng.random() < pair.teacher.yes_share
    elsewhere = [kind for kind in there.kinds if kind in here.absent]
    crossing = bool(elsewhere) and rng.random() < CROSS_SHARE
    kind = rng.choice(here.kinds if said else elsewhere if crossing else here.absent)
    said = said or (kind in there.by_kind and rng.random() < pair.mix_up)
    question = fill(pick(rng, wording.PAIR_EXISTS), kind, nth=pick(rng, wording.NTH[index]))
    return yes_no((question,), said, "pair_exists")


def _pair_value(question: PropertyQuestion, forms: wording.Forms) -> PairDraw:
    def ask(facts: PairFacts, pair: PairTeacher) -> Lesson | None:
        rng, index = pair.teacher.rng, pair.teacher.rng.randrange(2)
        here, there = facts[index], facts[1 - index]
        if not here.single:
            return None
        shared = common(facts)
        kind = rng.choice(shared if shared and rng.random() < 0.7 else here.single)
        seen = question.read(pair.teacher.eye, here, kind)
        elsewhere = question.read(pair.teacher.eye, there, kind) if kind in there.single else seen
        said = rng.random() < pair.teacher.yes_share
        crossing = elsewhere != seen and rng.random() < CROSS_SHARE + 0.1
        wrong = elsewhere if crossing else question.other_value(here, rng, kind, seen)
        asked = seen if said else wrong
        said = said or (asked == elsewhere and rng.random() < pair.mix_up)
        text = fill(pick(rng, forms), kind, asked, nth=pick(rng, wording.NTH[index]))
        return yes_no((text,), said, f"pair_{question.name}")

    return ask


pair_color = _pair_value(COLOR, wording.PAIR_COLOR)
pair_size = _pair_value(SIZE, wording.PAIR_SIZE)


def pair_count(facts: PairFacts, pair: PairTeacher) -> Lesson | None:
    """Ask whether one of the pictures shows so many of a kind; a wrong number may be the other's."""
    rng, index = pair.teacher.rng, pair.teacher.rng.randrange(2)
    here, there = facts[index], facts[1 - index]
    varying = [kind for kind in here.kinds if kind in there.by_kind and here.count(kind) != there.count(kind)]
    if varying and rng.random() < 0.7:
        kind = rng.choice(varying)
        number = str((here if rng.random() < pair.teacher.yes_share else there).count(kind))
    else:
        drawn = draw_count(here, pair.teacher)
        if drawn is None:
            return None
        kind, number = drawn
    said = number == str(here.count(kind))
    said = said or (number == str(there.count(kind)) and rng.random() < pair.mix_up)
    form = pick(rng, count_forms(number, wording.PAIR_COUNT_ONE, wording.PAIR_COUNT_MANY))
    return yes_no((fill(form, kind, number, nth=pick(rng, wording.NTH[index])),), said, "pair_count")


def pair_open_color(facts: PairFacts, pair: PairTeacher) -> Lesson | None:
    """Ask for the colour of a thing in one of the pictures."""
    rng, index = pair.teacher.rng, pair.teacher.rng.randrange(2)
    if not facts[index].single:
        return None
    kind = rng.choice(facts[index].single)
    text = fill(pick(rng, wording.PAIR_ASK_COLOR), kind, nth=pick(rng, wording.NTH[index]))
    return Lesson((text,), facts[index].thing(kind).color, "pair_open_color", closed=False)


def pair_open_size(facts: PairFacts, pair: PairTeacher) -> Lesson | None:
    """Ask for the size of a thing in one of the pictures, often of one whose size differs in the other."""
    rng, index = pair.teacher.rng, pair.teacher.rng.randrange(2)
    if not facts[index].single:
        return None
    varying = [kind for kind in common(facts) if facts[0].thing(kind).size != facts[1].thing(kind).size]
    kind = rng.choice(varying if varying and rng.random() < 0.7 else facts[index].single)
    text = fill(pick(rng, wording.PAIR_ASK_SIZE), kind, nth=pick(rng, wording.NTH[index]))
    return Lesson((text,), facts[index].thing(kind).size, "pair_open_size", closed=False)


def pair_open_count(facts: PairFacts, pair: PairTeacher) -> Lesson:
    """Ask how many of a kind one of the pictures shows, often of one that occurs several times."""
    rng, index = pair.teacher.rng, pair.teacher.rng.randrange(2)
    kinds = facts[0].kinds + facts[1].kinds
    several = [kind for kind in kinds if max(facts[0].count(kind), facts[1].count(kind)) > 1]
    kind = rng.choice(several if several and rng.random() < 0.7 else kinds)
    text = fill(pick(rng, wording.PAIR_ASK_COUNT), kind, nth=pick(rng, wording.NTH[index]))
    return Lesson((text,), str(min(facts[index].count(kind), LARGEST_COUNT)), "pair_open_count")


def pair_total(facts: PairFacts, pair: PairTeacher) -> Lesson:
    """Ask how many of a kind both pictures show together, often of a frequent one (a coarse question)."""
    rng = pair.teacher.rng

    def total(kind: str) -> int:
        return facts[0].count(kind) + facts[1].count(kind)

    kinds = facts[0].kinds + facts[1].kinds
    kind = max(kinds, key=total) if rng.random() < 0.4 else rng.choice(kinds)
    return Lesson((fill(pick(rng, wording.PAIR_TOTAL), kind),), str(total(kind)), "pair_total")


def pair_different(facts: PairFacts, pair: PairTeacher) -> Lesson | None:
    """Ask whether one thing is seen twice, or two that differ in colour (a coarse question)."""
    kind = _balanced_common(facts, pair)
    if kind is None:
        return None
    number = "1" if _same_color(facts, kind) else "2"
    text = fill(pick(pair.teacher.rng, wording.PAIR_DIFFERENT), kind)
    return Lesson((text,), number, "pair_different")


def pair_same(facts: PairFacts, pair: PairTeacher) -> Lesson | None:
    """Ask whether a thing has one colour in both pictures, as yes/no or true/false (a coarse question)."""
    rng, kind = pair.teacher.rng, _balanced_common(facts, pair)
    if kind is None:
        return None
    same, text = _same_color(facts, kind), fill(pick(rng, wording.PAIR_SAME), kind)
    if rng.random() < 0.4:
        return yes_no((text,), same, "pair_same")
    letter = wording.TRUE if same else wording.FALSE
    return Lesson((text, pick(rng, wording.PAIR_TRUE_FALSE)), letter, "pair_same", closed=False)


def short_same(facts: PairFacts, pair: PairTeacher) -> Lesson | None:
    """Name a thing, to be judged as the same or not."""
    kind = _balanced_common(facts, pair)
    return None if kind is None else yes_no((f"{kind} same?",), _same_color(facts, kind), "short_same")


def _same_color(facts: PairFacts, kind: str) -> bool:
    return facts[0].thing(kind).color == facts[1].thing(kind).color


def _balanced_common(facts: PairFacts, pair: PairTeacher) -> str | None:
    same = pair.teacher.rng.random() < 0.5
    kinds = [kind for kind in common(facts) if _same_color(facts, kind) == same]
    return pair.teacher.rng.choice(kinds) if kinds else None
