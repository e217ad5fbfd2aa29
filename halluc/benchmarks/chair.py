"""CHAIR: free descriptions, checked against annotations of everything in the picture."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.builders.coco import SceneAnnotation, object_names, read_annotations
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import RecordError
from halluc.metrics.chair import ChairCounts, chair_scores, count_chair
from halluc.metrics.tally import Scores, Tally
from halluc.parsing.mentions import ObjectMentions, read_synonyms
from halluc.parsing.profiles import OFFICIAL, STRICT, pick

PROMPTS: dict[str, str] = {
    "detail": "Please describe this image in detail.",
    "short": "Describe this image in one sentence.",
}
_PRESENT = "objects"
_SEPARATOR = "|"


class Chair(PublishedBenchmark):
    """Ask for a description of each annotated picture; needs text answers (``answering=greedy``).

    Objects are those of the annotations' vocabulary, known also by the words of a synonym file. The
    published code has its own list for COCO's 80 objects (``synonyms.txt``, one object a line), which
    can be named here; without it only the objects' own names are mentions. Ids are the pictures' names.

    Reference:
        Rohrbach et al., Object Hallucination in Image Captioning, arXiv 1809.02156.
    """

    key = "chair"

    def __init__(
        self,
        root: str | Path,
        *,
        file: str = "instances.json",
        synonyms: str | None = None,
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = "detail",
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the file is read on first use.

        Args:
            root: Folder of ``file``.
            file: COCO instances file, or JSON Lines of ``{image, objects}``, complete for each picture.
            synonyms: Synonym file below ``root``; None knows the objects by their names only.
            image_root: Folder of the pictures; None takes ``root/images``.
            profile: ``strict`` (also under the name ``official``): there is one way to find mentions.
            prompt_profile: ``detail`` or ``short``.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of missing pictures.

        Raises:
            UnknownOptionError: If a name is not among its choices.
        """
        super().__init__(
            root,
            image_root=image_root,
            profile=pick("benchmark.chair.profile", profile, {STRICT: STRICT, OFFICIAL: OFFICIAL}),
            prompt_profile=prompt_profile,
            max_pixels=max_pixels,
            bad_rows=bad_rows,
        )
        self.file = file
        self.synonyms = synonyms
        self._prompt = pick("benchmark.chair.prompt_profile", prompt_profile, PROMPTS)

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file."""
        names = ("id",) if "tags" in row.record else ("image", "id")  # a run's predictions have tags
        return {row.text(*names): row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Return the description itself; an empty one is unparsed."""
        return text.strip() or None

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count mentions in all descriptions.

        Returns:
            The names of ``chair_scores``, and ``unparsed_rate``, the share of empty descriptions.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
            RecordError: If the synonym file gives a word to two objects.
        """
        answers = self._source.answers(predictions)
        mentions = self._mentions()

        def count(question: Question, prediction: Prediction) -> ChairCounts:
            return count_chair(mentions.find(prediction.parsed or ""), _present(question))

        def empty(_: Question, prediction: Prediction) -> ChairCounts:
            return ChairCounts(int(prediction.parsed is None), 0, 0, 0, 0, 0)

        groups = {
            "all": answers.sums_of(answers.pairs, count, ChairCounts),
            "empty": answers.sums_of(answers.pairs, empty, ChairCounts),
        }

        def formula(totals: Mapping[Any, Any]) -> Scores:
            scores = chair_scores(totals["all"])
            n = totals["all"].descriptions
            return {**scores, "unparsed_rate": totals["empty"].descriptions / n if n else None}

        return Tally(answers.count, groups, formula)

    def question_files(self) -> tuple[Path, ...]:
        """Return the files that are expected, whether they are there or not."""
        names = (self.file, *([self.synonyms] if self.synonyms else []))
        return tuple(self.root / name for name in names)

    def _mentions(self) -> ObjectMentions:
        known = sorted({name for question in self.published().values() for name in _present(question)})
        others = read_synonyms(self.root / self.synonyms) if self.synonyms else {}
        return ObjectMentions({**{name: () for name in known}, **others})

    def _read_files(self) -> Reading:
        scenes = read_annotations(self.root / self.file)
        objects = object_names(scenes)
        strange = [name for name in objects if _SEPARATOR in name]
        if strange:
            raise RecordError(f"{self.file}: {strange[0]!r} is no name of an object.")
        return Reading([self._question(scene) for scene in scenes])

    def _question(self, scene: SceneAnnotation) -> Question:
        image = inside(self.image_root, scene.image, self.file)
        return _describe(scene.image, (image,), self._prompt, scene.objects)

    def _scorable(self, row: Row) -> list[Question]:
        objects = row.record.get("objects")
        if not isinstance(objects, list | dict):
            raise RecordError(f"{row.where}: objects must be a list of names, or names with numbers.")
        return [_describe(row.text("image", "id"), (), "", map(str, objects))]


def _describe(name: str, images: tuple[str, ...], prompt: str, objects: Iterable[str]) -> Question:
    present = _SEPARATOR.join(dict.fromkeys(objects))
    return Question(
        id=name, images=images, prompt=prompt, space=AnswerSpace.text(), tags={_PRESENT: present}, group=name
    )


def _present(question: Question) -> list[str]:
    return [name for name in question.tags[_PRESENT].split(_SEPARATOR) if name]
