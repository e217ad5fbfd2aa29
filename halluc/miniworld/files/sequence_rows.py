"""Sequences of two pictures, as rows for the builder of gated records."""

import random
from typing import Any

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.pair_lessons import PairFacts, common
from halluc.miniworld.lessons.wording import fill
from halluc.miniworld.scenes.facts import Facts

Row = dict[str, Any]
FURTHER_SUBJECTS = 1
"""Things asked about in each picture besides the one of the coarse question."""


def sequence_row(sequence_id: str, images: list[str], facts: PairFacts, rng: random.Random) -> Row | None:
    """Make a row ``{sequence_id, task, images, coarse, attributes}``.

    The coarse question asks, of a thing that both pictures show once, either how many different ones
    there are (1 if the colours agree, else 2) or whether the colour is the same (T or F). Attributes
    are the colour and size of things and, where there are several of a kind, their number.

    Returns:
        The row; None if the pictures have no such thing in common.
    """
    shared = common(facts)
    if not shared:
        return None
    agreeing = rng.random() < 0.5
    subject = next((k for k in rng.sample(shared, len(shared)) if _same(facts, k) == agreeing), shared[0])
    task = rng.choice(["count_different", "same_color"])
    attributes = [item for place in (0, 1) for item in _attributes(place, facts[place], subject, rng)]
    return {
        "sequence_id": sequence_id,
        "task": task,
        "images": images,
        "coarse": _coarse(task, subject, _same(facts, subject)),
        "attributes": attributes,
    }


def _coarse(task: str, subject: str, same: bool) -> Row:
    if task == "count_different":
        question = fill(wording.PAIR_DIFFERENT[0], subject)
        return {"type": "count", "question": question, "gold": 1 if same else 2}
    question = f"{fill(wording.PAIR_SAME[0], subject)} {wording.PAIR_TRUE_FALSE[0]}"
    return {"type": "true_false", "question": question, "gold": wording.TRUE if same else wording.FALSE}


def _attributes(place: int, facts: Facts, subject: str, rng: random.Random) -> list[Row]:
    others = [kind for kind in facts.single if kind != subject]
    asked = [subject, *rng.sample(others, min(FURTHER_SUBJECTS, len(others)))]
    rows = [_attribute(place, kind, "color", facts.thing(kind).color) for kind in asked]
    rows.append(_attribute(place, subject, "size", facts.thing(subject).size))
    several = [kind for kind in facts.kinds if facts.count(kind) > 1]
    return rows + [_attribute(place, kind, "number", str(facts.count(kind))) for kind in several]


def _attribute(place: int, subject: str, attribute: str, value: str) -> Row:
    return {"image": place, "subject": subject, "attribute": attribute, "value": value}


def _same(facts: PairFacts, kind: str) -> bool:
    return facts[0].thing(kind).color == facts[1].thing(kind).color
