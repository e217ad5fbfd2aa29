"""Training data from a user's own file, whichever of the known shapes its rows have."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from halluc.data.image_check import find_broken
from halluc.data.readers.duplicates import find_duplicates
from halluc.data.readers.entry import Entry, RowReader
from halluc.data.readers.pairs import differs_in_case_only, has_rejected, is_without_signal, to_preference
from halluc.data.readers.rows import problem_line, read_rows
from halluc.data.records import AnswerKind, Preference, Sample
from halluc.errors import ConfigError, ImageError, RecordError, SourceNotFoundError, UnknownOptionError

logger = logging.getLogger(__name__)

_FEWEST_CHOICES = 8  # below, the same letter in every row may be chance


@dataclass(frozen=True, slots=True)
class Findings:
    """Hold what is wrong, or odd, in a data file.

    Attributes:
        usable: Number of questions that can be trained on.
        problems: One line an unusable row, with file, number and id.
        notices: One line for what is usable, merged or renamed, and should be known.
    """

    usable: int
    problems: tuple[str, ...]
    notices: tuple[str, ...]


class JsonlSource:
    r"""Read samples or preferences from JSON Lines, JSON, YAML, TSV or CSV.

    A row has ``question`` or ``prompt``, ``answer``, and ``image`` or ``images``; a preference has
    ``chosen``, ``rejected`` and, if the worse side is asked about other pictures, ``rejected_images``.
    ``id`` and ``weight`` are optional. Rows of LLaVA (``conversations``), ``messages``,
    ``query``/``response`` and Alpaca are understood, too. ``<image>`` in the user text marks a picture's
    place; without any mark all pictures come first. Options are given as ``choices``, as columns A, B, …
    or as lines in the text; the first two ways are written below the question with the instruction to
    answer by letter, and the letter is learnt.

    Args:
        path: The file.
        image_root: Folder of the pictures; None means the folder of the file.
        on_bad_rows: ``stop`` raises one error that lists all unusable rows; ``skip`` logs the same list.
        answer_space: ``auto`` tells yes/no answers from free text by answer and question; ``yes_no`` makes
            everything else an error; ``text`` makes everything free text (options apart).
        choice_index_base: What integer names the first option, 0 or 1.
        shuffle_choices: Seed that puts options given as data into another order, by the row's id; None
            keeps their order.
        many_turns: ``stop`` refuses conversations of several questions; ``split`` asks each apart.
        allow_outside: Whether pictures may lie outside of ``image_root``.
        check_images: Whether every picture is decoded once before training.

    Raises:
        UnknownOptionError: If ``on_bad_rows``, ``answer_space`` or ``many_turns`` is another word.
        ConfigError: If ``choice_index_base`` is neither 0 nor 1.
        SourceNotFoundError: If ``image_root`` is no folder.
    """

    def __init__(  # noqa: PLR0913  # a YAML mirrors these arguments one by one
        self,
        path: str | Path,
        image_root: str | Path | None = None,
        *,
        on_bad_rows: str = "stop",
        answer_space: str = "auto",
        choice_index_base: int = 0,
        shuffle_choices: int | None = None,
        many_turns: str = "stop",
        allow_outside: bool = False,
        check_images: bool = True,
    ) -> None:
        _check_option("on_bad_rows", on_bad_rows, ("stop", "skip"))
        _check_option("answer_space", answer_space, ("auto", "yes_no", "text"))
        _check_option("many_turns", many_turns, ("stop", "split"))
        if choice_index_base not in (0, 1):
            raise ConfigError(f"choice_index_base is {choice_index_base!r}. Choose 0 or 1.")
        self._path = Path(path)
        root = self._path.parent if image_root is None else Path(image_root)
        if image_root is not None and not root.is_dir():
            raise SourceNotFoundError(f"Image root not found at {root}. Correct data.image_root.")
        self._on_bad_rows = on_bad_rows
        self._check_images = check_images
        self._reader = RowReader(
            image_root=root,
            allow_outside=allow_outside,
            answer_space=answer_space,
            choice_index_base=choice_index_base,
            shuffle_choices=shuffle_choices,
            split_turns=many_turns == "split",
        )

    def samples(self) -> list[Sample]:
        """Return the samples, in file order; of a preference row, the better answer.

        Raises:
            RecordError: If rows are unusable and ``on_bad_rows`` is ``stop``, or none is usable.
            SourceNotFoundError: If there is no such file.
        """
        entries, problems, notices = self._contents
        self._report(problems, notices, usable=len(entries))
        return [
            Sample(question=entry.question, answer=entry.answer, weight=entry.weight) for entry in entries
        ]

    def preferences(self) -> list[Preference]:
        """Return the preferences, in file order.

        A pair of equal answers about the same pictures is left out and reported, whatever
        ``on_bad_rows`` says.

        Raises:
            RecordError: If rows are unusable and ``on_bad_rows`` is ``stop``, none is usable, or no row
                has a rejected answer; then the message names the command that builds pairs.
            SourceNotFoundError: If there is no such file.
        """
        entries, problems, notices = self._contents
        if entries and not any(has_rejected(entry) for entry in entries):
            raise RecordError(
                f"{self._path} has answers, but no rejected answers to learn preferences from. Build them: "
                f"`python -m halluc build pairs {self._path} PAIRS.jsonl`, and set data.path=PAIRS.jsonl."
            )
        kept, more_problems, more_notices = self._pairs(entries)
        self._report([*problems, *more_problems], [*notices, *more_notices], usable=len(kept))
        return kept

    def findings(self) -> Findings:
        """Read everything and say what is wrong, without stopping at it.

        The rules of preferences are applied if any row has a rejected answer.
        """
        entries, problems, notices = self._contents
        if not any(has_rejected(entry) for entry in entries):
            return Findings(len(entries), tuple(problems), tuple(notices))
        kept, more_problems, more_notices = self._pairs(entries)
        return Findings(len(kept), (*problems, *more_problems), (*notices, *more_notices))

    @cached_property
    def _contents(self) -> tuple[list[Entry], list[str], list[str]]:
        """Read the file once: usable entries, problems, notices."""
        rows, problems = read_rows(self._path)
        entries: list[Entry] = []
        for row in rows:
            try:
                entries.extend(self._reader.read(row))
            except (RecordError, ImageError) as error:
                problems.append(problem_line(self._path, row, error))
        if self._check_images:
            entries, broken = self._without_broken(entries)
            problems.extend(broken)
        entries, conflicts, notices = self._without_repeats(entries)
        return entries, [*problems, *conflicts], [*notices, *_letter_notice(entries)]

    def _without_broken(self, entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
        images = {image: None for entry in entries for image in _images_of(entry)}
        logger.info("%s: decoding %d pictures once, to find broken ones", self._path, len(images))
        faults = find_broken(images)
        kept, problems = [], []
        for entry in entries:
            fault = next((faults[image] for image in _images_of(entry) if image in faults), None)
            if fault is None:
                kept.append(entry)
            else:
                problems.append(problem_line(self._path, entry.row, fault))
        return kept, problems

    def _without_repeats(self, entries: Sequence[Entry]) -> tuple[list[Entry], list[str], list[str]]:
        """Leave out rows that repeat or contradict another; give later uses of an id names of their own."""
        found = find_duplicates(entries)
        problems = [
            problem_line(
                self._path, one.row, f"contradicts row {other.row.number}, of the same id and question"
            )
            for first, later in found.conflicting
            for one, other in ((first, later), (later, first))
        ]
        notices = [
            problem_line(self._path, later.row, f"repeats row {first.row.number}; used once")
            for first, later in found.exact
        ]
        gone = {id(later) for _, later in found.exact} | {
            id(one) for pair in found.conflicting for one in pair
        }
        kept = [entry for entry in entries if id(entry) not in gone]
        renamed = {id(later) for _, later in found.other_question}
        names = Counter(entry.question.id for entry in kept)
        result = []
        for entry in kept:
            if id(entry) in renamed:
                name = _free_name(entry.question.id, names)
                notices.append(problem_line(self._path, entry.row, f"id was used before; named {name}"))
                entry = replace(entry, question=replace(entry.question, id=name))  # noqa: PLW2901  # the same row
            result.append(entry)
        return result, problems, notices

    def _pairs(self, entries: Sequence[Entry]) -> tuple[list[Preference], list[str], list[str]]:
        kept, problems, notices = [], [], []
        for entry in entries:
            if is_without_signal(entry):
                notices.append(problem_line(self._path, entry.row, "chosen equals rejected; left out"))
                continue
            if differs_in_case_only(entry):
                notices.append(problem_line(self._path, entry.row, "chosen and rejected differ in case only"))
            try:
                kept.append(to_preference(entry))
            except RecordError as error:
                problems.append(problem_line(self._path, entry.row, error))
        return kept, problems, notices

    def _report(self, problems: Sequence[str], notices: Sequence[str], usable: int) -> None:
        if notices:
            logger.warning("%s: to know of %d:\n  %s", self._path, len(notices), "\n  ".join(notices))
        if problems and self._on_bad_rows == "stop":
            raise RecordError(
                f"{self._path} has unusable rows: {len(problems)} ({usable} usable). "
                "Correct them, or set data.on_bad_rows=skip:",
                problems,
            )
        if problems:
            logger.warning(
                "%s: rows skipped %d, used %d:\n  %s",
                self._path,
                len(problems),
                usable,
                "\n  ".join(problems),
            )
        if not usable:
            raise RecordError(f"{self._path} has no usable row.", problems)


def _check_option(name: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UnknownOptionError(f"data.{name}", value, choices)


def _images_of(entry: Entry) -> tuple[str, ...]:
    return entry.question.images + (entry.rejected_images or ())


def _free_name(name: str, taken: Counter[str]) -> str:
    number = 2
    while f"{name}#{number}" in taken:
        number += 1
    taken[f"{name}#{number}"] += 1
    return f"{name}#{number}"


def _letter_notice(entries: Sequence[Entry]) -> list[str]:
    letters = Counter(
        entry.question.gold for entry in entries if entry.question.space.kind is AnswerKind.CHOICE
    )
    if len(letters) != 1 or letters.total() < _FEWEST_CHOICES:
        return []
    (letter,) = letters
    return [
        f"the right option is {letter} in all {letters.total()} multiple-choice rows, "
        "so the letter can be learnt without a look. Set data.shuffle_choices=0."
    ]
