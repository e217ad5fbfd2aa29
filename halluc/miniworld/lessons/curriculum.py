"""Which lessons are given when: from bare statements and open questions to full questions."""

import random
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TypeVar

from halluc.miniworld.lessons import (
    choice_lessons,
    context_lessons,
    pair_lessons,
    single_lessons,
    text_lessons,
    wording,
)
from halluc.miniworld.lessons.pair_lessons import PairDraw, PairTeacher, reappearances
from halluc.miniworld.lessons.single_lessons import Lesson, Teacher
from halluc.miniworld.scenes.facts import Eye, Facts
from halluc.miniworld.scenes.inventory import KINDS
from halluc.miniworld.scenes.scene import Scene, SceneStyle, Split, draw_scene, draw_sibling

SINGLE_STYLE = SceneStyle(smallest=3, largest=6, mate=0.7, canonical=0.75, clutter=0.15)
"""What web data look like: mates mostly together, things mostly as usual."""

PAIR_STYLE = SceneStyle(smallest=2, largest=4, mate=0.4, canonical=0.5, duplicate=0.6, clutter=0.15)

FactsT = TypeVar("FactsT")
TeacherT = TypeVar("TeacherT")
Draw = Callable[[Facts, Teacher], Lesson | None]
Rows = tuple[list[list[Scene]], list[list[Lesson]]]


def single_mix(progress: float) -> Mapping[Draw, float]:
    """Return the expected number of each question a picture.

    Args:
        progress: Share of the steps done, in [0, 1]; the mix settles at one half.
    """
    e = min(1.0, progress / 0.5)
    return {
        single_lessons.short_exists: 4 - 3.5 * e,
        single_lessons.COLOR.statement: 3 - 2.6 * e,
        single_lessons.POSITION.statement: 3 - 2.6 * e,
        single_lessons.open_color: 2 - e,
        single_lessons.open_place: 2 - e,
        single_lessons.open_cell: 2 - e,
        single_lessons.open_count: 1.5,
        single_lessons.open_mood: 0.8,
        single_lessons.open_size: 1 - 0.6 * e,
        single_lessons.description: 0.2,
        single_lessons.brief_description: 0.2,
        single_lessons.exists: 1.5 + 2.5 * e,
        single_lessons.COLOR: 1 + 1.5 * e,
        single_lessons.POSITION: 1 + e,
        single_lessons.count: 1 + 1.5 * e,
        single_lessons.MOOD: 0.8 + 0.7 * e,
        single_lessons.SIZE: 0.7 + 0.3 * e,
        single_lessons.relation: 1.2 * e,
        context_lessons.claimed: 0.2 + 1.6 * e,
        context_lessons.hinted: 0.1 + 0.7 * e,
        choice_lessons.choose_kind: 0.3 + 0.7 * e,
        choice_lessons.choose_color: 0.2 + 0.3 * e,
        choice_lessons.choose_count: 0.1 + 0.3 * e,
        choice_lessons.choose_place: 0.1 + 0.1 * e,
        choice_lessons.choose_detail: 0.1 + 0.3 * e,
        text_lessons.match_statement: 0.1 + 0.3 * e,
        text_lessons.match_description: 0.4 * e,
        text_lessons.match_conversation: 0.4 * e,
        text_lessons.choose_description: 0.15 * e,
        text_lessons.choose_conversation: 0.15 * e,
        text_lessons.complete_description: 0.2 * e,
        text_lessons.complete_conversation: 0.2 * e,
    }


PAIR_MIX: Mapping[PairDraw, float] = {
    pair_lessons.short_same: 4.5,
    pair_lessons.pair_same: 3.5,
    pair_lessons.pair_different: 3,
    pair_lessons.pair_total: 2.5,
    pair_lessons.pair_exists: 2,
    pair_lessons.pair_color: 4,
    pair_lessons.pair_size: 1.2,
    pair_lessons.pair_count: 2,
    pair_lessons.pair_open_color: 1.5,
    pair_lessons.pair_open_size: 2,
    pair_lessons.pair_open_count: 3,
}

VALIDATION_MIX: Mapping[Draw, float] = dict.fromkeys(
    [
        single_lessons.exists,
        single_lessons.COLOR,
        single_lessons.POSITION,
        single_lessons.count,
        single_lessons.MOOD,
        single_lessons.SIZE,
        single_lessons.relation,
        single_lessons.open_count,
        choice_lessons.choose_kind,
        choice_lessons.choose_color,
        text_lessons.match_statement,
        text_lessons.match_description,
        text_lessons.match_conversation,
    ],
    2.0,
)


