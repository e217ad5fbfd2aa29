"""POPE's polling rule: yes/no questions about objects that are there, and about objects that are not.

Reference:
    Li et al., "Evaluating Object Hallucination in Large Vision-Language Models", EMNLP 2023,
    arXiv 2305.10355, section 5.
"""

import logging
import random
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from halluc.builders.coco import SceneAnnotation
from halluc.builders.wording import article
from halluc.errors import ConfigError, UnknownOptionError

logger = logging.getLogger(__name__)

STRATEGIES = ("random", "popular", "adversarial")
"""How negatives are chosen, in published order."""

TEMPLATE = "Is there {article} {object} in the image?"
"""The published question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolledObject:
    """Hold one polling question.

    Attributes:
        image: File name, relative to the image root.
        object: What is asked about.
        present: Whether it is in the picture.
        strategy: How the negative of this pair was chosen; the positive carries the same name.
    """

    image: str
    object: str
    present: bool
    strategy: str

    def text(self, template: str = TEMPLATE) -> str:
        """Return the question, with ``{article}`` and ``{object}`` filled in."""
        return template.format(article=article(self.object), object=self.object)


class ObjectStatistics:
    """Count in how many pictures objects occur, and occur together.

    Ties are broken by name, in code point order, so that no order of a file matters.

    Args:
        annotations: The pictures that count; for a published file, the sampled ones only.
    """

    def __init__(self, annotations: Sequence[SceneAnnotation]) -> None:
        self.frequency: Counter[str] = Counter(chain.from_iterable(scene.counts for scene in annotations))
        together: dict[str, Counter[str]] = {name: Counter() for name in self.frequency}
        for scene in annotations:
            for name in scene.counts:
                together[name].update(other for other in scene.counts if other != name)
        self.names = sorted(self.frequency)
        self.by_frequency = _descending(self.frequency)
        self.mates = {name: _descending(counter) for name, counter in together.items()}


def poll(
    annotations: Sequence[SceneAnnotation],
    *,
    strategies: Sequence[str],
    images: int | None = None,
    sample_num: int = 3,
    min_objects: int | None = None,
    vocabulary: Collection[str] = (),
    seed: int = 0,
) -> list[PolledObject]:
    """Ask about the first objects of each picture, each followed by an absent one.

    Pictures with at least ``min_objects`` objects are kept and ``images`` of them are drawn; object
    counts and co-occurrence are taken over the drawn pictures only. Per picture the first
    ``sample_num`` listed objects are positives; each is followed at once by one negative, which is
    not in the picture and was not asked before for it:

    * ``random``: uniform over all objects seen in the drawn pictures;
    * ``popular``: the first in descending number of pictures;
    * ``adversarial``: the first in descending co-occurrence with the positive just asked.

    Where no candidate is left, a uniformly random absent object that was not asked before is taken,
    of those seen or, failing that, of ``vocabulary``. Where there is none either, the picture asks no
    further pair (upstream would loop for ever); that is logged. Draws depend on the seed, the
    strategy and the picture's name alone.

    Args:
        annotations: Pictures with complete object lists.
        strategies: One name gives a published subset. Several are taken in turns, positive by
            positive, for a training mix.
        images: Number of pictures to draw; None, or more than there are, keeps all.
        sample_num: Largest number of positives a picture.
        min_objects: Fewest objects of a picture to be kept; None means ``sample_num``, as published.
        vocabulary: Further object names for the last resort; the published rule has none.
        seed: Seed of all draws.

    Returns:
        Questions by picture in the order given, positive and negative in turns; as many of each.

    Raises:
        UnknownOptionError: If a strategy has another name.
        ConfigError: If ``strategies`` is empty, or a number is not positive.

    Example:
        >>> scenes = [SceneAnnotation(image="1.jpg", counts={"dog": 1}),
        ...           SceneAnnotation(image="2.jpg", counts={"cat": 2})]
        >>> [(q.object, q.present) for q in poll(scenes, strategies=["popular"], min_objects=1)]
        [('dog', True), ('cat', False), ('cat', True), ('dog', False)]
    """
    needed = sample_num if min_objects is None else min_objects
    _check(strategies, sample_num, needed, images)
    drawn = sample_scenes([scene for scene in annotations if len(scene.counts) >= needed], images, seed)
    negatives = _Negatives(ObjectStatistics(drawn), sorted(vocabulary))
    questions: list[PolledObject] = []
    turn, short = 0, 0
    for scene in drawn:
        pairs = list(negatives.pairs(scene, scene.objects[:sample_num], strategies, turn, seed))
        questions.extend(chain.from_iterable(pairs))
        turn += len(pairs)
        short += len(pairs) < min(sample_num, len(scene.counts))
    if short:
        logger.warning(
            "%d of %d pictures ran out of absent objects and ask fewer questions", short, len(drawn)
        )
    return questions


def sample_scenes(scenes: Sequence[SceneAnnotation], count: int | None, seed: int) -> list[SceneAnnotation]:
    """Draw ``count`` pictures without replacement and keep their order; all, if there are no more."""
    if count is None or count >= len(scenes):
        return list(scenes)
    chosen = random.Random(f"{seed}/images").sample(range(len(scenes)), count)
    return [scenes[index] for index in sorted(chosen)]


def pope_records(questions: Sequence[PolledObject], template: str = TEMPLATE) -> list[dict[str, object]]:
    """Write questions as rows of a published POPE file: ``question_id``, ``image``, ``text``, ``label``."""
    return [
        {
            "question_id": number,
            "image": question.image,
            "text": question.text(template),
            "label": "yes" if question.present else "no",
        }
        for number, question in enumerate(questions, start=1)
    ]


class _Negatives:
    """Choose absent objects by the statistics of one set of pictures."""

    def __init__(self, statistics: ObjectStatistics, vocabulary: list[str]) -> None:
        self._statistics = statistics
        self._vocabulary = vocabulary

    def pairs(
        self,
        scene: SceneAnnotation,
        positives: Sequence[str],
        strategies: Sequence[str],
        turn: int,
        seed: int,
    ) -> Iterator[tuple[PolledObject, PolledObject]]:
        """Yield (positive, negative) for one picture until no absent object is left."""
        excluded = set(scene.counts)
        draws = {name: random.Random(f"{seed}/{name}/{scene.image}") for name in set(strategies)}
        for offset, positive in enumerate(positives):
            strategy = strategies[(turn + offset) % len(strategies)]
            negative = self._choose(strategy, positive, excluded, draws[strategy])
            if negative is None:
                return
            excluded.add(negative)
            yield (
                PolledObject(image=scene.image, object=positive, present=True, strategy=strategy),
                PolledObject(image=scene.image, object=negative, present=False, strategy=strategy),
            )

    def _choose(self, strategy: str, positive: str, excluded: set[str], draw: random.Random) -> str | None:
        ranked = {
            "random": (),
            "popular": self._statistics.by_frequency,
            "adversarial": self._statistics.mates[positive],
        }[strategy]
        first = next((name for name in ranked if name not in excluded), None)
        if first is not None:
            return first
        for names in (self._statistics.names, self._vocabulary):
            absent = [name for name in names if name not in excluded]
            if absent:
                return draw.choice(absent)
        return None


def _descending(counter: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(counter, key=lambda name: (-counter[name], name)))


def _check(strategies: Sequence[str], sample_num: int, min_objects: int, images: int | None) -> None:
    if not strategies:
        raise ConfigError(f"There is no strategy for negatives. Name some of {', '.join(STRATEGIES)}.")
    for strategy in strategies:
        if strategy not in STRATEGIES:
            raise UnknownOptionError("strategy of negatives", strategy, STRATEGIES)
    numbers = {
        "sample_num": sample_num,
        "min_objects": min_objects,
        "images": 1 if images is None else images,
    }
    for name, number in numbers.items():
        if number < 1:
            raise ConfigError(f"{name} is {number}. Give a positive number.")
