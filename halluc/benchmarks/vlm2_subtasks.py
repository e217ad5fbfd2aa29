"""The ordinary subtasks of VLM2-Bench: true/false pairs, counting, grouping."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.gated_sequences import FOUR_OPTIONS, options_in
from halluc.benchmarks.scoring.answers import Answers, Pair
from halluc.benchmarks.scoring.choice_scoring import choice_group
from halluc.benchmarks.scoring.score_names import mean_if_known, prefixed
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import RecordError
from halluc.metrics.choice import choice_scores
from halluc.metrics.counting import CountingSums, counting_scores, mean_count_score_unchecked
from halluc.metrics.paired import (
    PairedAnswer,
    PairSums,
    by_pair,
    group_scores,
    is_complete,
    paired_scores,
)
from halluc.metrics.tally import Scores
from halluc.metrics.weighted import Weighted
from halluc.parsing import official
from halluc.parsing.profiles import OFFICIAL, VLMEVALKIT

logger = logging.getLogger(__name__)

SUBTASKS = ("gc_mat", "gc_trk", "oc_cpr", "oc_cnt", "oc_grp", "pc_cpr", "pc_cnt", "pc_grp")
IMAGE_FOLDERS = {"gc": "data/gc/processed", "oc": "data/oc/original_obj", "pc": "data/pc/image/picks_face"}
HEADLINES = {
    "mat": "paired_accuracy",
    "trk": "paired_accuracy",
    "cpr": "paired_accuracy",
    "cnt": "score",
    "grp": "accuracy",
}
COUNTS, PAIRS = " counts", " pairs"


def question_file(subtask: str) -> str:
    """Return where the published questions of a subtask are, below the root."""
    return f"jsonl/{subtask[:2]}/vanilla/{subtask}.jsonl"


def image_folder(root: Path, subtask: str) -> Path:
    """Return where the published scripts look for the pictures of a subtask."""
    return root / IMAGE_FOLDERS[subtask[:2]]


def subtask_of(row: Row) -> str:
    """Return the subtask that a record names, or its file does.

    Raises:
        RecordError: If neither is a subtask.
    """
    name = _named_subtask(row)
    found = next((subtask for subtask in SUBTASKS if name.startswith(subtask)), None)
    if found is None:
        raise RecordError(f"{row.where}: {name!r} is no subtask. Name one of {', '.join(SUBTASKS)}.")
    return found


def _named_subtask(row: Row) -> str:
    named = row.record.get("subtask", row.record.get("category"))
    return (row.file.stem if named is None else str(named)).replace("-", "_")


def warn_of_unknown_lengths(rows: Iterable[Row]) -> None:
    """Warn of counting records that do not tell how many images they are about: scores depend on it."""
    counting = [row for row in rows if _named_subtask(row)[3:].startswith("cnt")]
    unknown = [row for row in counting if not _known_length(row)]
    if unknown:
        logger.warning(
            "%d counting records, the first in %s, do not tell how many images they are about. As in the "
            "official script 2 is assumed, so that a right answer of 3 or 4 scores 0 and counts as invalid. "
            "Name the published question files by --root, or add image_seq_len to the records.",
            len(unknown),
            unknown[0].where,
        )


def row_id(row: Row) -> str:
    """Return ``<subtask>/<q_id>``; the halves of a general-cue pair share a q_id and get _p and _n."""
    subtask, name = subtask_of(row), row.text("q_id", "index", "id")
    if subtask.startswith("gc") and not name.endswith(("_p", "_n")):
        name += "_p" if _gold(row) == "T" else "_n"
    return f"{subtask}/{name}"


def questions_of(row: Row, folder: Path | None, prompt: Callable[[str], str]) -> Iterator[Question]:
    """Make the question of one record; one with fewer than two images is skipped, as upstream does.

    Args:
        row: A published record.
        folder: Folder of its images; None leaves the images out, for scoring.
        prompt: Makes the prompt of a question text.

    Raises:
        RecordError: If a field is missing or wrong.
        ImageError: If an image lies outside the folder.
    """
    subtask, name = subtask_of(row), row_id(row)
    names = row.image_names()
    if folder is not None and len(names) < 2:
        logger.warning("%s has %d images; the published scripts skip it, so do we.", row.where, len(names))
        return
    count = _image_count(row)
    tags = {"subset": subtask, "subtask": subtask}
    if subtask.endswith("cnt"):
        tags["images"] = str(count)
    elif not subtask.endswith("grp"):
        tags |= {"pair": name.removesuffix("_p").removesuffix("_n"), "positive": str(name.endswith("_p"))}
    yield Question(
        id=name,
        images=() if folder is None else tuple(inside(folder, image, row.where) for image in names),
        prompt=prompt(row.text("question")),
        space=_space(row, subtask, count),
        gold=_gold(row),
        tags=tags,
        group="|".join(names) or tags.get("pair", name),
    )


def _image_count(row: Row) -> int:
    """Return the length of the image sequence; 2 where nothing tells, as the official script has it."""
    return _known_length(row) or 2


def _known_length(row: Row) -> int:
    """Return the length of the image sequence; 0 where nothing tells."""
    images, sequence = row.image_names(), row.record.get("image_seq")
    if len(images) < 2:  # one name is no sequence
        images = sequence if isinstance(sequence, list) else []
    return int(row.record.get("image_seq_len", len(images)))


def _space(row: Row, subtask: str, images: int) -> AnswerSpace:
    if subtask.endswith("cnt"):
        return AnswerSpace.count(max(images, int(_gold(row))), smallest=1)
    if subtask.endswith("grp"):
        return AnswerSpace.choice(options_in(row.text("question")) or FOUR_OPTIONS)
    return AnswerSpace.true_false()


def _gold(row: Row) -> str:
    """Bring the gold answer to its canonical form: a number, a letter, T or F."""
    text = row.text(row.gold_field or "gt_answer").strip()
    if subtask_of(row).endswith("grp"):
        return official.read_vlm2_option(text) or text
    return text if text.isdecimal() else text.upper()


def subtask_groups(
    answers: Answers, subtasks: Mapping[str, Sequence[Pair]], profile: str
) -> dict[str, Weighted[Any]]:
    """Total the answers to each subtask, for ``score_subtasks``.

    A subtask has its outcomes under its name, and what its headline is made of behind it: pairs or
    counts.
    """
    groups: dict[str, Weighted[Any]] = {}
    for subtask, pairs in subtasks.items():
        groups[subtask] = choice_group(answers, pairs)
        if subtask.endswith("cnt"):
            groups[subtask + COUNTS] = answers.sums_of(pairs, _count, CountingSums)
        elif not subtask.endswith("grp"):
            drop_incomplete = profile == OFFICIAL and subtask.endswith("cpr")
            groups[subtask + PAIRS] = answers.sums(_pair_units(pairs, drop_incomplete), PairSums)
    return groups


def score_subtasks(subtasks: Iterable[str], totals: Mapping[str, Any], profile: str) -> Scores:
    """Score each subtask by the formulas of a profile.

    Args:
        subtasks: Those that were asked.
        totals: Totals by the names of ``subtask_groups``.
        profile: Name of the profile.

    Returns:
        ``<subtask>/`` with ``paired_accuracy``, ``pairs`` and more for true/false; ``score``,
        ``exact_accuracy`` and both means for counting; ``accuracy`` for grouping; everywhere
        ``unparsed_rate`` and ``n``. ``average``, the unweighted mean of the headlines, where all
        eight image subtasks were asked; counting enters it with its score.
    """
    scores: Scores = {}
    for subtask in subtasks:
        scores |= prefixed(subtask, _score_one(subtask, totals, profile))
    headlines = [scores.get(f"{subtask}/{HEADLINES[subtask[3:]]}") for subtask in SUBTASKS]
    average = mean_if_known(headlines)
    return scores if average is None else {**scores, "average": average}


def _score_one(subtask: str, totals: Mapping[str, Any], profile: str) -> Scores:
    plain = choice_scores(totals[subtask])
    if subtask.endswith("grp"):
        return plain
    shares = {name: plain[name] for name in ("unparsed_rate", "n")}
    if subtask.endswith("cnt"):
        return _score_counts(totals[subtask + COUNTS], profile) | shares
    formula = paired_scores if profile == OFFICIAL else group_scores
    return formula(totals[subtask + PAIRS]) | {"record_accuracy": plain["accuracy"]} | shares


def _score_counts(sums: CountingSums, profile: str) -> Scores:
    scores = counting_scores(sums)
    if profile == VLMEVALKIT:
        headline = mean_count_score_unchecked(sums)
    else:
        headline = scores["mean_score_over_valid" if profile == OFFICIAL else "mean_score_over_all"]
    return {"score": headline, **scores}


def _count(question: Question, prediction: Prediction) -> CountingSums:
    predicted = None if prediction.parsed is None else int(prediction.parsed)
    return CountingSums.of(predicted, int(question.gold or 0), int(question.tags["images"]))


def _pair_units(pairs: Sequence[Pair], drop_incomplete: bool) -> list[tuple[Question, PairSums]]:
    questions = {question.tags["pair"]: question for question, _ in pairs}
    halves = by_pair(
        PairedAnswer(q.tags["pair"], q.tags["positive"] == "True", prediction.parsed == q.gold)
        for q, prediction in pairs
    )
    return [
        (questions[group[0].pair], PairSums.of(group))
        for group in halves
        if is_complete(group) or not drop_incomplete
    ]
