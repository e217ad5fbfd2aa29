"""LongHalQA: hallucinations in long descriptions and conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.dataset_rows import read_dataset
from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import Row, read_rows
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.benchmarks.scoring.choice_scoring import choice_group
from halluc.benchmarks.scoring.score_names import prefixed
from halluc.benchmarks.scoring.yes_no_scoring import (
    MARGINS,
    Formula,
    count_groups,
    margin_groups,
    score_counts,
)
from halluc.data.choices import option_order, render_options
from halluc.data.records import AnswerKind, AnswerSpace, Prediction, Question
from halluc.errors import RecordError
from halluc.metrics.choice import choice_scores
from halluc.metrics.tally import Scores, Tally
from halluc.metrics.yes_no import yes_no_scores
from halluc.metrics.yes_no_upstream import longhalqa_yes_no_scores
from halluc.parsing.profiles import OFFICIAL, STRICT, pick
from halluc.parsing.readers import LONGHALQA

BINARY_TASKS = (
    "lhqa_discrim_object_binary",
    "lhqa_discrim_description_binary",
    "lhqa_discrim_conversation_binary",
)
CHOICE_TASKS = (
    "lhqa_discrim_description_choice",
    "lhqa_discrim_conversation_choice",
    "lhqa_complete_description",
    "lhqa_complete_conversation",
)
TASKS = BINARY_TASKS + CHOICE_TASKS
PUBLISHED = "published"
DATASETS = {
    "lhqa_discrim_object_binary": "QHQK/object_hall_binary_v1",
    "lhqa_discrim_description_binary": "QHQK/description_hall_binary_v3",
    "lhqa_discrim_conversation_binary": "QHQK/conversation_hall_binary_v1",
    "lhqa_discrim_description_choice": "QHQK/description_hall_choice_v3",
    "lhqa_discrim_conversation_choice": "QHQK/conversation_hall_choice_v2",
    "lhqa_complete_description": "QHQK/description_hall_completion_v4",
    "lhqa_complete_conversation": "QHQK/conversation_hall_completion_v3",
}
TYPE_FIELDS = ("hallucination_type", "hallu_type")
"""Columns that may name one of the twelve types of hallucination."""

LETTERS = "ABCD"
YES_OR_NO = "\nAnswer the question using a single word 'Yes' or 'No'."
LETTER_ONLY = "\nAnswer with the option's letter from the given choices directly."

FORMULAS: dict[str, Formula] = {
    STRICT: yes_no_scores,
    OFFICIAL: longhalqa_yes_no_scores,
}


class LongHalQA(PublishedBenchmark):
    """Ask about long texts: does one match the picture, which of four does, which continues it.

    The published data are seven data sets of the Hugging Face hub. Each is expected as JSON Lines in
    ``root``, named after its task, with ``image`` as a path below the image root. The options keep
    their released order unless told otherwise; the published code does not shuffle them. Ids are
    ``<task>/<question_id>``.

    Reference:
        Qiu et al., LongHalQA: Long-Context Hallucination Evaluation for MultiModal Large Language
        Models, arXiv 2410.09962.
    """

    key = "longhalqa"

    def __init__(  # noqa: PLR0913  # a YAML mirrors these arguments one by one
        self,
        root: str | Path,
        tasks: Sequence[str] = TASKS,
        *,
        dataset: str | None = None,
        shuffle_choices: int | None = None,
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = OFFICIAL,
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the files are read on first use.

        Args:
            root: Folder of ``<task>.jsonl``.
            tasks: Which of ``TASKS`` to ask.
            dataset: ``published`` reads the seven Hugging Face datasets of ``DATASETS`` instead of files;
                anything else is a folder with one dataset a task, named after it: see ``dataset_rows``.
                Pictures are written to the image root.
            shuffle_choices: Seed that puts the options into another order, by question id; the gold
                letter follows. None keeps the released order, to compare with published numbers.
            image_root: Folder of the pictures; None takes ``root/images``.
            profile: Reader of answers and formulas, ``strict`` or ``official``.
            prompt_profile: Only ``official``.
            max_pixels: Pixel bound of the pictures; None takes the model's own.
            bad_rows: ``error`` or ``skip``: what becomes of unusable rows and missing pictures.

        Raises:
            UnknownOptionError: If a name is not among its choices.
        """
        super().__init__(
            root,
            image_root=image_root,
            profile=profile,
            prompt_profile=pick("benchmark.longhalqa.prompt_profile", prompt_profile, {OFFICIAL: OFFICIAL}),
            max_pixels=max_pixels,
            bad_rows=bad_rows,
        )
        choices = {task: task for task in TASKS}
        self.tasks = tuple(pick("benchmark.longhalqa.tasks", task, choices) for task in tasks)
        self.dataset = dataset
        self.shuffle_choices = shuffle_choices
        self._readers = pick("benchmark.longhalqa.profile", profile, LONGHALQA)

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file."""
        return {row.name_in(partial(_row_task, row)): row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Read "yes" or "no", or a letter, under the profile; None means unparsed."""
        return self._readers[question.space.kind](text, question.space)

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count each task; how the paper weighs them into one number is not known, so none is given.

        Returns:
            ``<task>/`` with ``accuracy``, ``unparsed_rate`` and ``n``; for binary tasks also
            ``precision``, ``recall``, ``no_recall``, ``f1`` and ``yes_ratio``, and for likelihood
            answers ``auroc`` and ``best_threshold_accuracy``. Where the file names the types of
            hallucination, ``type/<type>/`` has ``accuracy``, ``unparsed_rate`` and ``n`` over all tasks.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        answers = self._source.answers(predictions)
        tasks = answers.by_tag("task")
        binary = {task: pairs for task, pairs in tasks.items() if _is_binary(pairs[0][0])}
        groups = count_groups(answers, binary) | margin_groups(answers, binary)
        groups |= {task: choice_group(answers, pairs) for task, pairs in tasks.items() if task not in binary}
        types = {f"type/{name}": pairs for name, pairs in answers.by_tag("type").items()}
        groups |= {name: choice_group(answers, pairs) for name, pairs in types.items()}

        def formula(totals: Mapping[str, Any]) -> Scores:
            scores: Scores = {}
            for task in tasks:
                if task in binary:
                    own = score_counts(totals[task], FORMULAS[self.profile], totals.get(MARGINS + task))
                else:
                    own = choice_scores(totals[task])
                scores |= prefixed(task, own)
            for name in types:
                scores |= prefixed(name, choice_scores(totals[name]))
            return scores

        return Tally(answers.count, groups, formula)

    def _scorable(self, row: Row) -> list[Question]:
        return _questions_of(_row_task(row), None, row)

    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""
        return () if self.dataset else tuple(self.root / f"{task}.jsonl" for task in self.tasks)

    def _read_files(self) -> Reading:
        reading = Reading()
        for task in self.tasks:
            reading.add(self._rows(task), partial(self._questions_of, task))
        return reading

    def _rows(self, task: str) -> list[Row]:
        option = "benchmark.longhalqa.dataset"
        if self.dataset is None:
            return read_rows(self.root / f"{task}.jsonl", "benchmark.longhalqa.root")
        name = DATASETS[task] if self.dataset == PUBLISHED else str(Path(self.dataset) / task)
        return read_dataset(name, split="test", image_folder=self.image_root, option=option)

    def _questions_of(self, task: str, row: Row) -> list[Question]:
        return [_shuffled(q, self.shuffle_choices) for q in _questions_of(task, self.image_root, row)]


