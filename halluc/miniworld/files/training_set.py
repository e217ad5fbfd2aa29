"""Clean training questions about new scenes: what cures the model."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halluc.builders.choice import build_choices
from halluc.builders.coco import SceneAnnotation
from halluc.builders.gated import build_gated
from halluc.builders.phd import phd_records
from halluc.builders.pope import STRATEGIES, poll
from halluc.data.records import AnswerSpace, Question, Sample
from halluc.miniworld.files.phd_rows import FACT_TASKS, UNUSUAL_TASKS, fact_row, unusual_row
from halluc.miniworld.files.sequence_rows import sequence_row
from halluc.miniworld.lessons import choice_lessons, context_lessons, single_lessons, text_lessons, wording
from halluc.miniworld.lessons.single_lessons import Lesson, Teacher
from halluc.miniworld.levels import Level
from halluc.miniworld.scenes.annotations import annotate
from halluc.miniworld.scenes.facts import Eye, Facts
from halluc.miniworld.scenes.gallery import draw_where, has_repeated_kind, has_single_face
from halluc.miniworld.scenes.inventory import KINDS, plural
from halluc.miniworld.scenes.scene import Scene, draw_scene, draw_sibling

Row = Mapping[str, Any]
YES_NO_SUFFIX = f"\n{wording.SINGLE_WORD}"
FINE_PER_SEQUENCE = 10
OPEN_PER_IMAGE = 3
TEXTS_PER_IMAGE = 2
CCS = "ccs"

OPEN_LESSONS: tuple[Callable[[Facts, Teacher], Lesson | None], ...] = (
    single_lessons.open_color,
    single_lessons.open_count,
    single_lessons.open_place,
    single_lessons.open_cell,
    single_lessons.brief_description,
)
"""Questions with other answers than yes and no; training without them harms just these."""

TEXT_LESSONS: tuple[Callable[[Facts, Teacher], Lesson | None], ...] = (
    text_lessons.match_statement,
    text_lessons.match_description,
    text_lessons.match_conversation,
    text_lessons.choose_description,
    text_lessons.choose_conversation,
    text_lessons.complete_description,
    text_lessons.complete_conversation,
)
"""Questions about longer texts."""


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Hold pictures and what is asked about them.

    Attributes:
        scenes: Picture name to its content; none holds a held-out combination.
        samples: Questions with true answers, picture by picture.
    """

    scenes: Mapping[str, Scene]
    samples: Sequence[Sample]


def build_training_set(level: Level, image_root: Path, seed: int) -> TrainingSet:
    """Draw training pictures and sequences, and ask about them.

    Per picture: existence with random, popular and adversarial negatives in turns; attributes, moods,
    numbers and positions as PhD asks them, bare and behind contexts that are specious, false, or true;
    a multiple choice, a detail and two longer texts; and open questions. Per sequence: the coarse question
    and some fine ones, numbers first. Yes and no are balanced.

    Args:
        level: Sizes and styles; questions that name one of its unasked kinds are left out, and so are
            the modes that it leaves out.
        image_root: Folder where the pictures are, or will be.
        seed: Of scenes and questions.
    """
    rng = random.Random(f"{seed}/training")
    scenes = {
        f"train_{number:05}.png": _draw_picture(level, number, rng) for number in range(level.training_images)
    }
    samples = list(_about_pictures(level, scenes, image_root, rng, seed))
    sequences = dict(_draw_sequences(level, rng))
    samples += _about_sequences(sequences, image_root, rng)
    for pair in sequences.values():
        scenes |= pair
    asked = [sample for sample in samples if not _names(sample, level.unasked_kinds)]
    return TrainingSet(scenes, asked)


