"""A benchmark of one's own: yes/no or multiple-choice rows, declared by YAML alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.rows import IMAGE_FIELDS, Row
from halluc.benchmarks.pope import SHORT_ANSWER
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.benchmarks.scoring.answers import Pair
from halluc.benchmarks.scoring.choice_scoring import choice_group
from halluc.benchmarks.scoring.score_names import prefixed
from halluc.benchmarks.scoring.yes_no_scoring import MARGINS, count_groups, margin_groups, score_counts
from halluc.data.choices import CHOICE_SUFFIX
from halluc.data.readers import rows as user_rows
from halluc.data.readers.entry import RowReader
from halluc.data.records import AnswerKind, Prediction, Question
from halluc.errors import RecordError, SourceNotFoundError
from halluc.metrics.choice import choice_scores
from halluc.metrics.tally import Scores, Tally
from halluc.metrics.yes_no import yes_no_scores
from halluc.parsing.profiles import OFFICIAL, STRICT, pick
from halluc.parsing.readers import LONGHALQA

KINDS = {AnswerKind.YES_NO: "yes_no", AnswerKind.CHOICE: "choice"}
READERS = {STRICT: LONGHALQA[STRICT], OFFICIAL: LONGHALQA[STRICT]}
PROMPTS: dict[str, Callable[[Question], str]] = {
    "as_written": lambda question: question.prompt,
    "short_answer": lambda question: question.prompt + _instruction(question),
}


class OwnBenchmark(PublishedBenchmark):
    """Ask the rows of a file in any shape that trains: ``question``, ``answer``, ``image``, ``choices``.

    Rows whose answer is yes or no, or names an option, are questions; any other row is unusable. Ids
    are those of the rows. Nothing is published about such data, so ``official`` reads as ``strict``.
    Several such benchmarks may be declared, each under a ``name`` of its own.
    """

    key = "own"

    def __init__(  # noqa: PLR0913  # a YAML mirrors these arguments one by one
        self,
        root: str | Path,
        *,
        name: str = key,
        file: str = "questions.jsonl",
        group_by: Sequence[str] = (),
        shuffle_choices: int | None = None,
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = "short_answer",
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the file is read on first use.

        Args:
            root: Folder of ``file``.
            name: Its key in the config, by which errors name its options.
            file: Name of the question file: JSON Lines, JSON, YAML, TSV or CSV.
            group_by: Fields of the rows that scores are also computed by, one after the other.
            shuffle_choices: Seed that puts options into another order, by id; None keeps their order.
            image_root: Folder of the pictures; None takes ``root``.
            profile: Reader of answers, ``strict`` (also under the name ``official``).
            prompt_profile: ``short_answer`` adds POPE's suffix to yes/no questions; ``as_written`` adds
                nothing.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of unusable rows and missing pictures.

        Raises:
            UnknownOptionError: If a name is not among its choices.
        """
        super().__init__(
            root,
            image_root=image_root,
            image_folder="",
            profile=profile,
            prompt_profile=prompt_profile,
            max_pixels=max_pixels,
            bad_rows=bad_rows,
            name=name,
        )
        self.file = file
        self.group_by = tuple(group_by)
        self.shuffle_choices = shuffle_choices
        self._readers = pick(f"benchmark.{name}.profile", profile, READERS)
        self._prompt = pick(f"benchmark.{name}.prompt_profile", prompt_profile, PROMPTS)

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file."""
        return {_user_row(row).id: row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Read "yes", "no" or a letter; None means unparsed."""
        return self._readers[question.space.kind](text, question.space)

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count the answers by kind, and by each value of the fields in ``group_by``.

        Returns:
            ``yes_no/`` with the names of ``yes_no_scores``, ``choice/`` with those of ``choice_scores``,
            the same behind ``<field>=<value>/``; and ``accuracy`` and ``n`` of all answers.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        answers = self._source.answers(predictions)
        groups: dict[str, Sequence[Pair]] = {"": answers.pairs}
        for field in self.group_by:
            groups |= {f"{field}={value}/": pairs for value, pairs in answers.by_tag(field).items()}
        split = {name + kind: own for name, pairs in groups.items() for kind, own in _by_kind(pairs).items()}
        binary = {name: pairs for name, pairs in split.items() if name.endswith("yes_no")}
        totalled: dict[str, Any] = count_groups(answers, binary) | margin_groups(answers, binary)
        totalled |= {name: choice_group(answers, own) for name, own in split.items() if name not in binary}
        totalled[_ALL] = choice_group(answers, answers.pairs)

        def formula(totals: Mapping[str, Any]) -> Scores:
            plain = choice_scores(totals[_ALL])
            scores = {name: plain[name] for name in ("accuracy", "n")}
            for name in split:
                if name in binary:
                    own = score_counts(totals[name], yes_no_scores, totals.get(MARGINS + name))
                else:
                    own = choice_scores(totals[name])
                scores |= prefixed(name, own)
            return scores

        return Tally(answers.count, totalled, formula)

    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""
        return (self.root / self.file,)

    def _read_files(self) -> Reading:
        path = self.root / self.file
        if not path.is_file():
            raise SourceNotFoundError(
                f"Questions not found at {path} (benchmark.{self.name}.root={self.root}). Set "
                f"benchmark.{self.name}.root to the folder that holds {self.file}, or "
                f"benchmark.{self.name}.file to the name of the file."
            )
        rows, problems = user_rows.read_rows(path)
        reading = Reading(problems=list(problems))
        made = partial(self._question, image_root=self.image_root)
        reading.add((Row(row.fields, path, row.number) for row in rows), made)
        return reading

    def _scorable(self, row: Row) -> list[Question]:
        bare = Row({k: v for k, v in row.record.items() if k not in IMAGE_FIELDS}, row.file, row.line)
        return [replace(question, group=row.image_name() or "") for question in self._question(bare, Path())]

    def _question(self, row: Row, image_root: Path) -> list[Question]:
        reader = RowReader(image_root=image_root, shuffle_choices=self.shuffle_choices)
        (entry,) = reader.read(_user_row(row))
        question = entry.question
        if question.space.kind not in KINDS or question.gold is None:
            raise RecordError(f"{row.where}: answer {entry.answer!r} is neither yes, no, nor one of options.")
        tags = {field: str(row.record[field]) for field in self.group_by if field in row.record}
        return [replace(question, prompt=self._prompt(question), tags=tags)]


_ALL = "all answers"


def _user_row(row: Row) -> user_rows.Row:
    return user_rows.Row(row.line, row.record)


def _instruction(question: Question) -> str:
    """Return what is to be added; options come with their instruction."""
    done = question.space.kind is not AnswerKind.YES_NO or question.prompt.endswith(
        (SHORT_ANSWER, CHOICE_SUFFIX)
    )
    return "" if done else SHORT_ANSWER


def _by_kind(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    kinds: dict[str, list[Pair]] = {}
    for pair in pairs:
        kinds.setdefault(KINDS[pair[0].space.kind], []).append(pair)
    return kinds
