"""The questions of a benchmark: read once, checked as a whole, and matched with predictions."""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from halluc.benchmarks.files.image_paths import missing_files
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.scoring.answers import Answers, Pair
from halluc.data.readers.jsonl import Findings
from halluc.data.records import AnswerKind, Prediction, Question
from halluc.errors import BenchmarkError, ImageError, RecordError, SourceNotFoundError
from halluc.parsing.profiles import pick

logger = logging.getLogger(__name__)

BAD_ROWS = {"error": False, "skip": True}
SHOWN = 5
FEWEST_CHOICES = 8
"""With fewer questions the same right letter throughout may be chance."""


@dataclass(slots=True)
class Reading:
    """Hold what came out of a benchmark's files.

    Attributes:
        questions: In published order.
        problems: One line for each row that can't be used, with file and place.
    """

    questions: list[Question] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, rows: Iterable[Row], make: Callable[[Row], Iterable[Question]]) -> None:
        """Make questions of rows; a row that can't be used becomes a problem."""
        for row in rows:
            try:
                self.questions.extend(list(make(row)))
            except (RecordError, ImageError) as error:
                message = str(error)
                self.problems.append(message if row.where in message else f"{row.where}: {message}")


class QuestionSource:
    """Read a benchmark's questions on first use, and match predictions to them."""

    def __init__(self, key: str, read: Callable[[], Reading], bad_rows: str = "error") -> None:
        """Keep how to read; nothing is read yet.

        Args:
            key: The benchmark's key in the config, as ``pope``.
            read: Reads the files.
            bad_rows: ``error`` lists all unusable rows and missing pictures and stops; ``skip`` lists
                them in the log, leaves them out and counts them.

        Raises:
            UnknownOptionError: If ``bad_rows`` is neither.
        """
        self.key = key
        self.skipped = 0
        self._read = read
        self._skip = pick(f"benchmark.{key}.bad_rows", bad_rows, BAD_ROWS)
        self._every: dict[str, Question] | None = None
        self._askable: tuple[Question, ...] | None = None

    def every(self) -> dict[str, Question]:
        """Return id to question for all usable rows, in published order, pictures there or not.

        Raises:
            RecordError: If rows are unusable and not to be skipped, or an id occurs twice.
        """
        if self._every is None:
            reading = self._read()
            self._reject_rows(reading.problems)
            every = {question.id: question for question in reading.questions}
            if len(every) < len(reading.questions):
                raise RecordError(f"{self.key}: question ids occur twice:", _repeated(reading.questions))
            self._every = every
        return self._every

    def askable(self) -> tuple[Question, ...]:
        """Return the questions whose pictures are there, in published order.

        Raises:
            SourceNotFoundError: If pictures are missing and not to be skipped.
        """
        if self._askable is None:
            questions = self.every().values()
            missing = missing_files(image for question in questions for image in question.images)
            self._reject_pictures(missing)
            gone = set(missing)
            self._askable = tuple(q for q in questions if gone.isdisjoint(q.images))
            self.skipped += len(questions) - len(self._askable)
        return self._askable

    def findings(self) -> Findings:
        """Read everything and say what is wrong, without stopping at it.

        Raises:
            SourceNotFoundError: If a file of questions is missing.
        """
        reading = self._read()
        problems = [
            *reading.problems,
            *(f"id {line} occurs more than once" for line in _repeated(reading.questions)),
        ]
        missing = dict.fromkeys(missing_files(image for q in reading.questions for image in q.images), 0)
        usable = 0
        for question in reading.questions:
            gone = [image for image in question.images if image in missing]
            usable += not gone
            for image in gone:
                missing[image] += 1
        problems += [
            f"{image}: no such picture, {count} questions show it" for image, count in missing.items()
        ]
        return Findings(usable, tuple(problems), tuple(constant_letter_notice(reading.questions)))

    def answers(self, predictions: Sequence[Prediction]) -> Answers:
        """Match predictions, and find out which of the answered questions share images.

        Raises:
            BenchmarkError: As ``match``.
        """
        return Answers.of(self.match(predictions))

    def match(self, predictions: Sequence[Prediction]) -> list[Pair]:
        """Pair predictions with their questions, in published order whatever order they come in.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice; the first few are named.
        """
        every = self.every()
        by_id = {prediction.id: prediction for prediction in predictions}
        unknown = [name for name in by_id if name not in every]
        if unknown:
            raise BenchmarkError(
                f"{self.key}: {len(unknown)} of {len(by_id)} predictions have an unknown id, as "
                f"{', '.join(unknown[:SHOWN])}. An id of this benchmark looks like {next(iter(every), '')!r}."
            )
        if len(by_id) < len(predictions):
            raise BenchmarkError(
                f"{self.key}: {len(predictions) - len(by_id)} predictions repeat an id. "
                f"Give each question one prediction."
            )
        return [(question, by_id[name]) for name, question in every.items() if name in by_id]

    def refuse_torn(self, pairs: Sequence[Pair], tag: str, needless: Collection[str] = ()) -> None:
        """Refuse answers to only a part of the questions that share a value of ``tag``.

        Args:
            pairs: The answered questions.
            tag: Names what is scored whole.
            needless: Ids of questions that may lack an answer.

        Raises:
            BenchmarkError: If of such questions, which can only be scored together, some have no answer.
        """
        answered = {question.id for question, _ in pairs} | set(needless)
        wholes = {question.tags[tag] for question, _ in pairs if tag in question.tags}
        missing = [q.id for q in self.every().values() if q.tags.get(tag) in wholes and q.id not in answered]
        if missing:
            raise BenchmarkError(
                f"{self.key}: {len(missing)} questions have no prediction, as {', '.join(missing[:SHOWN])}, "
                f"while others of the same {tag} have. A {tag} is scored whole: keep a group together."
            )

    def skipped_score(self) -> dict[str, float]:
        """Return how many rows and questions were left out, as a score; empty if none were."""
        return {"skipped": float(self.skipped)} if self.skipped else {}

    def _reject_rows(self, problems: Sequence[str]) -> None:
        """Raise for unusable rows, or log and count them; all are listed either way."""
        if not problems:
            return
        summary = f"{self.key}: {len(problems)} rows are unusable"
        if not self._skip:
            way_out = (
                f"Mend them, or set benchmark.{self.key}.bad_rows=skip to go without and have them counted"
            )
            raise RecordError(f"{summary}. {way_out}:", problems)
        logger.warning("%s and left out:\n  %s", summary, "\n  ".join(problems))
        self.skipped += len(problems)

    def _reject_pictures(self, missing: Sequence[str]) -> None:
        """Raise for missing pictures, or log them; the first few are named."""
        if not missing:
            return
        first = "\n  ".join(missing[:SHOWN])
        summary = f"{self.key}: {len(missing)} pictures are missing, first:\n  {first}\n"
        if not self._skip:
            raise SourceNotFoundError(
                f"{summary}Set benchmark.{self.key}.image_root to the folder that holds them, or "
                f"benchmark.{self.key}.bad_rows=skip to leave their questions out and have them counted."
            )
        logger.warning("%sTheir questions are left out.", summary)


def constant_letter_notice(questions: Sequence[Question]) -> list[str]:
    """Return a line if the right letter never changes, so that a model that always says it looks perfect."""
    letters = Counter(q.gold for q in questions if q.space.kind is AnswerKind.CHOICE)
    if len(letters) != 1 or letters.total() < FEWEST_CHOICES:
        return []
    (letter,) = letters
    return [
        f"the right option is {letter} in all {letters.total()} multiple-choice questions, so the letter is "
        f"right without a look. Shuffle the options."
    ]


def _repeated(questions: Sequence[Question]) -> list[str]:
    counts = Counter(question.id for question in questions)
    return [f"{name} ({count} times)" for name, count in counts.items() if count > 1]
