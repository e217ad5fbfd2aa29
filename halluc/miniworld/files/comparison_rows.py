"""Rows like those of VLM2-Bench's object cues: true/false pairs, counting and grouping over pictures.

Reference:
    Zhang et al., VLM2-Bench, arXiv 2502.12084; the fields are the published ones.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.wording import fill
from halluc.miniworld.scenes.facts import Facts

Row = dict[str, Any]
GROUPS: dict[tuple[int, ...], str] = {(0, 0, 1): "A", (0, 1, 0): "B", (0, 1, 1): "C", (0, 0, 0): "D"}
"""Which of three pictures show the same, the first being 0, to the letter of the option that says so."""


def pair_rows(name: str, images: Sequence[str], facts: Sequence[Facts], rng: random.Random) -> Iterator[Row]:
    """Ask about two pictures: a statement and its negation, each true or false, and how many there are.

    Yields:
        ``oc_cpr`` twice and ``oc_cnt`` once; nothing if the pictures have no single kind in common.
    """
    shared = _shared(facts)
    if not shared:
        return
    kind = rng.choice(shared)
    same = _pattern(kind, facts) == (0, 0)
    for half, form, holds in (("p", wording.PAIR_SAME, same), ("n", wording.PAIR_DIFFER, not same)):
        question = f"{fill(form[0], kind)} {wording.PAIR_TRUE_FALSE[0]}"
        answer = wording.TRUE if holds else wording.FALSE
        yield _row("oc_cpr", f"{name}_{half}", question, answer, images)
    question = fill(wording.PAIR_DIFFERENT[0], kind)
    yield _row("oc_cnt", name, question, "1" if same else "2", images) | {"image_seq_len": len(images)}


def group_row(
    name: str, images: Sequence[str], facts: Sequence[Facts], letter: str, rng: random.Random
) -> Row | None:
    """Ask which of three pictures show the same thing; None if this letter is no such answer."""
    kinds = [kind for kind in _shared(facts) if GROUPS.get(_pattern(kind, facts)) == letter]
    if not kinds:
        return None
    option = next(part for part in wording.GROUP_OPTIONS if part.startswith(letter))
    question = f"{fill(wording.GROUP_SAME[0], rng.choice(kinds))} {'; '.join(wording.GROUP_OPTIONS)}"
    return _row("oc_grp", name, question, option, images)


def _shared(facts: Sequence[Facts]) -> list[str]:
    return [kind for kind in facts[0].single if all(kind in other.single for other in facts[1:])]


def _pattern(kind: str, facts: Sequence[Facts]) -> tuple[int, ...]:
    """Number a thing's colours by first appearance."""
    colors = [picture.thing(kind).color for picture in facts]
    order = list(dict.fromkeys(colors))
    return tuple(order.index(color) for color in colors)


def _row(subtask: str, name: str, question: str, answer: str, images: Sequence[str]) -> Row:
    return {
        "q_id": name,
        "type": subtask,
        "question": question,
        "gt_answer": answer,
        "images": list(images),
    }
