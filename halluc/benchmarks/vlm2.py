"""VLM2-Bench: linking visual cues across images, with the gated hallucination score."""

from collections.abc import Callable, Sequence
from pathlib import Path

from halluc.benchmarks import gated_sequences
from halluc.benchmarks.question_source import QuestionSource, Reading
from halluc.benchmarks.rows import Row, read_rows
from halluc.benchmarks.yes_no_scoring import defined
from halluc.data.records import Prediction, Question
from halluc.parsing.profiles import OFFICIAL, STRICT, VLMEVALKIT, pick
from halluc.parsing.readers import VLM2

PROMPTS: dict[str, Callable[[str], str]] = {
    OFFICIAL: lambda text: f"\n{text}",
    VLMEVALKIT: lambda text: f"Question: {text}\n",
}


class Vlm2:
    """Ask about sequences of 2 to 4 images: a coarse question, and fine ones that it gates.

    No data of the gated score is published; the record format is that of ``gated_sequences``. Under
    ``official`` the coarse answers are read as the VLM2-Bench scripts do, the fine ones as POPE does.

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084; CMU MSCV 2025 team 15, "Evaluation Metrics".
    """

    key = "vlm2"

    def __init__(
        self,
        root: str | Path,
        *,
        gated_file: str = "gated.jsonl",
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = OFFICIAL,
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the files are read on first use.

        Args:
            root: Folder of the question files.
            gated_file: Name of the file of gated sequences in ``root``.
            image_root: Folder of the pictures; None takes ``root/images``.
            profile: Reader of answers, one of ``strict``, ``official``, ``vlmevalkit``.
            prompt_profile: ``official`` or ``vlmevalkit``.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of unusable rows and missing pictures.

        Raises:
            UnknownOptionError: If a name is not among its choices.
        """
        self.root = Path(root)
        self.image_root = Path(image_root) if image_root is not None else self.root / "images"
        self.gated_file = gated_file
        self.profile = profile
        self.prompt_profile = prompt_profile
        self.max_pixels = max_pixels
        self._readers = pick("benchmark.vlm2.profile", profile, VLM2)
        self._prompt = pick("benchmark.vlm2.prompt_profile", prompt_profile, PROMPTS)
        self._source = QuestionSource(self.key, self._read_files, bad_rows)

    @classmethod
    def from_rows(cls, rows: Sequence[Row], profile: str = STRICT) -> "Vlm2":
        """Build the benchmark from records that hold the gold answers; no files, no pictures."""
        benchmark = cls("", profile=profile)
        reading = Reading()
        reading.add(rows, lambda row: gated_sequences.questions_of(row, None, benchmark._prompt))
        benchmark._source = QuestionSource(cls.key, lambda: reading)
        return benchmark

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file, which may hold a whole sequence."""
        if "coarse" in row.record:
            return gated_sequences.responses_of(row)
        return {row.text("id"): row.response}

    def questions(self) -> Sequence[Question]:
        """Return every question, coarse before fine; a sequence's questions share one group.

        Raises:
            SourceNotFoundError: If a file or pictures are missing.
            RecordError: If rows are unusable; all are listed.
        """
        return self._source.askable()

    def published(self) -> dict[str, Question]:
        """Return id to question without looking for the pictures."""
        return self._source.every()

    def read(self, question: Question, text: str) -> str | None:
        """Read an answer by its kind under the profile; a count may lie outside the candidates."""
        return self._readers[question.space.kind](text, question.space)

    def score(self, predictions: Sequence[Prediction]) -> dict[str, float]:
        """Score whole sequences.

        Returns:
            ``gated_sum``, ``gated_mean``, ``gate_open_rate``, ``fine_accuracy``,
            ``fine_accuracy_when_open`` and ``sequences``, plain and behind ``<task>/``.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice, or a sequence lacks an answer.
        """
        pairs = self._source.match(predictions)
        scores = gated_sequences.score_sequences(pairs, self._source.every())
        return defined(self.key, scores) | self._source.skipped_score()

    def _read_files(self) -> Reading:
        reading = Reading()
        rows = read_rows(self.root / self.gated_file, "benchmark.vlm2.root")
        reading.add(rows, lambda row: gated_sequences.questions_of(row, self.image_root, self._prompt))
        return reading
