"""The ordinary subtasks of VLM2-Bench: true/false pairs, counting, grouping."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from halluc.benchmarks.gated_sequences import FOUR_OPTIONS, options_in
from halluc.benchmarks.image_paths import inside
from halluc.benchmarks.question_source import Pair
from halluc.benchmarks.rows import Row
from halluc.benchmarks.yes_no_scoring import Scores
from halluc.data.records import AnswerSpace, Question
from halluc.errors import RecordError
from halluc.metrics.choice import choice_scores
from halluc.metrics.counting import counting_scores, mean_count_score_unchecked
from halluc.metrics.paired import PairedAnswer, group_scores, paired_scores
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
    named = row.record.get("subtask", row.record.get("category"))
    name = (row.file.stem if named is None else str(named)).replace("-", "_")
    found = next((subtask for subtask in SUBTASKS if name.startswith(subtask)), None)
    if found is None:
        raise RecordError(f"{row.where}: {name!r} is no subtask. Name one of {', '.join(SUBTASKS)}.")
    return found


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
    names = [str(image) for image in row.record.get("images") or ()]
    if folder is not None and len(names) < 2:
        logger.warning("%s has %d images; the published scripts skip it, so do we.", row.where, len(names))
        return
    count = _image_count(row, names)
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


def _image_count(row: Row, names: Sequence[str]) -> int:
    """Return the length of the image sequence; 2 where nothing tells, as the official script has it."""
    sequence = row.record.get("image_seq")
    known = len(names) or (len(sequence) if isinstance(sequence, list) else 0)
    return int(row.record.get("image_seq_len", known or 2))


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


def score_subtasks(groups: Mapping[str, Sequence[Pair]], profile: str) -> Scores:
    """Score each subtask by the formulas of a profile.

    Returns:
        ``<subtask>/`` with ``paired_accuracy``, ``pairs`` and more for true/false; ``score``,
        ``exact_accuracy`` and both means for counting; ``accuracy`` for grouping; everywhere
        ``unparsed_rate`` and ``n``. ``average``, the unweighted mean of the headlines, where all
        eight image subtasks were asked; counting enters it with its score.
    """
    scores: Scores = {}
    for subtask, pairs in groups.items():
        own = _score_one(subtask, pairs, profile)
        scores |= {f"{subtask}/{name}": value for name, value in own.items()}
    headlines = [scores.get(f"{subtask}/{HEADLINES[subtask[3:]]}") for subtask in SUBTASKS]
    known = [value for value in headlines if value is not None]
    if len(known) == len(SUBTASKS):
        scores["average"] = sum(known) / len(known)
    return scores


def _score_one(subtask: str, pairs: Sequence[Pair], profile: str) -> Scores:
    predictions = [prediction.parsed for _, prediction in pairs]
    plain = choice_scores(predictions, [question.gold or "" for question, _ in pairs])
    if subtask.endswith("grp"):
        return plain
    shares = {name: plain[name] for name in ("unparsed_rate", "n")}
    if subtask.endswith("cnt"):
        return _score_counts(pairs, profile) | shares
    halves = [
        PairedAnswer(q.tags["pair"], q.tags["positive"] == "True", prediction.parsed == q.gold)
        for q, prediction in pairs
    ]
    if profile == OFFICIAL:
        scores = paired_scores(halves, drop_incomplete=subtask.endswith("cpr"))
    else:
        scores = group_scores(halves)
    return scores | {"record_accuracy": plain["accuracy"]} | shares


def _score_counts(pairs: Sequence[Pair], profile: str) -> Scores:
    predicted = [None if p.parsed is None else int(p.parsed) for _, p in pairs]
    gold = [int(q.gold or 0) for q, _ in pairs]
    images = [int(q.tags["images"]) for q, _ in pairs]
    scores = counting_scores(predicted, gold, images)
    if profile == VLMEVALKIT:
        headline = mean_count_score_unchecked(predicted, gold, images)
    else:
        headline = scores["mean_score_over_valid" if profile == OFFICIAL else "mean_score_over_all"]
    return {"score": headline, **scores}
