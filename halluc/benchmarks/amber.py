"""AMBER, discriminative part: yes/no questions about existence, attributes and relations."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from halluc.benchmarks.answers import Answers, Pair
from halluc.benchmarks.image_paths import inside
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.benchmarks.rows import TEXT_FIELDS, Row, read_rows
from halluc.benchmarks.score_names import mean_if_known, prefixed
from halluc.benchmarks.yes_no_scoring import NOTHING, count_groups
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import RecordError, SourceNotFoundError
from halluc.metrics.amber import no_scores, official_no_scores
from halluc.metrics.tally import Scores, Tally
from halluc.metrics.yes_no import YesNoCounts
from halluc.parsing.profiles import OFFICIAL, STRICT, VLMEVALKIT, pick
from halluc.parsing.readers import AMBER

TYPES = {
    "discriminative-hallucination": ("existence", ""),
    "discriminative-attribute-state": ("attribute", "state"),
    "discriminative-attribute-number": ("attribute", "number"),
    "discriminative-attribute-action": ("attribute", "action"),
    "discriminative-relation": ("relation", ""),
    "relation": ("relation", ""),
}
ANNOTATIONS = "annotations.json"
EXISTENCE_EPSILON, EPSILON = 0.001, 0.0001

PROMPTS: dict[str, Callable[[str], str]] = {
    OFFICIAL: lambda text: text,
    VLMEVALKIT: lambda text: f"{text}\nPlease answer yes or no.",
}


class Amber(PublishedBenchmark):
    """Ask the discriminative questions; hallucinations are the right "no", so "no" is positive.

    Reads ``data/query/<query_file>`` and ``data/annotations.json`` of the published repository; ``root``
    is its ``data`` folder or the folder above. Ids are the published ones.

    Reference:
        Wang et al., AMBER: An LLM-free Multi-dimensional Benchmark for MLLMs Hallucination
        Evaluation, arXiv 2311.07397.
    """

    key = "amber"

    def __init__(
        self,
        root: str | Path,
        *,
        query_file: str = "query_discriminative.json",
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = VLMEVALKIT,
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the files are read on first use.

        Args:
            root: Folder of the published ``data`` folder, or that folder.
            query_file: Name of the question file in ``query``; generative questions in it are left out.
            image_root: Folder of the pictures; None takes ``root/image``.
            profile: Reader of answers and formulas, one of ``strict``, ``official``, ``vlmevalkit``.
            prompt_profile: ``official`` is the bare question, ``vlmevalkit`` asks for yes or no.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of unusable rows and missing pictures.

        Raises:
            UnknownOptionError: If a name is not among its choices.
        """
        super().__init__(
            root,
            image_root=image_root,
            image_folder="image",
            profile=profile,
            prompt_profile=prompt_profile,
            max_pixels=max_pixels,
            bad_rows=bad_rows,
        )
        self.query_file = query_file
        self._read = pick("benchmark.amber.profile", profile, AMBER)
        self._prompt = pick("benchmark.amber.prompt_profile", prompt_profile, PROMPTS)

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file."""
        return {row.text("id"): row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Read "yes" or "no" under the profile; None means unparsed."""
        return self._read(text)

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count each dimension and kind of attribute.

        Returns:
            ``accuracy``, ``precision``, ``recall``, ``f1`` and ``n``, plain and behind ``existence/``,
            ``attribute/``, ``relation/``, ``state/``, ``number/``, ``action/``; ``mean_accuracy``, the
            unweighted mean over the dimensions, which is VLMEvalKit's headline.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        answers = self._source.answers(predictions)
        parts = _by_part(answers)
        groups = count_groups(answers, parts)
        dimensions = {dimension: None for dimension, _ in parts}
        attributes = {attribute: None for _, attribute in parts if attribute}

        def formula(totals: Mapping[tuple[str, str], YesNoCounts]) -> Scores:
            scores = self._scores(totals)
            for dimension in dimensions:
                own = {part: counts for part, counts in totals.items() if part[0] == dimension}
                scores |= prefixed(dimension, self._scores(own, existence=dimension == "existence"))
            for attribute in attributes:
                own = {part: counts for part, counts in totals.items() if part[1] == attribute}
                scores |= prefixed(attribute, self._scores(own))
            return scores | _mean_accuracy(totals)

        return Tally(answers.count, groups, formula)

    def _scores(self, totals: Mapping[tuple[str, str], YesNoCounts], *, existence: bool = False) -> Scores:
        pooled = sum(totals.values(), start=NOTHING)
        n = {"n": float(pooled.n)}
        if self.profile != OFFICIAL or not totals:
            return no_scores(pooled) | n
        if existence:
            return official_no_scores([pooled], f1_epsilon=EXISTENCE_EPSILON) | n
        kinds: dict[str, YesNoCounts] = {}
        for (_, attribute), counts in totals.items():
            kinds[attribute] = kinds.get(attribute, NOTHING) + counts
        return official_no_scores(list(kinds.values()), f1_epsilon=EPSILON) | n

    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""
        folder = next(
            (f for f in self._data_folders() if (f / ANNOTATIONS).is_file()), self._data_folders()[0]
        )
        return (folder / "query" / self.query_file, folder / ANNOTATIONS)

    def _read_files(self) -> Reading:
        folder = self._data_folder()
        rows = read_rows(folder / "query" / self.query_file, "benchmark.amber.root")
        annotations = {row.text("id"): row for row in read_rows(folder / ANNOTATIONS, "benchmark.amber.root")}
        reading = Reading()
        reading.add(rows, lambda row: self._discriminative(row, annotations))
        return reading

    def _scorable(self, row: Row) -> list[Question]:
        return [self._question(row, row, with_image=False)]

    def _discriminative(self, row: Row, annotations: Mapping[str, Row]) -> list[Question]:
        """Make the question of a row; a generative one is none of ours."""
        annotation = annotations.get(row.text("id"))
        if annotation is None:
            raise RecordError(f"{row.where}: id {row.text('id')} has no annotation.")
        if annotation.record.get("type") == "generative":
            return []
        return [self._question(row, annotation, with_image=True)]

    def _data_folders(self) -> tuple[Path, Path]:
        return self.root / "data", self.root

    def _data_folder(self) -> Path:
        for folder in self._data_folders():
            if (folder / ANNOTATIONS).is_file():
                return folder
        raise SourceNotFoundError(
            f"AMBER's annotations.json is neither in {self.root / 'data'} nor in {self.root}. "
            f"Set benchmark.amber.root to the folder that holds the published data folder."
        )

    def _question(self, row: Row, annotation: Row, *, with_image: bool) -> Question:
        name = row.text("image")
        kind = annotation.text("type")
        if kind not in TYPES:
            raise RecordError(f"{annotation.where}: type {kind!r} is none of {', '.join(TYPES)}.")
        dimension, attribute = TYPES[kind]
        return Question(
            id=row.text("id"),
            images=(inside(self.image_root, name, row.where),) if with_image else (),
            prompt=self._prompt(row.text(*TEXT_FIELDS)),
            space=AnswerSpace.yes_no(),
            gold=annotation.yes_no_gold(),
            tags={"subset": dimension} | ({"attribute": attribute} if attribute else {}),
            group=name,
        )


def _by_part(answers: Answers) -> dict[tuple[str, str], list[Pair]]:
    """Split by dimension and kind of attribute, which is empty outside of attributes."""
    parts: dict[tuple[str, str], list[Pair]] = {}
    for question, prediction in answers.pairs:
        part = (question.tags["subset"], question.tags.get("attribute", ""))
        parts.setdefault(part, []).append((question, prediction))
    return parts


def _mean_accuracy(totals: Mapping[tuple[str, str], YesNoCounts]) -> Scores:
    dimensions: dict[str, YesNoCounts] = {}
    for (dimension, _), counts in totals.items():
        dimensions[dimension] = dimensions.get(dimension, NOTHING) + counts
    accuracies = [no_scores(counts)["accuracy"] for counts in dimensions.values()]
    return {"mean_accuracy": mean_if_known(accuracies)} if dimensions else {}
