"""V*-Bench: small details of large pictures, asked with options."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from halluc.benchmarks.files.dataset_rows import read_dataset
from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import Row, read_rows
from halluc.benchmarks.files.vstar_annotations import annotation_files, annotation_rows, published_row
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.benchmarks.scoring.choice_scoring import choice_group
from halluc.benchmarks.scoring.score_names import prefixed
from halluc.data.records import AnswerSpace, Prediction, Preparation, Question
from halluc.errors import ConfigError, RecordError
from halluc.metrics.choice import ChoiceCounts, choice_scores
from halluc.metrics.tally import Scores, Tally
from halluc.parsing.profiles import LMMS_EVAL, OFFICIAL, STRICT, VLMEVALKIT, pick
from halluc.parsing.readers import VSTAR

LETTERS = "ABCD"
LETTER_ONLY = "\nAnswer with the option's letter from the given choices directly."
PLEASE_SELECT = "Please select the correct answer from the options above. \n"
_OPTION_LINE = re.compile(r"^\(([A-D])\)[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_MARK = re.compile(r"\([A-D]\)")


def lmms_eval_prompt(text: str) -> str:
    r"""Rebuild a question text as lmms-eval does (``tasks/vstar_bench/utils.py``).

    The options are found again by a pattern and written as ``A. …``. Where the text ends with the
    answer instruction, as published, that becomes part of the last option and then follows once more.
    An option with a parenthesis in it is lost, and those behind it move up a letter.

    Example:
        >>> lmms_eval_prompt("Which?\n(A) red\n(B) blue").splitlines()[:3]
        ['Which?', 'A. red', 'B. blue']
    """
    options = [piece for piece in _MARK.split(text)[1:] if piece and not set("()") & set(piece)]
    if options:
        lines = [f"{letter}. {option.strip()}" for letter, option in zip(LETTERS, options, strict=False)]
        text = "\n".join([text.partition("(A)")[0].strip(), *lines])
    return text + LETTER_ONLY


def vlmevalkit_prompt(text: str) -> str:
    """Write question and options as VLMEvalKit does for multiple choice.

    Raises:
        RecordError: If the text holds no options, one a line.
    """
    question, options = split_options(text)
    lines = [f"{letter}. {option}\n" for letter, option in zip(LETTERS, options, strict=False)]
    return f"Question: {question}\nOptions:\n{''.join(lines)}{PLEASE_SELECT}"


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    r"""Split a published text into the question and its options ``(A) …``, one a line.

    Raises:
        RecordError: If there are fewer than two options, or their letters do not run from A on.

    Example:
        >>> split_options("Which?\n(A) red\n(B) blue (dark)\nAnswer with a letter.")
        ('Which?', ('red', 'blue (dark)'))
    """
    found = _OPTION_LINE.findall(text)
    if len(found) < 2 or "".join(letter for letter, _ in found) != LETTERS[: len(found)]:
        raise RecordError(f"the text holds no options '(A) …', '(B) …', one a line: {text!r}.")
    return text.partition("(A)")[0].strip(), tuple(option for _, option in found)


LIKELIHOOD = "likelihood"
PROMPTS: dict[str, Callable[[str], str]] = {
    LIKELIHOOD: lambda text: split_options(text)[0],
    OFFICIAL: lambda text: text,
    LMMS_EVAL: lmms_eval_prompt,
    VLMEVALKIT: vlmevalkit_prompt,
}


class VStar(PublishedBenchmark):
    """Ask for an attribute of a small object (4 options) or how two stand to each other (2 options).

    The original protocol compares likelihoods of whole option texts: ``answering=option_likelihood`` with
    ``prompt_profile=likelihood``. Otherwise a letter is asked for, as the published question file does. No
    letter parser was published with it, so ``official`` reads as lmms-eval does, whose numbers are the
    ones in use. Ids are ``<category>/<question_id>``.

    The annotations beside the pictures hold the same questions, the right option first and without ids:
    ``question_id`` is that of the picture's row in ``file`` where that file is there, and else the
    picture's name without suffix.

    Reference:
        Wu and Xie, V*: Guided Visual Search as a Core Mechanism in Multimodal LLMs, arXiv 2312.14135.
    """

    key = "vstar"
    preparations: ClassVar[Mapping[str, Preparation]] = {
        LMMS_EVAL: Preparation.LMMS_EVAL,
        LIKELIHOOD: Preparation.SQUARE,
    }
    without_options: ClassVar[frozenset[str]] = frozenset({LIKELIHOOD})

    def __init__(  # noqa: PLR0913  # a YAML mirrors these arguments one by one
        self,
        root: str | Path,
        *,
        file: str = "test_questions.jsonl",
        dataset: str | None = None,
        annotations: Sequence[str] | None = None,
        shuffle_choices: int | None = 0,
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = OFFICIAL,
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the file is read on first use.

        Args:
            root: Folder of ``file``.
            file: Name of the question file in ``root``.
            dataset: A Hugging Face dataset instead of the file, as ``lmms-lab/vstar-bench``: see
                ``dataset_rows``. Its pictures are written to the image root.
            annotations: Folders below ``root`` whose annotations, one JSON file a picture, are read
                instead of the file; their names are the categories.
            shuffle_choices: Seed of the order of annotated options, by picture; the gold letter follows.
                None keeps them as released, with the right one always first: only for comparing
                likelihoods, which know no letters.
            image_root: Folder of direct_attributes and relative_position; None takes ``root``.
            profile: Reader of answers, one of ``strict``, ``official``, ``lmms_eval``, ``vlmevalkit``.
            prompt_profile: ``official`` asks the text as published, with its answer instruction;
                ``lmms_eval`` (which treats pictures as it does, too) and ``vlmevalkit`` rebuild it as
                those do; ``likelihood`` is the bare question without options about the picture padded to
                a square, for ``answering=option_likelihood``.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of unusable rows and missing pictures.

        Raises:
            UnknownOptionError: If a name is not among its choices.
            ConfigError: If both a dataset and annotations are named.
        """
        super().__init__(
            root,
            image_root=image_root,
            image_folder="",
            profile=profile,
            prompt_profile=prompt_profile,
            max_pixels=max_pixels,
            bad_rows=bad_rows,
        )
        if dataset is not None and annotations is not None:
            raise ConfigError(
                f"benchmark.vstar.dataset={dataset} and benchmark.vstar.annotations={list(annotations)} both "
                f"name the questions. Set one of them to null."
            )
        self.file = file
        self.dataset = dataset
        self.annotations = annotations
        self.shuffle_choices = shuffle_choices
        self._read = pick("benchmark.vstar.profile", profile, VSTAR)
        self._prompt = pick("benchmark.vstar.prompt_profile", prompt_profile, PROMPTS)

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file."""
        return {row.name_in(partial(row.text, "category")): row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Read a letter from A to D under the profile, also where only two are offered."""
        return self._read(text, question.space)

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count all questions together and by category.

        Returns:
            ``accuracy`` over all questions (not the mean of the categories), ``unparsed_rate`` and
            ``n``, plain and behind ``<category>/``.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        answers = self._source.answers(predictions)
        categories = answers.by_tag("subset")
        groups = {name: choice_group(answers, pairs) for name, pairs in categories.items()}

        def formula(totals: Mapping[str, ChoiceCounts]) -> Scores:
            scores = choice_scores(sum(totals.values(), start=ChoiceCounts(0, 0, 0)))
            for name, counts in totals.items():
                scores |= prefixed(name, choice_scores(counts))
            return scores

        return Tally(answers.count, groups, formula)

    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""
        if self.annotations is not None:
            return tuple(path for folder in self.annotations for path in annotation_files(self.root, folder))
        return (self.root / self.file,) if self.dataset is None else ()

    def _read_files(self) -> Reading:
        reading = Reading()
        if self.annotations is not None:
            rows = annotation_rows(self.root, self.annotations, self.image_root, self._question_ids())
            reading.add(rows, self._annotated)
            return reading
        if self.dataset is None:
            rows = read_rows(self.root / self.file, "benchmark.vstar.root")
        else:
            rows = read_dataset(
                self.dataset, split="test", image_folder=self.image_root, option="benchmark.vstar.dataset"
            )
        reading.add(rows, lambda row: [self._question(row, with_image=True)])
        return reading

    def _question_ids(self) -> dict[str, str]:
        """Return picture to ``question_id`` of the question file; empty if there is no such file."""
        path = self.root / self.file
        rows = read_rows(path, "benchmark.vstar.root") if path.is_file() else []
        return {row.text("image"): row.text("question_id") for row in rows}

    def _annotated(self, row: Row) -> list[Question]:
        return [self._question(published_row(row, self.shuffle_choices), with_image=True)]

    def _scorable(self, row: Row) -> list[Question]:
        return [self._question(row, with_image=False)]

    def _question(self, row: Row, *, with_image: bool) -> Question:
        text, category = row.text("text"), row.text("category")
        name = row.text("image") if with_image else row.image_name() or row.where
        return Question(
            id=row.name_in(lambda: category),
            images=(inside(self.image_root, name, row.where),) if with_image else (),
            prompt=self._prompt(text),
            space=AnswerSpace.choice(split_options(text)[1]),
            gold=row.text(row.gold_field or "label").strip().upper(),
            tags={"subset": category},
            group=name,
            preparation=self.preparation,
        )
