"""What all benchmarks with published files share: options, questions read once, scoring of records."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.files.run_rows import is_run_row, question_of
from halluc.benchmarks.question_source import QuestionSource, Reading
from halluc.benchmarks.scoring.score_names import defined
from halluc.data.readers.jsonl import Findings
from halluc.data.records import Prediction, Preparation, Question
from halluc.metrics.tally import Tally
from halluc.parsing.profiles import STRICT


class PublishedBenchmark(ABC):
    """Ask and score questions that are read from published files on first use.

    Attributes:
        key: The class's key in the config.
        name: The key that this benchmark has there and in logs; the class's, unless said otherwise.
        root: Folder of the question files.
        image_root: Folder of the pictures.
        profile: Name of the answer reader.
        prompt_profile: Name of the prompt form.
        max_pixels: Pixel bound of the pictures; None takes the model's own.
        preparations: Prompt form to what its protocol does to pictures; those not listed do nothing.
        preparation: That of ``prompt_profile``; every question carries it.
        without_options: Prompt forms that list no options, so that no letter can be asked for.
    """

    key: ClassVar[str]
    preparations: ClassVar[Mapping[str, Preparation]] = {}
    without_options: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self,
        root: str | Path,
        *,
        image_root: str | Path | None = None,
        image_folder: str = "images",
        profile: str = STRICT,
        prompt_profile: str = "",
        max_pixels: int | None = None,
        bad_rows: str = "error",
        name: str | None = None,
    ) -> None:
        """Keep the options; nothing is read yet.

        Args:
            root: Folder of the question files.
            image_root: Folder of the pictures; None takes ``image_folder`` in ``root``.
            image_folder: Where the pictures are below ``root``, unless said otherwise.
            profile: Name of the answer reader.
            prompt_profile: Name of the prompt form.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of unusable rows and missing pictures.
            name: Its key in the config; None takes the class's.

        Raises:
            UnknownOptionError: If ``bad_rows`` is neither.
        """
        self.name = name or self.key
        self.root = Path(root)
        self.image_root = self.root / image_folder if image_root is None else Path(image_root)
        self.profile = profile
        self.prompt_profile = prompt_profile
        self.max_pixels = max_pixels
        self.preparation = self.preparations.get(prompt_profile, Preparation.NONE)
        self._source = QuestionSource(self.name, self._read_files, bad_rows)

    @classmethod
    def from_rows(cls, rows: Sequence[Row], profile: str = STRICT) -> Self:
        """Build the benchmark from records that hold their gold answers; it needs no files or pictures.

        Args:
            rows: Published records, usually with responses, or rows of a run's predictions.
            profile: Name of the answer reader.
        """
        benchmark = cls("", profile=profile)
        reading = Reading()
        reading.add(rows, lambda row: [question_of(row)] if is_run_row(row) else benchmark._scorable(row))
        benchmark._source = QuestionSource(cls.key, lambda: reading)
        return benchmark

    @property
    def hides_options(self) -> bool:
        """Tell whether its prompts list no options: only their texts can be compared."""
        return self.prompt_profile in self.without_options

    def questions(self) -> Sequence[Question]:
        """Return every question whose pictures are there, in published order.

        Raises:
            SourceNotFoundError: If a file is missing, or pictures are and ``bad_rows`` is ``error``.
            RecordError: If rows are unusable and ``bad_rows`` is ``error``; all are listed.
        """
        return self._source.askable()

    def published(self) -> Mapping[str, Question]:
        """Return id to question for every usable row, without looking for the pictures.

        Raises:
            SourceNotFoundError: If a file is missing.
            RecordError: If rows are unusable and ``bad_rows`` is ``error``; all are listed.
        """
        return self._source.every()

    def findings(self) -> Findings:
        """Read the files and say what is wrong with them, without stopping at it.

        Raises:
            SourceNotFoundError: If a file of questions is missing.
        """
        return self._source.findings()

    def due(self, questions: Sequence[Question], predictions: Mapping[str, Prediction]) -> Sequence[Question]:
        """Return which of the questions to ask next: all that have no prediction yet."""
        return [question for question in questions if question.id not in predictions]

    def unasked(self, predictions: Sequence[Prediction]) -> frozenset[str]:
        """Return the ids of questions that need no answer, given these; none, unless a benchmark says so."""
        del predictions
        return frozenset()

    @staticmethod
    @abstractmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file; None where the response is missing."""

    @abstractmethod
    def read(self, question: Question, text: str) -> str | None:
        """Read a response under the profile; None means unparsed."""

    @abstractmethod
    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count the answers to any subset of the questions, matched by id, cluster by cluster.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """

    def score(self, predictions: Sequence[Prediction]) -> dict[str, float]:
        """Score any subset of the questions, matched by id.

        Returns:
            What the formula of ``tally`` gives; no key for what is undefined.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        return self.score_tally(self.tally(predictions))

    def score_tally(self, tally: Tally) -> dict[str, float]:
        """Score what ``tally`` counted; no key for what is undefined."""
        return defined(self.name, tally.score()) | self._source.skipped_score()

    @abstractmethod
    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""

    @abstractmethod
    def _read_files(self) -> Reading:
        """Read the published files."""

    @abstractmethod
    def _scorable(self, row: Row) -> Iterable[Question]:
        """Make the questions of one record with gold answers; they need no prompt and no images."""