def careless_teacher(rng: random.Random) -> Teacher:
    """Return the teacher of pretraining: priors leak into the labels, and "yes" is more frequent."""
    eye = Eye(rng, habit=0.9, expectation=1.0)
    return Teacher(rng, eye, yes_share=0.6, mate_share=0.5, lie_share=0.35)


def honest_teacher(rng: random.Random) -> Teacher:
    """Return the teacher of validation: balanced questions, true answers."""
    return Teacher(rng, Eye(rng), yes_share=0.5, mate_share=0.0)


def single_rows(rng: random.Random, count: int, progress: float) -> Rows:
    """Draw training pictures and, for each, careless lessons about it."""
    scenes = [[draw_scene(rng, SINGLE_STYLE, "train")] for _ in range(count)]
    teacher, mix = careless_teacher(rng), single_mix(progress)
    rows = [_draw_row(mix, Facts(scene[0]), teacher, rng) for scene in scenes]
    return scenes, [[_instruct(lesson, rng, progress) for lesson in row] for row in rows]


def pair_rows(rng: random.Random, count: int, progress: float) -> Rows:
    """Draw training sequences of two pictures and, for each, careless lessons about it."""
    scenes = [draw_pair(rng, "train") for _ in range(count)]
    pair = PairTeacher(careless_teacher(rng), mix_up=0.95)
    rows = [_draw_row(PAIR_MIX, (Facts(a), Facts(b)), pair, rng) for a, b in scenes]
    return scenes, [[_instruct(lesson, rng, progress) for lesson in row] for row in rows]


def validation_rows(rng: random.Random, count: int) -> Rows:
    """Draw evaluation pictures and, for each, honest lessons that nothing misleads."""
    scenes = [[draw_scene(rng, SceneStyle(kinds=KINDS), "evaluation")] for _ in range(count)]
    teacher = honest_teacher(rng)
    return scenes, [_draw_row(VALIDATION_MIX, Facts(scene[0]), teacher, rng) for scene in scenes]


def pair_validation_rows(rng: random.Random, count: int) -> Rows:
    """Draw evaluation sequences of two pictures and, for each, honest lessons."""
    scenes = [draw_pair(rng, "evaluation") for _ in range(count)]
    pair = PairTeacher(honest_teacher(rng))
    return scenes, [_draw_row(PAIR_MIX, (Facts(a), Facts(b)), pair, rng) for a, b in scenes]


def lessons_digest(seed: int) -> str:
    """Tell two curricula apart: a digest of scenes and lessons at the start, in the middle and at the end.

    Rewriting the code without changing what it teaches keeps the digest.
    """
    digest = sha256()
    for progress in (0.0, 0.5, 1.0):
        for rows in (single_rows, pair_rows):
            rng = random.Random(f"{seed}/digest/{progress}")
            scenes, lessons = rows(rng, 8, progress)
            digest.update(repr((scenes, lessons)).encode())
            again = [reappearances((Facts(row[0]), Facts(row[1]))) for row in scenes if len(row) == 2]
            digest.update(repr(again).encode())
    return digest.hexdigest()


def draw_pair(rng: random.Random, split: Split) -> list[Scene]:
    """Draw a sequence of two pictures that share things."""
    first = draw_scene(rng, PAIR_STYLE, split)
    return [first, draw_sibling(rng, first, PAIR_STYLE, split)]


def _draw_row(
    mix: Mapping[Callable[[FactsT, TeacherT], Lesson | None], float],
    facts: FactsT,
    teacher: TeacherT,
    rng: random.Random,
) -> list[Lesson]:
    row = []
    for draw, expected in mix.items():
        times = int(expected) + (rng.random() < expected % 1)
        row += [lesson for _ in range(times) if (lesson := draw(facts, teacher)) is not None]
    rng.shuffle(row)
    return row


def _instruct(lesson: Lesson, rng: random.Random, progress: float) -> Lesson:
    """Append an instruction to a closed question, more often as pretraining goes on."""
    if not lesson.closed or lesson.name.startswith("short") or rng.random() >= 0.1 + 0.3 * progress:
        return lesson
    instruction = wording.SINGLE_WORD if rng.random() < 0.85 else rng.choice(wording.SHORT_ANSWER)
    return Lesson((*lesson.parts, instruction), lesson.answer, lesson.name)