def _questions_of(task: str, image_root: Path | None, row: Row) -> list[Question]:
    """Make the question of one record; without an image root it can be scored but not asked."""
    binary = task in BINARY_TASKS
    options = () if binary else tuple(row.text(f"choice_{letter.lower()}") for letter in LETTERS)
    prompt = row.text("question").strip() + render_options(options)
    default = "gold" if image_root is None else "answer"
    question = Question(
        id=row.name_in(lambda: task),
        images=() if image_root is None else (inside(image_root, row.text("image"), row.where),),
        prompt=prompt + (YES_OR_NO if binary else LETTER_ONLY),
        space=AnswerSpace.yes_no() if binary else AnswerSpace.choice(options),
        gold=row.yes_no_gold(default) if binary else row.text(row.gold_field or default).strip().upper(),
        tags={"task": task} | _type_tag(row),
        group=row.image_name() or row.where,
    )
    return [question]


def _type_tag(row: Row) -> dict[str, str]:
    found = next((str(row.record[field]) for field in TYPE_FIELDS if row.record.get(field)), "")
    return {"type": found.strip().lower().replace(" ", "_")} if found else {}


def _shuffled(question: Question, seed: int | None) -> Question:
    """Put the options into the order that seed and id give; the gold letter follows its text."""
    if seed is None or _is_binary(question):
        return question
    options = question.space.options
    order = option_order(len(options), seed, question.id)
    shuffled = tuple(options[old] for old in order)
    shown = render_options(options) + LETTER_ONLY
    return replace(
        question,
        prompt=question.prompt.removesuffix(shown) + render_options(shuffled) + LETTER_ONLY,
        space=AnswerSpace.choice(shuffled),
        gold=LETTERS[order.index(LETTERS.index(question.gold or ""))],
    )


def _is_binary(question: Question) -> bool:
    return question.space.kind is AnswerKind.YES_NO


def _row_task(row: Row) -> str:
    """Return the task that a record names, or the name of its file ends in."""
    name = str(row.record.get("task", row.file.stem))
    found = next((task for task in TASKS if name == task or row.file.stem.endswith(f"_{task}")), None)
    if found is None:
        raise RecordError(f"{row.where}: {name!r} is no task. Name one of {', '.join(TASKS)}.")
    return found
