"""PhD: paired yes/no questions, alone, behind a misleading context, and on impossible pictures."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.dataset_rows import read_dataset
from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import TEXT_FIELDS, Row, read_rows
from halluc.benchmarks.pope import SHORT_ANSWER
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.benchmarks.scoring.answers import Pair
from halluc.benchmarks.scoring.score_names import mean_if_known, prefixed
from halluc.benchmarks.scoring.yes_no_scoring import (
    MARGINS,
    NOTHING,
    count_groups,
    margin_groups,
    score_counts,
)
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import RecordError
from halluc.metrics.phd_index import phd_scores
from halluc.metrics.tally import Scores, Tally
from halluc.metrics.yes_no import YesNoCounts
from halluc.parsing.profiles import OFFICIAL, STRICT, pick
from halluc.parsing.readers import YES_NO

MODES = ("base", "sec", "icc", "ccs")
MODE_NAMES = {**{mode: mode for mode in MODES}, "iac": "sec"}
CONTEXT_KEYS = {"sec": ("sec", "iac"), "icc": ("icc",)}
FOLLOW_IMAGE = (
    " In case there is an inconsistency between the context and the image content, "
    "you should follow the image. "
)

PROMPTS: dict[str, Callable[[str], str]] = {
    OFFICIAL: lambda text: text,
    "short_answer": lambda text: text + SHORT_ANSWER,
}


class Phd(PublishedBenchmark):
    """Ask each record's yes-question and no-question, in up to four modes.

    ``base`` asks about the picture alone, ``sec`` (called iac in older files) behind a specious
    context, ``icc`` behind a context that contradicts the picture, ``ccs`` about pictures that
    contradict common sense. No answer parser is published; ``official`` here is POPE's word rule. Ids are
    ``<mode>/<place of the record in the file, from 0>/<yes or no>``; a record's modes stand together.
    Answered records have no id as published and are called ``<mode>/<image_id>/<question>``.

    Reference:
        Liu et al., PhD: A ChatGPT-Prompted Visual Hallucination Evaluation Dataset, arXiv 2403.11116.
    """

    key = "phd"

    def __init__(  # noqa: PLR0913  # a YAML mirrors these arguments one by one
        self,
        root: str | Path,
        modes: Sequence[str] = MODES,
        *,
        file: str = "data.json",
        dataset: str | None = None,
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = "short_answer",
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the file is read on first use.

        Args:
            root: Folder of ``file``.
            modes: Which of ``MODES`` to ask.
            file: Name of the question file in ``root``.
            dataset: A Hugging Face dataset instead of the file, as ``AIMClab-RUC/PhD``: see
                ``dataset_rows``. Its columns are the keys of the published file, ``context`` a struct. That
                dataset holds no pictures, they are looked for as for the file; those of a dataset with a
                column ``image`` (no published one was checked) are written to the image root.
            image_root: Folder that holds train2014, val2014 and CCS_images; None takes ``root/images``.
            profile: Reader of answers, one of ``strict``, ``official``, ``lmms_eval``, ``vlmevalkit``.
            prompt_profile: ``official`` asks as published; ``short_answer`` adds POPE's suffix.
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
        self.modes = tuple(pick("benchmark.phd.modes", mode, MODE_NAMES) for mode in modes)
        self.file = file
        self.dataset = dataset
        self._read = pick("benchmark.phd.profile", profile, YES_NO)
        self._prompt = pick("benchmark.phd.prompt_profile", prompt_profile, PROMPTS)

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file."""
        return {row.name_in(partial(_row_mode, row), TEXT_FIELDS): row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Read "yes" or "no" under the profile; None means unparsed."""
        return self._read(text)

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count each mode and task; the headline is the mean of the modes' indices.

        The modes' indices pool their tasks. ``index`` is the unweighted mean over the modes that were
        asked; ``pooled/index`` is the index of all answers together, which is another number.

        Returns:
            ``<mode>/<task>/``, ``<mode>/`` and ``pooled/`` with ``yes_recall``, ``no_recall``,
            ``index``, ``yes_ratio``, ``unparsed_rate`` and ``n``; modes and ``pooled`` for likelihood
            answers also ``auroc`` and ``best_threshold_accuracy``; ``index``; ``n``.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        answers = self._source.answers(predictions)
        modes = answers.by_tag("mode")
        leaves = {(mode, task): pairs for mode, own in modes.items() for task, pairs in _by_task(own).items()}
        margins = margin_groups(answers, {**modes, "pooled": answers.pairs})

        def formula(totals: Mapping[Any, Any]) -> Scores:
            scores: Scores = {}
            pooled = NOTHING
            for mode in modes:
                own = {leaf: totals[leaf] for leaf in leaves if leaf[0] == mode}
                for (_, task), counts in own.items():
                    scores |= prefixed(f"{mode}/{task}", score_counts(counts, _scores)) if task else {}
                counts = sum(own.values(), start=NOTHING)
                scores |= prefixed(mode, score_counts(counts, _scores, totals.get(MARGINS + mode)))
                pooled += counts
            if modes:
                scores["index"] = mean_if_known([scores[f"{mode}/index"] for mode in modes])
            scores |= prefixed("pooled", score_counts(pooled, _scores, totals.get(MARGINS + "pooled")))
            return scores | {"n": float(pooled.n)}

        return Tally(answers.count, count_groups(answers, leaves) | margins, formula)

    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""
        return (self.root / self.file,) if self.dataset is None else ()

    def _read_files(self) -> Reading:
        reading = Reading()
        if self.dataset is None:
            rows = read_rows(self.root / self.file, "benchmark.phd.root")
        else:
            rows = read_dataset(
                self.dataset, split="test", image_folder=self.image_root, option="benchmark.phd.dataset"
            )
        reading.add(rows, self._questions_of)
        return reading

    def _scorable(self, row: Row) -> list[Question]:
        mode = _row_mode(row)
        return [
            Question(
                id=row.name_in(lambda: mode, TEXT_FIELDS),
                images=(),
                prompt="",
                space=AnswerSpace.yes_no(),
                gold=row.yes_no_gold(),
                tags=_tags(row, mode),
                group=row.image_name() or row.where,
            )
        ]

    def _questions_of(self, row: Row) -> Iterator[Question]:
        """Ask one record in all its modes."""
        image = self._image(row)
        modes = ("ccs",) if _is_ccs(row) else ("base", "sec", "icc")
        for mode in modes:
            if mode in self.modes:
                lead = _context(row, mode) + FOLLOW_IMAGE if mode in CONTEXT_KEYS else ""
                for gold in ("yes", "no"):
                    yield Question(
                        id=f"{mode}/{row.line - 1}/{gold}",
                        images=(image,),
                        prompt=self._prompt(lead + row.text(f"{gold}_question")),
                        space=AnswerSpace.yes_no(),
                        gold=gold,
                        tags=_tags(row, mode),
                        group=os.path.relpath(image, self.image_root),
                    )

    def _image(self, row: Row) -> str:
        """Return where a record's picture is.

        COCO pictures are looked for under their published names of 2014, then under that of 2017; a
        record that names its file (``image``, as our builder writes it, and as it is for a picture that
        came inside a dataset) is taken by its word.
        """
        if "image_path" in row.record:
            return inside(self.root, row.text("image_path"), row.where)
        if "image" in row.record:
            return inside(self.image_root, row.text("image"), row.where)
        name = row.text("image_id")
        if _is_ccs(row):
            return inside(self.image_root, f"CCS_images/{name}.png", row.where)
        number = name.zfill(12)
        names = [f"{split}/COCO_{split}_{number}.jpg" for split in ("train2014", "val2014")]
        places = [inside(self.image_root, place, row.where) for place in (*names, f"{number}.jpg")]
        return next((place for place in places if os.path.isfile(place)), places[1])


def _is_ccs(row: Row) -> bool:
    """Tell a counter-common-sense record; the older layout has an image path and no description."""
    return "ccs_description" in row.record or "image_path" in row.record


def _tags(row: Row, mode: str) -> dict[str, str]:
    """Name mode and task; the older ccs layout names no task."""
    return {"mode": mode} | ({"task": str(row.record["task"])} if "task" in row.record else {})


def _context(row: Row, mode: str) -> str:
    contexts = row.record.get("context")
    names = CONTEXT_KEYS[mode]
    found = [contexts[name] for name in names if name in contexts] if isinstance(contexts, dict) else []
    if not found:
        raise RecordError(f"{row.where}: context has no {' or '.join(names)}.")
    return str(found[0])


def _by_task(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Split by task; what names none is under ""."""
    tasks: dict[str, list[Pair]] = {}
    for pair in pairs:
        tasks.setdefault(pair[0].tags.get("task", ""), []).append(pair)
    return tasks


def _scores(counts: YesNoCounts) -> Scores:
    n = counts.n
    return {
        **phd_scores(counts),
        "yes_ratio": counts.predicted_yes / n if n else None,
        "unparsed_rate": (counts.unparsed_yes + counts.unparsed_no) / n if n else None,
    }


def _row_mode(row: Row) -> str:
    name = row.text("mode")
    if name not in MODE_NAMES:
        raise RecordError(f"{row.where}: mode {name!r} is none of {', '.join(MODE_NAMES)}.")
    return MODE_NAMES[name]
