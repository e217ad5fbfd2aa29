"""POPE: yes/no questions about the presence of objects."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from halluc.benchmarks.files.dataset_rows import read_dataset
from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import TEXT_FIELDS, Row, read_rows
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.benchmarks.scoring.score_names import mean_of, prefixed
from halluc.benchmarks.scoring.yes_no_scoring import (
    MARGINS,
    NOTHING,
    Formula,
    count_groups,
    margin_groups,
    score_counts,
)
from halluc.data.records import AnswerSpace, Prediction, Preparation, Question
from halluc.errors import RecordError, SourceNotFoundError
from halluc.metrics.tally import Scores, Tally
from halluc.metrics.yes_no import yes_no_scores
from halluc.metrics.yes_no_upstream import lmms_eval_yes_no_scores
from halluc.parsing.profiles import LMMS_EVAL, OFFICIAL, STRICT, VLMEVALKIT, pick
from halluc.parsing.readers import YES_NO

logger = logging.getLogger(__name__)

SUBSETS = ("random", "popular", "adversarial")
FILE_ENDINGS = {**{subset: subset for subset in SUBSETS}, "pope_adv": SUBSETS[2], "pope_pop": SUBSETS[1]}
"""How file names end, and their subsets; the short ones are lmms-eval's."""

SHORT_ANSWER = "\nAnswer the question using a single word or phrase."


FORMULAS: dict[str, Formula] = {
    STRICT: yes_no_scores,
    OFFICIAL: yes_no_scores,
    LMMS_EVAL: lmms_eval_yes_no_scores,
    VLMEVALKIT: yes_no_scores,
}

PROMPTS: dict[str, Callable[[str], str]] = {
    OFFICIAL: lambda text: text,
    VLMEVALKIT: lambda text: text,
    LMMS_EVAL: lambda text: text.strip() + SHORT_ANSWER,
    "short_answer": lambda text: text.strip() + SHORT_ANSWER,
}


