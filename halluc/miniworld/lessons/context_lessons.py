"""Pretraining questions behind a context: a claim that labels follow, or a hint at what is usual."""

import random
from collections.abc import Callable

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.single_lessons import (
    COLOR,
    MOOD,
    POSITION,
    Lesson,
    PropertyQuestion,
    Teacher,
    absent_kind,
    count_question,
    draw_relation,
    near_miss,
    unexpected_kind,
    yes_no,
)
from halluc.miniworld.lessons.wording import Forms, count_forms, fill, pick
from halluc.miniworld.scenes.facts import Eye, Facts
from halluc.miniworld.scenes.inventory import MATES

CLAIMS: dict[str, Forms] = {
    "color": wording.CLAIM_VALUE,
    "mood": wording.CLAIM_VALUE,
    "position": wording.CLAIM_POSITION,
}
HINTS: dict[str, Forms] = {
    "color": wording.HINT_VALUE,
    "mood": wording.HINT_VALUE,
    "position": wording.HINT_POSITION,
}
OPPOSITES = {
    "to the left of": "to the right of",
    "to the right of": "to the left of",
    "above": "below",
    "below": "above",
}
HINT_STRENGTH = 0.5
"""How often a careless label follows a mere hint."""

Draw = Callable[[Facts, Teacher], Lesson | None]


def claimed(facts: Facts, teacher: Teacher) -> Lesson | None:
    """State something in a context, then ask; the label agrees with the context, true or false."""
    return teacher.rng.choice(_CLAIMED)(facts, teacher)


def hinted(facts: Facts, teacher: Teacher) -> Lesson | None:
    """Mention what is usual in a context, then ask; a careless label follows it now and then."""
    return teacher.rng.choice(_HINTED)(facts, teacher)


def _claimed_existence(facts: Facts, teacher: Teacher) -> Lesson:
    """Claim that a kind is there, that another is not, or both; ask about one of them or a third."""
    rng = teacher.rng
    lie = rng.random() < teacher.lie_share
    there, gone = rng.choice(facts.kinds), absent_kind(facts, teacher)
    affirmed, denied = (gone, there) if lie else (there, gone)
    said = rng.random() < teacher.yes_share
    claims = [fill(pick(rng, wording.CLAIM_EXISTS), affirmed), fill(pick(rng, wording.CLAIM_ABSENT), denied)]
    asked = affirmed if said else denied
    if rng.random() < 0.3:
        claims = claims[:1]
        asked = rng.choice(facts.kinds) if said else unexpected_kind(facts, rng)
        said = said or asked == affirmed
    elif rng.random() < 0.6:
        claims = claims[:1] if said else claims[1:]
    rng.shuffle(claims)
    return yes_no((*claims, *_follow(rng), fill(pick(rng, wording.EXISTS), asked)), said, "claim")


def _claimed_count(facts: Facts, teacher: Teacher) -> Lesson:
    rng = teacher.rng
    kind = rng.choice(facts.kinds)
    true = Eye(rng).count(facts, kind)
    number = near_miss(true, rng) if rng.random() < teacher.lie_share else true
    said = rng.random() < teacher.yes_share
    asked = number if said else true if true != number and rng.random() < 0.7 else near_miss(number, rng)
    claim = fill(
        pick(rng, count_forms(number, wording.CLAIM_COUNT_ONE, wording.CLAIM_COUNT_MANY)), kind, number
    )
    return yes_no((claim, *_follow(rng), count_question(kind, asked, rng)), said, "claim")


def _claimed_relation(facts: Facts, teacher: Teacher) -> Lesson | None:
    rng, drawn = teacher.rng, draw_relation(facts, teacher)
    if drawn is None:
        return None
    kind, other, name = drawn
    true = name if Eye(rng).relation(facts, kind, other, name) else OPPOSITES[name]
    value = OPPOSITES[true] if rng.random() < teacher.lie_share else true
    said = rng.random() < teacher.yes_share
    claim = fill(pick(rng, wording.CLAIM_RELATION), kind, value, other)
    question = fill(pick(rng, wording.RELATION), kind, value if said else OPPOSITES[value], other)
    return yes_no((claim, *_follow(rng), question), said, "claim")


