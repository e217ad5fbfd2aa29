"""PhD records that need more than boxes: attributes, moods, and pictures that contradict common sense.

The tasks ``object``, ``counting`` and ``positional`` of ordinary pictures come from the builders.

Reference:
    Liu et al., PhD, arXiv 2403.11116; the layout is the published one.
"""

import random
from collections.abc import Callable
from typing import Any

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.single_lessons import COLOR, MOOD, PropertyQuestion
from halluc.miniworld.lessons.wording import fill
from halluc.miniworld.scenes.facts import Eye, Facts
from halluc.miniworld.scenes.inventory import (
    CANONICAL_COLORS,
    CANONICAL_MOOD,
    FACE,
    MATES,
    SINGLE_KINDS,
    SKY_KINDS,
    with_article,
)

Row = dict[str, Any]
FACT_TASKS: dict[str, PropertyQuestion] = {"attribute": COLOR, "sentiment": MOOD}
"""Tasks of ordinary pictures that the builders leave to whoever knows colours and moods."""


def fact_row(task: str, facts: Facts, rng: random.Random) -> Row | None:
    """Make a record of ``attribute`` or ``sentiment``, with a specious and an incorrect context.

    Returns:
        The record without its picture; None if the scene offers no subject.
    """
    question = FACT_TASKS[task]
    subjects = question.subjects(facts)
    if not subjects:
        return None
    subject = rng.choice(subjects)
    true = question.read(Eye(rng), facts, subject)
    wrong = _plausible(question, facts, rng, subject, true)
    return {
        "task": task,
        **_questions(fill(question.forms[0], subject, true), fill(question.forms[0], subject, wrong)),
        "hitem": wrong,
        "gt": true,
        "subject": subject,
        "context": {
            "sec": fill(wording.pick(rng, wording.HINT_VALUE), subject, wrong),
            "icc": fill(wording.pick(rng, wording.CLAIM_VALUE), subject, wrong),
        },
    }


def unusual_row(task: str, facts: Facts, rng: random.Random) -> Row | None:
    """Make a counter-common-sense record whose denied side is what is usual.

    Returns:
        The record without its picture; None if nothing about the scene is unusual in this way.
    """
    return UNUSUAL_TASKS[task](facts, rng)


def _unusual_object(facts: Facts, rng: random.Random) -> Row | None:
    if not facts.missing_mates:
        return None
    missing = rng.choice(facts.missing_mates)
    there = MATES[missing]
    description = f"{with_article(there).capitalize()} without {with_article(missing)}."
    return _unusual("object", fill(wording.EXISTS[0], there), fill(wording.EXISTS[0], missing), description)


def _unusual_attribute(facts: Facts, rng: random.Random) -> Row | None:
    kinds = [k for k in facts.single if CANONICAL_COLORS.get(k, facts.thing(k).color) != facts.thing(k).color]
    if not kinds:
        return None
    kind = rng.choice(kinds)
    color, usual = facts.thing(kind).color, CANONICAL_COLORS[kind]
    form = wording.COLOR[0]
    description = f"{with_article(kind).capitalize()} that is {color}, not {usual}."
    return _unusual("attribute", fill(form, kind, color), fill(form, kind, usual), description)


def _unusual_sentiment(facts: Facts, rng: random.Random) -> Row | None:
    del rng
    if FACE not in facts.single:
        return None
    face = facts.thing(FACE)
    usual = CANONICAL_MOOD.get(face.color, face.mood)
    if usual == face.mood:
        return None
    form = wording.MOOD[0]
    description = f"A {face.color} face that is {face.mood}."
    return _unusual("sentiment", fill(form, FACE, face.mood), fill(form, FACE, usual), description)


def _unusual_position(facts: Facts, rng: random.Random) -> Row | None:
    below = [
        (sky, ground)
        for sky in facts.single
        for ground in facts.single
        if sky in SKY_KINDS and ground not in SKY_KINDS and Eye(rng).relation(facts, sky, ground, "below")
    ]
    if not below:
        return None
    sky, ground = rng.choice(below)
    form = wording.RELATION[0]
    yes, no = (fill(form, sky, relation, ground) for relation in ("below", "above"))
    return _unusual("positional", yes, no, f"The {sky} is below the {ground}.")


def _unusual_count(facts: Facts, rng: random.Random) -> Row | None:
    several = [kind for kind in SINGLE_KINDS if facts.count(kind) > 1]
    if not several:
        return None
    kind = rng.choice(several)
    number = str(facts.count(kind))
    description = f"More than one {kind}."
    return _unusual("counting", _exactly(kind, number), _exactly(kind, "1"), description)


UNUSUAL_TASKS: dict[str, Callable[[Facts, random.Random], Row | None]] = {
    "object": _unusual_object,
    "attribute": _unusual_attribute,
    "sentiment": _unusual_sentiment,
    "positional": _unusual_position,
    "counting": _unusual_count,
}


def _plausible(question: PropertyQuestion, facts: Facts, rng: random.Random, subject: str, true: str) -> str:
    """Choose the canonical colour as the wrong one where it is wrong, else as in training."""
    usual = CANONICAL_COLORS.get(subject, true) if question is COLOR else true
    return usual if usual != true else question.other_value(facts, rng, subject, true)


def _exactly(kind: str, number: str) -> str:
    forms = wording.count_forms(number, wording.COUNT_ONE, wording.COUNT_MANY)
    return fill(next(form for form in forms if "exactly {number}" in form), kind, number)


def _questions(yes: str, no: str) -> Row:
    return {"yes_question": yes, "no_question": no}


def _unusual(task: str, yes: str, no: str, description: str) -> Row:
    return {"task": task, **_questions(yes, no), "ccs_description": description}
