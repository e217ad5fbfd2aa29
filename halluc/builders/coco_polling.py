"""Training data for real models from nothing but a COCO instances file and its pictures."""

import logging
import os
import random
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from halluc.builders.choice import ChoiceQuestion, build_choices
from halluc.builders.coco import SceneAnnotation, read_annotations
from halluc.builders.heldout import build_heldout, pick_heldout
from halluc.builders.pairs import build_pairs
from halluc.builders.picture_links import link_pictures
from halluc.builders.pope import STRATEGIES, PolledObject, poll, sample_scenes
from halluc.data.choices import CHOICE_SUFFIX
from halluc.data.image_check import find_broken
from halluc.data.images import resolve_image
from halluc.data.records import AnswerSpace, Preference, Question, Sample
from halluc.errors import ConfigError, ImageError, RecordError, SourceNotFoundError, UnknownOptionError

logger = logging.getLogger(__name__)

YES_NO_SUFFIX = "\nAnswer the question using a single word or phrase."
"""The short-answer instruction of lmms-eval."""

_SHOWN = 10  # missing pictures named in a message


class CocoPolling:
    r"""Ask POPE-like yes/no questions and multiple-choice questions about annotated pictures.

    Pictures drawn by ``seed`` are held out: they never train, and ``prepare`` writes POPE, PhD and gated
    files about them. Each training picture is polled for its objects (see ``poll``), negatives taken by
    the given strategies in turns; some multiple-choice questions are mixed in, since training on yes and
    no alone harms other answers.

    Args:
        instances: A COCO instances file, or JSON Lines of ``{image, objects}``.
        image_root: Folder of the pictures. None looks beside the file for ``images``, then in the file's
            own folder, then for COCO's layout (``annotations/instances_val2017.json``, ``val2017/``).
        max_images: Number of training pictures to draw; None takes all.
        negatives: Strategies of the absent objects, taken in turns.
        choice_fraction: Share of the samples that are multiple choice, in [0, 1).
        sample_num: Most objects a picture that are affirmed, each with one that is denied.
        min_objects: Fewest objects of a training picture.
        heldout_images: Number of pictures held out, at most 40 % of the usable ones; 0 holds out none.
        heldout_dir: Folder for the held-out benchmark files; None writes none, but still holds out.
        missing_images: ``stop`` if annotated pictures are missing or broken, or ``skip`` them, with a count.
        check_images: Whether every annotated picture is decoded once, to find broken ones.
        yes_no_suffix: Text behind each yes/no question.
        choice_suffix: Text behind the options.
        seed: Seed of all draws.

    Raises:
        UnknownOptionError: If a strategy or ``missing_images`` is another word.
        ConfigError: If ``choice_fraction`` or a number is out of range.

    Reference:
        Li et al., "Evaluating Object Hallucination in Large Vision-Language Models", arXiv 2305.10355.
    """

    def __init__(  # noqa: PLR0913  # a YAML mirrors these arguments one by one
        self,
        instances: str | Path,
        image_root: str | Path | None = None,
        *,
        max_images: int | None = None,
        negatives: Sequence[str] = STRATEGIES,
        choice_fraction: float = 0.25,
        sample_num: int = 3,
        min_objects: int = 1,
        heldout_images: int = 500,
        heldout_dir: str | Path | None = None,
        missing_images: str = "stop",
        check_images: bool = False,
        yes_no_suffix: str = YES_NO_SUFFIX,
        choice_suffix: str = CHOICE_SUFFIX,
        seed: int = 0,
    ) -> None:
        if missing_images not in ("stop", "skip"):
            raise UnknownOptionError("data.missing_images", missing_images, ("stop", "skip"))
        if not 0 <= choice_fraction < 1:
            raise ConfigError(f"choice_fraction is {choice_fraction}. Give a share in [0, 1).")
        if heldout_images < 0:
            raise ConfigError(
                f"heldout_images is {heldout_images}. Give 0 to hold out nothing, or a positive number."
            )
        poll([], strategies=negatives, images=max_images, sample_num=sample_num, min_objects=min_objects)
        self._instances = Path(instances)
        self._given_root = None if image_root is None else Path(image_root)
        self._max_images = max_images
        self._negatives = tuple(negatives)
        self._choice_fraction = choice_fraction
        self._sample_num = sample_num
        self._min_objects = min_objects
        self._heldout_images = heldout_images
        self._heldout_dir = None if heldout_dir is None else Path(heldout_dir)
        self._missing_images = missing_images
        self._check_images = check_images
        self._yes_no_suffix = yes_no_suffix
        self._choice_suffix = choice_suffix
        self._seed = seed

    def prepare(self) -> None:
        """Write the held-out benchmark files, with links to their pictures below each one's ``images``.

        A second call with the same inputs changes nothing.

        Raises:
            ConfigError: If the folder holds such files of another origin.
            RecordError: If the annotations can't give a question of each kind.
        """
        if self._heldout_dir is not None and self._heldout_images:
            heldout = build_heldout(self._scenes, self._heldout_dir, self._heldout_images, self._seed)
            for benchmark in ("pope", "phd", "vlm2"):
                link_pictures(heldout.images, self.image_root, self._heldout_dir / benchmark / "images")

    def samples(self) -> list[Sample]:
        """Return the training samples, picture by picture.

        Raises:
            SourceNotFoundError: If the instances file or its pictures are not found.
            RecordError: If the file is unusable, pictures are missing, or no question can be asked.
        """
        return self._samples

    def preferences(self) -> list[Preference]:
        """Return each sample with the wrong answer of the same form: "Yes" with "No", "A" with "C"."""
        preferences, problems = build_pairs(self.samples(), self._seed)
        if problems:
            raise RecordError(f"{self._instances}: samples without a wrong answer:", problems)
        return preferences

    @cached_property
    def image_root(self) -> Path:
        """Return the folder of the pictures, absolute.

        Raises:
            SourceNotFoundError: If it is no folder, or not given and no candidate holds the first picture.
        """
        folder = self._instances.parent
        candidates = [folder / "images", folder]
        if self._instances.stem.startswith("instances_"):
            candidates.append(folder.parent / self._instances.stem.removeprefix("instances_"))
        if self._given_root is not None:
            if self._given_root.is_dir():
                return self._given_root.resolve()
            raise SourceNotFoundError(f"No folder {self._given_root}. Correct data.image_root.")
        for candidate in candidates:
            if self._annotations and (candidate / self._annotations[0].image).is_file():
                return candidate.resolve()
        searched = ", ".join(map(str, candidates))
        raise SourceNotFoundError(
            f"Pictures of {self._instances} are in none of {searched}. Set data.image_root."
        )

    @cached_property
    def _samples(self) -> list[Sample]:
        scenes = self._training_scenes()
        polled = poll(
            scenes,
            strategies=self._negatives,
            sample_num=self._sample_num,
            min_objects=self._min_objects,
            seed=self._seed,
        )
        choices = self._some_choices(scenes, len(polled))
        by_image: dict[str, list[Sample]] = {scene.image: [] for scene in scenes}
        for question in polled:
            by_image[question.image].append(self._yes_no_sample(question))
        for choice in choices:
            by_image[choice.image].append(choice.sample(self.image_root, self._choice_suffix))
        samples = [sample for found in by_image.values() for sample in found]
        if not samples:
            raise RecordError(f"{self._instances} gives no training question. Annotate more pictures.")
        logger.info(
            "%d yes/no and %d multiple-choice samples about %d pictures",
            len(polled),
            len(choices),
            len(scenes),
        )
        return samples

    @cached_property
    def _annotations(self) -> list[SceneAnnotation]:
        return read_annotations(self._instances)

    @cached_property
    def _scenes(self) -> list[SceneAnnotation]:
        """Read the annotations of the pictures that are there, and whole if that is checked."""
        faults: dict[str, str] = {}
        places: dict[str, str] = {}
        for scene in self._annotations:
            try:
                places[scene.image] = resolve_image(scene.image, self.image_root)
            except ImageError as error:
                faults[scene.image] = str(error)
        if self._check_images:
            logger.info("decoding %d pictures once, to find broken ones", len(places))
            broken = find_broken(places.values())
            faults |= {image: broken[place] for image, place in places.items() if place in broken}
        summary = f"{len(faults)} of {len(self._annotations)} annotated pictures can't be used"
        shown = list(faults.values())[:_SHOWN]
        if faults and self._missing_images == "stop":
            raise RecordError(f"{summary}. Get them, or set data.missing_images=skip:", shown)
        if faults:
            logger.warning("%s, the first of them:\n  %s", summary, "\n  ".join(shown))
        return [scene for scene in self._annotations if scene.image not in faults]

    def _training_scenes(self) -> list[SceneAnnotation]:
        heldout = {scene.image for scene in pick_heldout(self._scenes, self._heldout_images, self._seed)}
        enough = [scene for scene in self._scenes if len(scene.counts) >= self._min_objects]
        training = [scene for scene in enough if scene.image not in heldout]
        drawn = sample_scenes(training, self._max_images, self._seed)
        logger.info(
            "%d pictures: %d train, %d are held out, %d have fewer than %d objects, %d are beyond max_images",
            len(self._scenes),
            len(drawn),
            len(heldout),
            len(self._scenes) - len(enough),
            self._min_objects,
            len(training) - len(drawn),
        )
        return drawn

    def _some_choices(self, scenes: Sequence[SceneAnnotation], yes_no_count: int) -> list[ChoiceQuestion]:
        """Draw as many multiple-choice questions as the fraction wants, or as there are."""
        wanted = round(yes_no_count * self._choice_fraction / (1 - self._choice_fraction))
        if not wanted:
            return []
        choices = build_choices(scenes, seed=self._seed)
        if len(choices) < wanted:
            logger.warning("only %d of %d multiple-choice questions can be asked", len(choices), wanted)
            return choices
        chosen = random.Random(f"{self._seed}/choices").sample(range(len(choices)), wanted)
        return [choices[index] for index in sorted(chosen)]

    def _yes_no_sample(self, polled: PolledObject) -> Sample:
        gold = "yes" if polled.present else "no"
        question = Question(
            id=f"{polled.image}/{polled.object}",
            images=(os.path.join(self.image_root, polled.image),),
            prompt=polled.text() + self._yes_no_suffix,
            space=AnswerSpace.yes_no(),
            gold=gold,
            tags={"task": "object", "strategy": polled.strategy},
            group=polled.image,
        )
        return Sample(question=question, answer=gold.capitalize())