def _draw_picture(level: Level, number: int, rng: random.Random) -> Scene:
    """Draw a picture: in turns one with several of a kind, one with a face, and two that are unusual.

    The unusual ones contradict common sense, in each way in turn.
    """
    if number % 2 == 0 or CCS in level.leave_out:
        wanted = (has_repeated_kind, has_single_face)[number // 2 % 2]
        return draw_where(rng, level.style, "train", wanted)
    task = list(UNUSUAL_TASKS)[number // 2 % len(UNUSUAL_TASKS)]

    def is_unusual(scene: Scene) -> bool:
        return unusual_row(task, Facts(scene), rng) is not None

    return draw_where(rng, level.unusual_style, "train", is_unusual)


def _about_pictures(
    level: Level, scenes: Mapping[str, Scene], image_root: Path, rng: random.Random, seed: int
) -> Iterator[Sample]:
    annotations = [annotate(name, scene) for name, scene in scenes.items()]
    by_image: dict[str, list[Sample]] = {name: [] for name in scenes}
    for question in poll(annotations, strategies=STRATEGIES, min_objects=1, vocabulary=KINDS, seed=seed):
        answer = wording.YES if question.present else wording.NO
        by_image[question.image].append(_sample(question.image, question.text(), answer, image_root))
    for choice in build_choices(annotations, seed=seed, per_image=1):
        by_image[choice.image].append(choice.sample(image_root))
    for name, row in _phd_rows(level, scenes, annotations, rng, seed):
        by_image[name] += _about_record(level, name, row, image_root, rng)
    for name, scene in scenes.items():
        by_image[name] += [_lesson_sample(name, lesson, image_root) for lesson in _lessons(Facts(scene), rng)]
        yield from _unique(by_image[name])


def _phd_rows(
    level: Level,
    scenes: Mapping[str, Scene],
    annotations: Sequence[SceneAnnotation],
    rng: random.Random,
    seed: int,
) -> Iterator[tuple[str, Row]]:
    for record in phd_records(annotations, seed=seed):
        yield str(record["image"]), record
    for name, scene in scenes.items():
        facts = Facts(scene)
        made = [fact_row(task, facts, rng) for task in FACT_TASKS]
        if CCS not in level.leave_out:
            made += [unusual_row(task, facts, rng) for task in UNUSUAL_TASKS]
        yield from ((name, row) for row in made if row is not None)


def _about_record(
    level: Level, image: str, row: Row, image_root: Path, rng: random.Random
) -> Iterator[Sample]:
    """Ask a record's two questions behind one of its contexts, or bare."""
    contexts = [text for mode, text in row.get("context", {}).items() if mode not in level.leave_out]
    context = rng.choice([*contexts, *contexts[1:], ""]) if contexts else ""
    lead = f"{context} {wording.FOLLOW_IMAGE} " if context else ""
    yield _sample(image, lead + row["yes_question"], wording.YES, image_root)
    yield _sample(image, lead + row["no_question"], wording.NO, image_root)


def _lessons(facts: Facts, rng: random.Random) -> Iterator[Lesson]:
    """Draw open questions, positions and moods, longer texts, details, and questions behind true contexts."""
    teacher = Teacher(rng, Eye(rng), lie_share=0.0)
    draws: list[Callable[[Facts, Teacher], Lesson | None]] = [
        *rng.sample(OPEN_LESSONS, OPEN_PER_IMAGE),
        single_lessons.POSITION,
        single_lessons.MOOD,
        single_lessons.SIZE,
        context_lessons.claimed,
        context_lessons.claimed,
        choice_lessons.choose_detail,
        *rng.sample(TEXT_LESSONS, TEXTS_PER_IMAGE),
    ]
    yield from (lesson for draw in draws if (lesson := draw(facts, teacher)) is not None)


def _draw_sequences(level: Level, rng: random.Random) -> Iterator[tuple[str, dict[str, Scene]]]:
    for number in range(level.training_sequences):
        style = replace(level.pair_style, duplicate=0.9)  # numbers need practice
        first = draw_scene(rng, style, "train")
        second = draw_sibling(rng, first, style, "train")
        names = [f"train_sequence_{number:05}_{place}.png" for place in (1, 2)]
        yield f"train_sequence_{number:05}", dict(zip(names, (first, second), strict=True))


def _about_sequences(
    sequences: Mapping[str, Mapping[str, Scene]], image_root: Path, rng: random.Random
) -> Iterator[Sample]:
    rows = []
    for name, pair in sequences.items():
        first, second = (Facts(scene) for scene in pair.values())
        row = sequence_row(name, list(pair), (first, second), rng)
        if row is not None:
            rows.append((name, row))
    for record in build_gated(rows):
        yield from _about_sequence(record, image_root, rng)


def _about_sequence(record: Row, image_root: Path, rng: random.Random) -> Iterator[Sample]:
    name, coarse, fine = record["sequence_id"], record["coarse"], record["fine"]
    images = tuple(str(image_root / image) for image in record["images"])
    count = coarse["type"] == "count"
    space = AnswerSpace.count(len(images), smallest=1) if count else AnswerSpace.true_false()
    asked = [(coarse["question"], str(coarse["gold"]), space)]
    pairs = [fine[place : place + 2] for place in range(0, len(fine), 2)]
    rng.shuffle(pairs)
    pairs.sort(key=lambda pair: pair[0]["attribute"] != "number")  # the hardest ones always
    for question in (question for pair in pairs[: FINE_PER_SEQUENCE // 2] for question in pair):
        asked.append((question["question"], str(question["gold"]).capitalize(), AnswerSpace.yes_no()))
    for number, (text, answer, closed) in enumerate(asked):
        gold = answer.lower() if answer in (wording.YES, wording.NO) else answer
        question = Question(
            id=f"{name}/{number}", images=images, prompt=text, space=closed, gold=gold, group="|".join(images)
        )
        yield Sample(question=question, answer=answer)


def _sample(image: str, text: str, answer: str, image_root: Path, suffix: str = YES_NO_SUFFIX) -> Sample:
    """Make a yes/no sample, with the short-answer instruction unless told otherwise."""
    question = Question(
        id=f"{image}/{text}",
        images=(str(image_root / image),),
        prompt=text + suffix,
        space=AnswerSpace.yes_no(),
        gold=answer.lower(),
        group=image,
    )
    return Sample(question=question, answer=answer)


def _lesson_sample(image: str, lesson: Lesson, image_root: Path) -> Sample:
    text = " ".join(lesson.parts)
    if lesson.answer in (wording.YES, wording.NO):
        return _sample(image, text, lesson.answer, image_root, YES_NO_SUFFIX if lesson.closed else "")
    question = Question(
        id=f"{image}/{text}",
        images=(str(image_root / image),),
        prompt=text,
        space=AnswerSpace.text(),
        group=image,
    )
    return Sample(question=question, answer=lesson.answer)


def _unique(samples: Sequence[Sample]) -> Iterator[Sample]:
    seen: set[str] = set()
    for sample in samples:
        if sample.question.prompt not in seen:
            seen.add(sample.question.prompt)
            yield sample


def _names(sample: Sample, kinds: Sequence[str]) -> bool:
    words = {word.strip(".,?").lower() for word in f"{sample.question.prompt} {sample.answer}".split()}
    return any(kind in words or plural(kind) in words for kind in kinds)
