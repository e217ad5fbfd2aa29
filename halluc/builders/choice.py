"""Multiple-choice questions from annotations: which of these is in the picture, how many are there."""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase

from halluc.builders.coco import SceneAnnotation
from halluc.builders.pope import ObjectStatistics
from halluc.builders.wording import is_countable, plural
from halluc.data.choices import CHOICE_SUFFIX, render_options
from halluc.data.records import AnswerSpace, Question, Sample
from halluc.errors import ConfigError

LARGEST_COUNT = 10
"""Largest number that is asked about; beyond it, annotations and eyes are unreliable."""

_FARTHEST = 3  # wrong numbers lie at most this far from the right one


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceQuestion:
    """Hold one multiple-choice question.

    Attributes:
        id: ``<image>/which/<object>`` or ``<image>/count/<object>``.
        image: File name, relative to the image root.
        text: The question alone.
        options: Option texts in the order of their letters.
        gold: Index of the right option.
        object: What it is about.
    """

    id: str
    image: str
    text: str
    options: tuple[str, ...]
    gold: int
    object: str

    def sample(self, image_root: Path, suffix: str = CHOICE_SUFFIX) -> Sample:
        """Make the sample: question, lettered options, suffix; the letter is learnt."""
        letter = ascii_uppercase[self.gold]
        question = Question(
            id=self.id,
            images=(str(image_root / self.image),),
            prompt=self.text + render_options(self.options) + suffix,
            space=AnswerSpace.choice(self.options),
            gold=letter,
            tags={"task": self.id.rsplit("/", 2)[1]},
            group=self.image,
        )
        return Sample(question=question, answer=letter)


def build_choices(
    annotations: Sequence[SceneAnnotation], *, seed: int = 0, options: int = 4, per_image: int = 2
) -> list[ChoiceQuestion]:
    """Ask about each picture: up to ``per_image`` objects present, and as many numbers.

    *Which of these is in the image?* has one object that is there; the others are absent objects, first
    those that most often go with it. *How many X are in the image?* has the exact number and near ones;
    crowds, and numbers above ``LARGEST_COUNT``, are not asked. The order of the options depends on the
    seed and the question's id; over all questions each letter is right equally often, within one.

    Args:
        annotations: Pictures with complete object lists.
        seed: Seed of all draws.
        options: Largest number of options; where there are fewer absent objects, fewer are offered.
        per_image: Largest number of questions of each of the two kinds a picture.

    Returns:
        Questions by picture, in the order given.

    Raises:
        ConfigError: If ``options`` is not within 2 to 26.
    """
    if not 2 <= options <= len(ascii_uppercase):
        raise ConfigError(f"options is {options}. Give 2 to {len(ascii_uppercase)}.")
    statistics = ObjectStatistics(annotations)
    unordered = [
        question
        for scene in annotations
        for question in (
            *_which(scene, statistics, seed, options, per_image),
            *_count(scene, seed, options, per_image),
        )
    ]
    return _with_balanced_letters(unordered, seed)


def _which(
    scene: SceneAnnotation, statistics: ObjectStatistics, seed: int, options: int, per_image: int
) -> Iterator[ChoiceQuestion]:
    """Yield presence questions, the right option first."""
    draw = random.Random(f"{seed}/which/{scene.image}")
    absent = [name for name in statistics.names if name not in scene.counts]
    for name in draw.sample(scene.objects, min(per_image, len(scene.objects))):
        wrong = [mate for mate in statistics.mates[name] if mate not in scene.counts][: options - 1]
        if len(wrong) < options - 1:
            rest = [other for other in absent if other not in wrong]
            wrong += draw.sample(rest, min(options - 1 - len(wrong), len(rest)))
        if wrong:
            yield _question(scene, "which", name, "Which of these is in the image?", (name, *wrong))


def _count(scene: SceneAnnotation, seed: int, options: int, per_image: int) -> Iterator[ChoiceQuestion]:
    """Yield counting questions, the right option first."""
    draw = random.Random(f"{seed}/count/{scene.image}")
    counts = scene.exact_counts()
    askable = [name for name, number in counts.items() if number <= LARGEST_COUNT and is_countable(name)]
    for name in draw.sample(askable, min(per_image, len(askable))):
        number = counts[name]
        near = [n for n in range(max(1, number - _FARTHEST), number + _FARTHEST + 1) if n != number]
        wrong = draw.sample(near, min(options - 1, len(near)))
        text = f"How many {plural(name)} are in the image?"
        yield _question(scene, "count", name, text, (str(number), *map(str, wrong)))


def _question(
    scene: SceneAnnotation, kind: str, name: str, text: str, options: tuple[str, ...]
) -> ChoiceQuestion:
    key = f"{scene.image}/{kind}/{name}"
    return ChoiceQuestion(id=key, image=scene.image, text=text, options=options, gold=0, object=name)


def _with_balanced_letters(questions: Sequence[ChoiceQuestion], seed: int) -> list[ChoiceQuestion]:
    """Move the right option, so far the first, to letters in turns, in an order drawn from the ids."""
    by_size: dict[int, list[int]] = {}
    for index, question in enumerate(questions):
        by_size.setdefault(len(question.options), []).append(index)
    golds: dict[int, int] = {}
    for size, indices in by_size.items():
        drawn = sorted(indices, key=lambda index: _hash(seed, questions[index].id))
        golds |= {index: rank % size for rank, index in enumerate(drawn)}
    return [_reordered(question, golds[index], seed) for index, question in enumerate(questions)]


def _reordered(question: ChoiceQuestion, gold: int, seed: int) -> ChoiceQuestion:
    right, *wrong = question.options
    random.Random(f"{seed}/{question.id}").shuffle(wrong)
    return replace(question, options=(*wrong[:gold], right, *wrong[gold:]), gold=gold)


def _hash(seed: int, key: str) -> str:
    return hashlib.sha256(f"{seed}/{key}".encode()).hexdigest()
