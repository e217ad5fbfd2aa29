"""VLM2-Bench: linking visual cues across images, with the gated hallucination score."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from halluc.benchmarks import gated_sequences, gates, vlm2_subtasks
from halluc.benchmarks.files.rows import Row, read_rows
from halluc.benchmarks.files.run_rows import is_run_row
from halluc.benchmarks.files.vlm2_sheet import read_vlm2_sheet
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.data.records import AnswerKind, Prediction, Question
from halluc.errors import ConfigError
from halluc.metrics.tally import Scores, Tally
from halluc.parsing.profiles import OFFICIAL, STRICT, VLMEVALKIT, pick
from halluc.parsing.readers import VLM2, VLM2_CHANGE

PROMPTS: dict[str, Callable[[str], str]] = {
    OFFICIAL: lambda text: f"\n{text}",
    VLMEVALKIT: lambda text: f"Question: {text}\n",
}

GATED = "gated "
CLOSED_GATES = {"ask": False, "skip": True}


class Vlm2(PublishedBenchmark):
    """Ask about sequences of 2 to 4 images: gated sequences, the published subtasks, or both.

    A gated sequence has a coarse question, and fine ones behind it. No data of it is published; the
    record format is that of ``gated_sequences``. Under ``official`` the coarse answers are read as the
    VLM2-Bench scripts do, the fine ones as POPE does. The open video descriptions need a judge:
    they are a benchmark of their own, ``vlm2_videos``.

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084; CMU MSCV 2025 team 15, "Evaluation Metrics".
    """

    key = "vlm2"

    def __init__(  # noqa: PLR0913  # a YAML mirrors these arguments one by one
        self,
        root: str | Path,
        *,
        gated_file: str | None = "gated.jsonl",
        subtasks: Sequence[str] = (),
        sheet: str | None = None,
        closed_gates: str = "ask",
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = OFFICIAL,
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the files are read on first use.

        Args:
            root: Folder of the question files.
            gated_file: Name of the file of gated sequences in ``root``; None asks none.
            subtasks: Which of ``vlm2_subtasks.SUBTASKS`` to ask; questions and pictures are where the
                published scripts have them below ``root``.
            sheet: VLMEvalKit's ``VLM2Bench_img.tsv`` below ``root``, which holds the subtasks with their
                pictures, instead of the published files; the pictures are written to
                ``root/sheet_images``.
            closed_gates: ``ask`` asks every fine question; ``skip`` asks the coarse questions first and
                then only the fine ones behind open gates. That is cheaper and changes no gated score,
                but ``fine_accuracy``, which ignores the gates, then has no value.
            image_root: Folder of the gated sequences' pictures; None takes ``root/images``.
            profile: Reader of answers, one of ``strict``, ``official``, ``vlmevalkit``.
            prompt_profile: ``official`` or ``vlmevalkit``.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of unusable rows and missing pictures.

        Raises:
            UnknownOptionError: If a name is not among its choices.
            ConfigError: If there is neither a gated file nor a subtask.
        """
        choices = {name: name for name in vlm2_subtasks.SUBTASKS}
        self.subtasks = tuple(pick("benchmark.vlm2.subtasks", name, choices) for name in subtasks)
        if gated_file is None and not self.subtasks:
            raise ConfigError("vlm2 asks nothing: set benchmark.vlm2.gated_file or benchmark.vlm2.subtasks.")
        super().__init__(
            root,
            image_root=image_root,
            profile=profile,
            prompt_profile=prompt_profile,
            max_pixels=max_pixels,
            bad_rows=bad_rows,
        )
        self.gated_file = gated_file
        self.sheet = sheet
        self._skips = pick("benchmark.vlm2.closed_gates", closed_gates, CLOSED_GATES)
        self._readers = pick("benchmark.vlm2.profile", profile, VLM2)
        self._read_change = VLM2_CHANGE[profile]
        self._prompt = pick("benchmark.vlm2.prompt_profile", prompt_profile, PROMPTS)

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file, which may hold a whole sequence."""
        if "coarse" in row.record:
            return gated_sequences.responses_of(row)
        if row.gold_field is not None and "tags" not in row.record:  # a run's predictions have tags
            return {vlm2_subtasks.row_id(row): row.response}
        return {row.text("id"): row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Read an answer by its kind under the profile; a count may lie outside the candidates."""
        kind = question.space.kind
        is_change = kind is AnswerKind.TRUE_FALSE and question.tags.get("subtask", "").startswith("gc")
        reader = self._read_change if is_change else self._readers[kind]
        return reader(text, question.space)

    def due(self, questions: Sequence[Question], predictions: Mapping[str, Prediction]) -> Sequence[Question]:
        """Return which of the questions to ask next, as ``closed_gates`` says."""
        if self._skips:
            return gates.due_behind_gates(questions, predictions)
        return super().due(questions, predictions)

    def unasked(self, predictions: Sequence[Prediction]) -> frozenset[str]:
        """Return the ids of fine questions behind closed gates, of sequences where none was answered."""
        return gates.unasked(self.published().values(), {p.id: p for p in predictions})

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count whole sequences and whole pairs; behind a closed gate no fine question needs an answer.

        Returns:
            ``gated_sum``, ``gated_mean``, ``gate_open_rate``, ``fine_accuracy``,
            ``fine_accuracy_when_open`` and ``sequences``, plain and behind ``gated/<task>/``, where gated
            sequences were asked; and the names of ``vlm2_subtasks.score_subtasks``. ``fine_accuracy`` is
            None where fine questions were not asked.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice, or a sequence or pair lacks an answer.
        """
        answers = self._source.answers(predictions)
        self._source.refuse_torn(answers.pairs, "sequence", needless=self.unasked(predictions))
        self._source.refuse_torn(answers.pairs, "pair")
        subtasks = answers.by_tag("subtask")
        published = vlm2_subtasks.subtask_groups(answers, subtasks, self.profile)
        gated = gated_sequences.sequence_groups(answers)

        def formula(totals: Mapping[str, Any]) -> Scores:
            scores = vlm2_subtasks.score_subtasks(subtasks, totals, self.profile)
            if gated or not subtasks:
                own = {task: totals[GATED + task] for task in gated}
                scores |= gated_sequences.score_sequences(own)
            return scores

        return Tally(answers.count, published | {GATED + task: sums for task, sums in gated.items()}, formula)

    @classmethod
    def from_rows(cls, rows: Sequence[Row], profile: str = STRICT) -> Self:
        """Build the benchmark from records, as its base does; warn where counts can't be scored rightly."""
        vlm2_subtasks.warn_of_unknown_lengths(row for row in rows if not is_run_row(row))
        return super().from_rows(rows, profile)

    def _scorable(self, row: Row) -> Iterable[Question]:
        return _questions_of(row, None, self._prompt)

    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""
        names = [] if self.gated_file is None else [self.gated_file]
        names += [self.sheet] if self.sheet else map(vlm2_subtasks.question_file, self.subtasks)
        return tuple(self.root / name for name in names)

    def _read_files(self) -> Reading:
        reading = Reading()
        files = [] if self.gated_file is None else [(self.gated_file, self.image_root)]
        for name in () if self.sheet else self.subtasks:
            files.append((vlm2_subtasks.question_file(name), vlm2_subtasks.image_folder(self.root, name)))
        for file, folder in files:
            make = partial(_questions_of, folder=folder, prompt=self._prompt)
            reading.add(read_rows(self.root / file, "benchmark.vlm2.root"), make)
        if self.sheet:
            self._read_sheet(reading, self.root / self.sheet)
        return reading

    def _read_sheet(self, reading: Reading, path: Path) -> None:
        folder = self.root / "sheet_images"
        rows, problems = read_vlm2_sheet(path, folder, "benchmark.vlm2.sheet")
        reading.problems += problems
        asked = [row for row in rows if vlm2_subtasks.subtask_of(row) in self.subtasks]
        reading.add(asked, partial(_questions_of, folder=folder, prompt=self._prompt))


def _questions_of(row: Row, folder: Path | None, prompt: Callable[[str], str]) -> Iterable[Question]:
    """Make the questions of a gated sequence or of a subtask's record."""
    if "coarse" in row.record:
        return gated_sequences.questions_of(row, folder, prompt)
    return vlm2_subtasks.questions_of(row, folder, prompt)