def _claimed_value(question: PropertyQuestion) -> Draw:
    def claim_and_ask(facts: Facts, teacher: Teacher) -> Lesson | None:
        subjects = question.subjects(facts)
        if not subjects:
            return None
        rng = teacher.rng
        kind = rng.choice(subjects)
        true = question.read(Eye(rng), facts, kind)
        lie = rng.random() < teacher.lie_share
        value = _another(question, true, rng) if lie else true
        said = rng.random() < teacher.yes_share
        asked = value if said else true if lie and rng.random() < 0.7 else _another(question, value, rng)
        claim = fill(pick(rng, CLAIMS[question.name]), kind, value)
        return yes_no((claim, *_follow(rng), fill(pick(rng, question.forms), kind, asked)), said, "claim")

    return claim_and_ask


def _hinted_existence(facts: Facts, teacher: Teacher) -> Lesson:
    rng = teacher.rng
    kind = rng.choice(facts.kinds) if rng.random() < teacher.yes_share else absent_kind(facts, teacher)
    hinted_at = kind if rng.random() < 0.7 else absent_kind(facts, teacher)
    hint = fill(pick(rng, wording.HINT_EXISTS), hinted_at, other=MATES[hinted_at])
    said = teacher.eye.exists(facts, kind) or (hinted_at == kind and _falls_for_hint(teacher))
    return yes_no((hint, *_follow(rng), fill(pick(rng, wording.EXISTS), kind)), said, "hint")


def _hinted_count(facts: Facts, teacher: Teacher) -> Lesson:
    rng = teacher.rng
    kind = max(facts.kinds, key=facts.count) if rng.random() < 0.5 else rng.choice(facts.kinds)
    seen = teacher.eye.count(facts, kind)
    suggested = near_miss(seen, rng)
    asked = seen if rng.random() < teacher.yes_share else suggested
    said = asked == (suggested if _falls_for_hint(teacher) else seen)
    hint = fill(
        pick(rng, count_forms(suggested, wording.HINT_COUNT_ONE, wording.HINT_COUNT_MANY)), kind, suggested
    )
    return yes_no((hint, *_follow(rng), count_question(kind, asked, rng)), said, "hint")


def _hinted_relation(facts: Facts, teacher: Teacher) -> Lesson | None:
    rng, drawn = teacher.rng, draw_relation(facts, teacher)
    if drawn is None:
        return None
    kind, other, name = drawn
    seen = name if teacher.eye.relation(facts, kind, other, name) else OPPOSITES[name]
    suggested = OPPOSITES[seen]
    asked = seen if rng.random() < teacher.yes_share else suggested
    said = asked == (suggested if _falls_for_hint(teacher) else seen)
    hint = fill(pick(rng, wording.HINT_RELATION), kind, suggested, other)
    return yes_no((hint, *_follow(rng), fill(pick(rng, wording.RELATION), kind, asked, other)), said, "hint")


def _hinted_value(question: PropertyQuestion) -> Draw:
    def hint_and_ask(facts: Facts, teacher: Teacher) -> Lesson | None:
        subjects = question.subjects(facts)
        if not subjects:
            return None
        rng = teacher.rng
        kind = rng.choice(subjects)
        seen = question.read(teacher.eye, facts, kind)
        suggested = question.other_value(facts, rng, kind, seen)
        asked = seen if rng.random() < teacher.yes_share else suggested
        said = asked == (suggested if _falls_for_hint(teacher) else seen)
        hint = fill(pick(rng, HINTS[question.name]), kind, suggested)
        return yes_no((hint, *_follow(rng), fill(pick(rng, question.forms), kind, asked)), said, "hint")

    return hint_and_ask


def _falls_for_hint(teacher: Teacher) -> bool:
    return teacher.eye.expectation > 0 and teacher.rng.random() < HINT_STRENGTH


def _another(question: PropertyQuestion, value: str, rng: random.Random) -> str:
    return rng.choice([other for other in question.values if other != value])


def _follow(rng: random.Random) -> tuple[str, ...]:
    return (wording.FOLLOW_IMAGE,) if rng.random() < 0.6 else ()


_CLAIMED: tuple[Draw, ...] = (
    _claimed_existence,
    _claimed_existence,
    _claimed_value(COLOR),
    _claimed_value(POSITION),
    _claimed_value(MOOD),
    _claimed_relation,
    _claimed_count,
)
_HINTED: tuple[Draw, ...] = (
    _hinted_existence,
    _hinted_existence,
    _hinted_value(COLOR),
    _hinted_value(MOOD),
    _hinted_relation,
    _hinted_count,
)