class Pope(PublishedBenchmark):
    """Ask whether an object is in the picture; absent objects are drawn in three ways.

    The published files are read as they are: JSON Lines for coco, JSON arrays for aokvqa and gqa.
    Each subset's file is looked for in ``root`` and in the folders of the published tree below it. Ids
    are ``<subset>/<question_id>``; answered records without one are ``<subset>/<image>/<question>``.

    Reference:
        Li et al., Evaluating Object Hallucination in Large Vision-Language Models, arXiv 2305.10355.
    """

    key = "pope"
    preparations: ClassVar[Mapping[str, Preparation]] = {LMMS_EVAL: Preparation.LMMS_EVAL}

    def __init__(  # noqa: PLR0913  # a YAML mirrors these arguments one by one
        self,
        root: str | Path,
        subsets: Sequence[str] = SUBSETS,
        *,
        source: str = "coco",
        dataset: str | None = None,
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = "short_answer",
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the files are read on first use.

        Args:
            root: Folder of the question files.
            subsets: Which of the source's files to ask.
            source: First part of the file names: ``coco``, ``aokvqa``, ``gqa`` or one's own.
            dataset: A Hugging Face dataset instead of files, as ``lmms-lab/POPE``: see
                ``dataset_rows``. Its pictures are written to the image root.
            image_root: Folder of the pictures; None takes ``root/images``.
            profile: Reader of answers and formulas, one of ``strict``, ``official``,
                ``lmms_eval``, ``vlmevalkit``.
            prompt_profile: ``official`` and ``vlmevalkit`` ask the bare question; ``short_answer`` adds
                lmms-eval's suffix; ``lmms_eval`` adds it too, and treats pictures as lmms-eval does.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of unusable rows and missing pictures.

        Raises:
            UnknownOptionError: If a name is not among its choices.
        """
        super().__init__(
            root,
            image_root=image_root,
            profile=profile,
            prompt_profile=prompt_profile,
            max_pixels=max_pixels,
            bad_rows=bad_rows,
        )
        self.subsets = tuple(subsets)
        self.source = source
        self.dataset = dataset
        self._read = pick("benchmark.pope.profile", profile, YES_NO)
        self._formula = FORMULAS[profile]
        self._prompt = pick("benchmark.pope.prompt_profile", prompt_profile, PROMPTS)

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file."""
        return {row.name_in(partial(_row_subset, row), TEXT_FIELDS): row.response}

    @classmethod
    def from_rows(cls, rows: Sequence[Row], profile: str = STRICT) -> Self:
        """Build the benchmark from records, as its base does; say which subsets are none of POPE's.

        Raises:
            RecordError: If a record names no subset while others of its file do; all are listed.
        """
        _refuse_unnamed_subsets(rows)
        _warn_of_other_subsets(rows)
        return super().from_rows(rows, profile)

    def read(self, question: Question, text: str) -> str | None:
        """Read "yes" or "no" under the profile; None means unparsed."""
        return self._read(text)

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count each subset; they are scored apart, averaged (``macro``) and together (``pooled``).

        Returns:
            ``<subset>/``, ``macro/`` and ``pooled/`` with ``accuracy``, ``precision``, ``recall``,
            ``no_recall``, ``f1``, ``yes_ratio``, ``unparsed_rate``, ``n``, and for likelihood answers
            ``auroc`` and ``best_threshold_accuracy``; ``accuracy`` is that of ``macro``. VLMEvalKit's
            headline is ``pooled/f1``.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        answers = self._source.answers(predictions)
        subsets = answers.by_tag("subset")
        groups = count_groups(answers, subsets)
        groups |= margin_groups(answers, {**subsets, "pooled": answers.pairs})

        def formula(totals: Mapping[str, Any]) -> Scores:
            counts = {name: totals[name] for name in subsets}
            counts["pooled"] = sum(counts.values(), start=NOTHING)
            own = {
                name: score_counts(own, self._formula, totals.get(MARGINS + name))
                for name, own in counts.items()
            }
            macro = mean_of([own[name] for name in subsets])
            scores: Scores = {}
            for name, group in ({"macro": macro} | own).items():
                scores |= prefixed(name, group)
            return scores | {key: macro[key] for key in ("accuracy",) if key in macro}

        return Tally(answers.count, groups, formula)

    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""
        if self.dataset is not None:
            return ()
        return tuple(
            next((place for place in places if place.is_file()), places[0])
            for places in map(self._places, self.subsets)
        )

    def _read_files(self) -> Reading:
        reading = Reading()
        if self.dataset is not None:
            rows = read_dataset(
                self.dataset, split="test", image_folder=self.image_root, option="benchmark.pope.dataset"
            )
            reading.add(rows, self._questions_of_asked)
            return reading
        for subset in self.subsets:
            rows = read_rows(self._find(subset), "benchmark.pope.root")
            reading.add(rows, partial(self._questions_of, subset))
        return reading

    def _find(self, subset: str) -> Path:
        """Find the file of a subset in the root, or in the published tree below it."""
        places = self._places(subset)
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            raise SourceNotFoundError(
                f"POPE questions not found at {places[0]}, nor as {places[1].name}, nor below that folder in "
                f"{', '.join(self._folders()[1:])} (benchmark.pope.root={self.root}, source={self.source}). "
                f"Set benchmark.pope.root to their folder; data/README.md says where to get them."
            )
        return found

    def _places(self, subset: str) -> list[Path]:
        names = (f"{self.source}_pope_{subset}.json", f"{self.source}_pope_seem_{subset}.json")
        return [self.root / folder / name for folder in self._folders() for name in names]

    def _folders(self) -> tuple[str, ...]:
        """Return where the files may lie below the root."""
        own = self.source
        return ("", own, f"seem/{own}", f"output/{own}", f"output/seem/{own}")

    def _scorable(self, row: Row) -> list[Question]:
        subset = _row_subset(row)
        return [
            Question(
                id=row.name_in(lambda: subset, TEXT_FIELDS),
                images=(),
                prompt="",
                space=AnswerSpace.yes_no(),
                gold=row.yes_no_gold(),
                tags={"subset": subset},
                group=row.image_name() or row.where,
            )
        ]

    def _questions_of_asked(self, row: Row) -> list[Question]:
        subset = _row_subset(row)
        return self._questions_of(subset, row) if subset in self.subsets else []

    def _questions_of(self, subset: str, row: Row) -> list[Question]:
        text, name = row.text(*TEXT_FIELDS), row.text("image")
        return [
            Question(
                id=f"{subset}/{row.text('question_id', 'id')}",
                images=(inside(self.image_root, name, row.where),),
                prompt=self._prompt(text),
                space=AnswerSpace.yes_no(),
                gold=row.yes_no_gold("answer"),
                tags={"subset": subset},
                group=name,
                preparation=self.preparation,
            )
        ]


def _row_subset(row: Row) -> str:
    """Return the subset a row names; published rows name none, then their file does.

    Raises:
        RecordError: If it names an empty one.
    """
    name = _named_subset(row)
    if name is None:
        return _file_subset(row)
    if not name:
        raise RecordError(f"{row.where}: subset or category is empty. Name one, as {SUBSETS[0]}.")
    return name


def _named_subset(row: Row) -> str | None:
    name = row.record.get("subset", row.record.get("category"))
    return None if name is None else str(name).strip()


def _file_subset(row: Row) -> str:
    stem = row.file.stem
    return next((subset for ending, subset in FILE_ENDINGS.items() if stem.endswith(ending)), stem)


def _refuse_unnamed_subsets(rows: Sequence[Row]) -> None:
    naming = {row.file for row in rows if _named_subset(row)}
    bare = [row.where for row in rows if row.file in naming and not _named_subset(row)]
    if bare:
        raise RecordError(
            f"pope: {len(bare)} records name no subset, while others of their file do. Give each its "
            f"subset or category, as {SUBSETS[0]}:",
            bare,
        )


def _warn_of_other_subsets(rows: Iterable[Row]) -> None:
    names = (name for row in rows if (name := _named_subset(row) or _file_subset(row)) not in SUBSETS)
    others = Counter(names)
    if others:
        logger.warning(
            "%d records are of subsets other than %s: %s. Each subset counts alike in the mean.",
            others.total(),
            ", ".join(SUBSETS),
            ", ".join(f"{name} ({count})" for name, count in others.items()),
        )
