"""AMBER, discriminative part: yes/no questions about existence, attributes and relations."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import TEXT_FIELDS, Row, read_rows
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.benchmarks.scoring.answers import Answers, Pair
from halluc.benchmarks.scoring.score_names import mean_if_known, prefixed
from halluc.benchmarks.scoring.yes_no_scoring import (
    MARGINS,
    NOTHING,
    count_groups,
    margin_groups,
    score_counts,
)
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import RecordError, SourceNotFoundError
from halluc.metrics.amber import answer_shares, no_scores, official_no_scores
from halluc.metrics.tally import Scores, Tally
from halluc.metrics.yes_no import YesNoCounts
from halluc.parsing.profiles import OFFICIAL, STRICT, VLMEVALKIT, pick
from halluc.parsing.readers import AMBER

ATTRIBUTE = "attribute"
ATTRIBUTE_KINDS = ("state", "number", "action")
TYPES = {
    "discriminative-hallucination": ("existence", ""),
    "discriminative-attribute-state": (ATTRIBUTE, "state"),
    "discriminative-attribute-number": (ATTRIBUTE, "number"),
    "discriminative-attribute-action": (ATTRIBUTE, "action"),
    "discriminative-relation": ("relation", ""),
    "relation": ("relation", ""),
}
"""Published type of a question to its dimension and kind of attribute, empty outside of attributes."""

CATEGORIES = {
    **TYPES,
    "existence": ("existence", ""),
    ATTRIBUTE: (ATTRIBUTE, ""),
    **{kind: (ATTRIBUTE, kind) for kind in ATTRIBUTE_KINDS},
}
"""What answer files also call them, in lower case: VLMEvalKit maps the types to the dimensions."""

CATEGORY_FIELDS = ("category", "l2-category", "subset", ATTRIBUTE)
"""Fields of an answer file that tell dimension and kind: VLMEvalKit's, then the tags of a run."""

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

    Answer files are published records, a run's predictions, or sheets of VLMEvalKit. A sheet names its
    rows by ``index``; to join it to the published questions, its ``index`` must be the published id.
    Where it tells no kind of attribute, ``state/``, ``number/`` and ``action/`` are absent and nothing else
    is.

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
        return {row.text("id", "question_id"): row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Read "yes" or "no" under the profile; None means unparsed."""
        return self._read(text)

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count each dimension and kind of attribute.

        Returns:
            Plain, and behind ``existence/``, ``attribute/``, ``relation/``, ``state/``, ``number/`` and
            ``action/``: ``accuracy``, and ``precision``, ``recall`` and ``f1`` of the answer "no", by the
            formulas of the profile; under every profile unrounded ``yes_recall``, ``no_recall``,
            ``yes_ratio`` and ``unparsed_rate`` (see ``answer_shares``), ``n``, and for likelihood answers
            ``auroc`` and ``best_threshold_accuracy`` of the yes margin. ``recall`` is of "no", unlike
            POPE's; ``yes_recall`` and ``auroc`` are absent from ``existence/``, where all gold is no.
            And ``mean_accuracy``, the unweighted mean over the dimensions, VLMEvalKit's headline.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        answers = self._source.answers(predictions)
        parts = _by_part(answers)
        groups = {"": answers.pairs, **answers.by_tag("subset"), **answers.by_tag(ATTRIBUTE)}
        counts: dict[Any, Any] = {**count_groups(answers, parts), **margin_groups(answers, groups)}

        def formula(totals: Mapping[Any, Any]) -> Scores:
            scores: Scores = {}
            for name in groups:
                own = {part: totals[part] for part in parts if not name or name in part}
                scored = score_counts(
                    sum(own.values(), start=NOTHING), partial(self._formula, name), totals.get(MARGINS + name)
                )
                scores |= prefixed(name, scored) if name else scored
            return scores | _mean_accuracy({part: totals[part] for part in parts})

        return Tally(answers.count, counts, formula)

    def _formula(self, group: str, counts: YesNoCounts) -> Scores:
        if self.profile != OFFICIAL or not counts.n:
            return no_scores(counts) | answer_shares(counts)
        published = official_no_scores(
            counts,
            starts=len(ATTRIBUTE_KINDS) if group == ATTRIBUTE else 1,
            f1_epsilon=EXISTENCE_EPSILON if group == "existence" else EPSILON,
        )
        return published | answer_shares(counts)

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
        dimension, attribute = _category(row)
        return [
            Question(
                id=row.text("id", "question_id"),
                images=(),
                prompt="",
                space=AnswerSpace.yes_no(),
                gold=row.yes_no_gold(),
                tags=_tags(dimension, attribute),
                group=row.image_name() or "",
            )
        ]

    def _discriminative(self, row: Row, annotations: Mapping[str, Row]) -> list[Question]:
        """Make the question of a row; a generative one is none of ours."""
        annotation = annotations.get(row.text("id"))
        if annotation is None:
            raise RecordError(f"{row.where}: id {row.text('id')} has no annotation.")
        if annotation.record.get("type") == "generative":
            return []
        name = row.text("image")
        return [
            Question(
                id=row.text("id"),
                images=(inside(self.image_root, name, row.where),),
                prompt=self._prompt(row.text(*TEXT_FIELDS)),
                space=AnswerSpace.yes_no(),
                gold=annotation.yes_no_gold(),
                tags=_tags(*_published_type(annotation)),
                group=name,
            )
        ]

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


def _published_type(row: Row) -> tuple[str, str]:
    """Return dimension and kind of attribute by the published ``type``."""
    name = row.text("type")
    if name not in TYPES:
        raise RecordError(f"{row.where}: type {name!r} is none of {', '.join(TYPES)}.")
    return TYPES[name]


def _category(row: Row) -> tuple[str, str]:
    """Return dimension and kind of attribute of an answer, the kind empty where it is not told."""
    fields = ("type",) if "type" in row.record else CATEGORY_FIELDS
    told = {name: str(row.record[name]) for name in fields if row.record.get(name)}
    known = {CATEGORIES[name.strip().lower()] for name in told.values() if name.strip().lower() in CATEGORIES}
    dimensions = {dimension for dimension, _ in known}
    kinds = {kind for _, kind in known if kind}
    if len(dimensions) != 1 or len(kinds) > 1:
        found = ", ".join(f"{name} {value!r}" for name, value in told.items()) or "neither"
        raise RecordError(
            f"{row.where}: type or category must name one dimension of AMBER, found {found}. "
            f"Give one of {', '.join(CATEGORIES)}."
        )
    return dimensions.pop(), kinds.pop() if kinds else ""


def _tags(dimension: str, attribute: str) -> dict[str, str]:
    return {"subset": dimension} | ({ATTRIBUTE: attribute} if attribute else {})


def _by_part(answers: Answers) -> dict[tuple[str, str], list[Pair]]:
    """Split by dimension and kind of attribute, which is empty outside of attributes."""
    parts: dict[tuple[str, str], list[Pair]] = {}
    for question, prediction in answers.pairs:
        part = (question.tags["subset"], question.tags.get(ATTRIBUTE, ""))
        parts.setdefault(part, []).append((question, prediction))
    return parts


def _mean_accuracy(totals: Mapping[tuple[str, str], YesNoCounts]) -> Scores:
    dimensions: dict[str, YesNoCounts] = {}
    for (dimension, _), counts in totals.items():
        dimensions[dimension] = dimensions.get(dimension, NOTHING) + counts
    accuracies = [no_scores(counts)["accuracy"] for counts in dimensions.values()]
    return {"mean_accuracy": mean_if_known(accuracies)} if dimensions else {}
