"""PhD-layout records from annotations: a question pair, and two contexts that lead astray.

Reference:
    Liu et al., "PhD: A ChatGPT-Prompted Visual Hallucination Evaluation Dataset", arXiv 2403.11116.
    The layout is the published one; the wording of questions and contexts is this project's own.
"""

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from halluc.builders.choice import LARGEST_COUNT
from halluc.builders.coco import Box, SceneAnnotation
from halluc.builders.pope import ObjectStatistics
from halluc.builders.wording import article, is_countable, is_plural, number_word, plural
from halluc.data.coco_names import coco_id
from halluc.errors import UnknownOptionError

TASKS = ("object", "counting", "positional")
"""The tasks that instance annotations can support; attribute and sentiment need human labels."""

_SPECIOUS = {
    "object": (
        "Places like this one are where people often keep {a_hitem}.",
        "A visitor would expect to come across {a_hitem} here sooner or later.",
        "In many photographs of this kind, {a_hitem} belongs to the scene.",
    ),
    "counting": (
        "Photographs of this kind often show {hitem} {subjects}.",
        "It is common to see {hitem} {subjects} in such a place.",
    ),
    "positional": (
        "In most photographs of this kind, the {subject} {would_be} {relation} the {other}.",
        "One would usually look for the {subject} {relation} the {other}.",
    ),
}
_INCORRECT = {
    "object": ("This picture shows {a_hitem}.", "{A_hitem} can be seen clearly in this scene."),
    "counting": ("This picture shows exactly {hitem} {subjects}.",),
    "positional": ("In this picture the {subject} {be} {relation} the {other}.",),
}
_RELATIONS = {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below"}
_OPPOSITES = {"left": "right", "right": "left", "above": "below", "below": "above"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Hold what a record is made of, before the contexts."""

    task: str
    yes_question: str
    no_question: str
    hitem: str
    gt: str
    subject: str
    words: dict[str, str]


def phd_records(
    annotations: Sequence[SceneAnnotation],
    *,
    tasks: Sequence[str] = TASKS,
    vocabulary: Collection[str] = (),
    seed: int = 0,
) -> list[dict[str, object]]:
    """Make at most one record a task and picture.

    * ``object``: an object that is there, and an absent one that often goes with it;
    * ``counting``: an exact number up to ``LARGEST_COUNT``, and one that is one or two off;
    * ``positional``: two single objects whose boxes do not overlap along one axis, and the opposite.

    Each record holds ``image_id`` (twelve digits where the name is COCO's, else the name without its
    suffix), ``task``, ``yes_question``, ``no_question``, ``hitem`` (what is not so), ``gt`` (what is so),
    ``subject``, ``context`` with ``sec`` (specious: it makes ``hitem`` plausible) and ``icc`` (incorrect:
    it states it), and ``image``, the file name relative to the image root.

    Args:
        annotations: Pictures with complete object lists; statistics are taken over all of them.
        tasks: Which of ``TASKS`` to ask, in this order.
        vocabulary: Further object names that may be asked about as absent, as a last resort.
        seed: Seed of all draws, with the picture's name.

    Raises:
        UnknownOptionError: If a task has another name.
    """
    for task in tasks:
        if task not in TASKS:
            raise UnknownOptionError("PhD task", task, TASKS)
    statistics = ObjectStatistics(annotations)
    further = sorted(set(vocabulary) - set(statistics.names))
    records = []
    for scene in annotations:
        for task in tasks:
            draw = random.Random(f"{seed}/{task}/{scene.image}")
            pair = next(_PAIRS[task](scene, statistics, further, draw), None)
            if pair is not None:
                records.append(_record(scene, pair, draw))
    return records


def _record(scene: SceneAnnotation, pair: _Pair, draw: random.Random) -> dict[str, object]:
    return {
        "image_id": _image_id(scene.image),
        "task": pair.task,
        "yes_question": pair.yes_question,
        "no_question": pair.no_question,
        "hitem": pair.hitem,
        "gt": pair.gt,
        "subject": pair.subject,
        "context": {
            "sec": draw.choice(_SPECIOUS[pair.task]).format(**pair.words),
            "icc": draw.choice(_INCORRECT[pair.task]).format(**pair.words),
        },
        "image": scene.image,
    }


def _image_id(image: str) -> str:
    number = coco_id(image)
    return PurePath(image).stem if number is None else f"{number:012}"


def _objects(
    scene: SceneAnnotation, statistics: ObjectStatistics, further: Sequence[str], draw: random.Random
) -> Iterator[_Pair]:
    for present in draw.sample(scene.objects, len(scene.objects)):
        mates = [name for name in statistics.mates[present] if name not in scene.counts]
        absent = [name for name in statistics.names if name not in scene.counts] or further
        if not absent:
            return
        hitem = mates[0] if mates else draw.choice(absent)
        named = hitem if is_plural(hitem) else f"{article(hitem)} {hitem}"
        yield _Pair(
            task="object",
            yes_question=f"Is there {article(present)} {present} in the image?",
            no_question=f"Is there {article(hitem)} {hitem} in the image?",
            hitem=hitem,
            gt=present,
            subject="",
            words={"a_hitem": named, "A_hitem": named[0].upper() + named[1:]},
        )


def _counts(
    scene: SceneAnnotation, _: ObjectStatistics, __: Sequence[str], draw: random.Random
) -> Iterator[_Pair]:
    known = {n: k for n, k in scene.exact_counts().items() if k <= LARGEST_COUNT and is_countable(n)}
    several = [name for name, number in known.items() if number > 1]
    for name in draw.sample(several, len(several)) or draw.sample(list(known), len(known)):
        number = known[name]
        wrong = draw.choice([n for n in range(number - 2, number + 3) if n > 0 and n != number])
        yield _Pair(
            task="counting",
            yes_question=_how_many(name, number),
            no_question=_how_many(name, wrong),
            hitem=number_word(wrong),
            gt=number_word(number),
            subject=plural(name),
            words={"hitem": number_word(wrong), "subjects": name if wrong == 1 else plural(name)},
        )


def _how_many(name: str, number: int) -> str:
    verb, noun = ("Is", name) if number == 1 else ("Are", plural(name))
    return f"{verb} there exactly {number_word(number)} {noun} in the image?"


def _positions(
    scene: SceneAnnotation, _: ObjectStatistics, __: Sequence[str], draw: random.Random
) -> Iterator[_Pair]:
    single = [
        name
        for name, number in scene.exact_counts().items()
        if number == 1 and len(scene.boxes.get(name, ())) == 1
    ]
    for subject in draw.sample(single, len(single)):
        for other in draw.sample(single, len(single)):
            relations = (
                [] if other == subject else relations_of(scene.boxes[subject][0], scene.boxes[other][0])
            )
            for relation in relations:
                yield _position(subject, other, relation)


def _position(subject: str, other: str, relation: str) -> _Pair:
    wrong = _OPPOSITES[relation]
    be = "are" if is_plural(subject) else "is"
    asked = f"{be.capitalize()} the {subject} {{}} the {other} in the image?"
    return _Pair(
        task="positional",
        yes_question=asked.format(_RELATIONS[relation]),
        no_question=asked.format(_RELATIONS[wrong]),
        hitem=wrong,
        gt=relation,
        subject=subject,
        words={
            "subject": subject,
            "other": other,
            "relation": _RELATIONS[wrong],
            "be": be,
            "would_be": "would be",
        },
    )


def relations_of(box: Box, other: Box) -> list[str]:
    """Say how one box clearly lies to another: not overlapping along the axis, overlapping across it.

    Args:
        box: Left, top, width and height in pixels.
        other: The same of the reference.

    Returns:
        One of ``left``, ``right``, ``above``, ``below``; none if the boxes overlap, or lie diagonally.
    """
    (left, top, width, height), (left2, top2, width2, height2) = box, other
    apart_x = left + width <= left2 or left2 + width2 <= left
    apart_y = top + height <= top2 or top2 + height2 <= top
    if apart_x == apart_y:
        return []
    if apart_x:
        return ["left" if left < left2 else "right"]
    return ["above" if top < top2 else "below"]


_PAIRS = {"object": _objects, "counting": _counts, "positional": _positions}
