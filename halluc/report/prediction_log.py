"""Predictions written as they come, so that a killed evaluation goes on where it stopped."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TextIO

from halluc.data.records import Prediction, Question
from halluc.errors import ResumeError
from halluc.report.results import prediction_of, prediction_row, read_predictions, write_predictions

Due = Callable[[Sequence[Question], Mapping[str, Prediction]], Sequence[Question]]
"""Returns which questions to ask next, given the predictions so far."""


class PredictionLog:
    """Append predictions of one benchmark to a file; what an earlier process appended is kept.

    Until no question is due any more the file is called ``<name>.jsonl.unfinished``; then it is written
    once more, in published order, as ``<name>.jsonl``. Use it as a context manager.

    Args:
        path: The finished file, ``predictions/<when>/<benchmark>.jsonl``.
        questions: All questions to be asked.
        parts: Question id to ``select`` or ``report``.
        due: What is still to be asked, as the benchmark sees it.

    Attributes:
        predictions: Question id to prediction, so far.

    Raises:
        ResumeError: If the file holds answers to other questions, or to other prompts.
    """

    def __init__(self, path: Path, questions: Sequence[Question], parts: Mapping[str, str], due: Due) -> None:
        self._path = path
        self._unfinished = path.with_name(path.name + ".unfinished")
        self._questions = {question.id: question for question in questions}
        self._parts = parts
        self._due = due
        self._file: TextIO | None = None
        self.predictions: dict[str, Prediction] = {}

    def __enter__(self) -> "PredictionLog":
        """Read what is there, and open the file to go on with it."""
        found = self._path if self._path.exists() else self._unfinished
        if found.exists():
            self._cut_torn_line(found)
            self._take(found)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if open_questions := self._open_questions():
            if found == self._path and found.exists():
                raise ResumeError(
                    f"{found} is finished, but lacks {len(open_questions)} questions asked now. "
                    f"Evaluate into a new folder."
                )
            self._file = self._unfinished.open("a", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; write the finished one if no question is due any more."""
        if self._file is not None:
            self._file.close()
        if not self._open_questions() and not self._path.exists():
            asked = [question for name, question in self._questions.items() if name in self.predictions]
            ordered = [self.predictions[question.id] for question in asked]
            write_predictions(self._path, asked, ordered, self._parts)
            self._unfinished.unlink(missing_ok=True)

    def append(self, prediction: Prediction) -> None:
        """Keep one prediction, in memory and in the file."""
        assert self._file is not None, "append() belongs inside the context"
        question = self._questions[prediction.id]
        row = prediction_row(question, prediction, self._parts.get(question.id))
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._file.flush()
        self.predictions[prediction.id] = prediction

    def _open_questions(self) -> Sequence[Question]:
        return self._due(list(self._questions.values()), self.predictions)

    def _cut_torn_line(self, path: Path) -> None:
        """Drop a last line that a killed process left without its end."""
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            path.write_bytes(whole)

    def _take(self, path: Path) -> None:
        for row in read_predictions(path):
            question = self._questions.get(row["id"])
            if question is None or question.prompt != row["prompt"]:
                raise ResumeError(
                    f"{path} answers {row['id']}, which is not asked now, or not in these words. "
                    f"Resume with the settings it was started with, or evaluate into a new folder."
                )
            self.predictions[row["id"]] = prediction_of(row)
