"""Records of the gated hallucination score: a coarse question that gates fine yes/no questions."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.scoring.answers import Answers, Pair
from halluc.benchmarks.scoring.score_names import prefixed
from halluc.data.records import AnswerSpace, Question
from halluc.errors import RecordError
from halluc.metrics.gated import NO_SEQUENCES, GatedSequence, GatedSums, gated_scores
from halluc.metrics.tally import Scores
from halluc.metrics.weighted import Sums
from halluc.parsing import official, strict
from halluc.parsing.labels import read_yes_no_label

FOUR_OPTIONS = ("", "", "", "")
_OPTION = re.compile(r"(?:^|[\s;])([A-Z])\)\s*(.*?)(?=[\s;]+[A-Z]\)|$)", re.DOTALL)


def questions_of(row: Row, image_root: Path | None, prompt: Callable[[str], str]) -> Iterator[Question]:
    """Make the coarse and the fine questions of one image sequence; they share one ``group``.

    Ids are ``<sequence_id>/coarse`` and ``<sequence_id>/fine/<place, from 0>``.

    Args:
        row: ``{sequence_id, task, images, coarse: {type, question, gold, options?, largest?}, fine:
            [{question, gold, attribute?, image?}]}``, with ``type`` one of ``count``, ``choice``,
            ``true_false``. A count lies between 1 and the number of images, as in VLM2-Bench, unless
            ``largest`` says up to where.
        image_root: Folder that the images are relative to; None leaves the images out, for scoring.
        prompt: Makes the prompt of a question text.

    Raises:
        RecordError: If a part is missing or wrong, there is no fine question, or an image is outside.
        ImageError: If an image lies outside the root.
    """
    sequence, images = row.text("sequence_id"), row.record.get("images")
    names = [str(name) for name in images] if isinstance(images, list) else []
    if image_root is not None and not names:
        raise RecordError(f"{row.where}: sequence {sequence} has no list of images.")
    paths = () if image_root is None else tuple(inside(image_root, name, row.where) for name in names)
    fine = row.record.get("fine")
    if not isinstance(fine, list) or not fine:
        raise RecordError(
            f"{row.where}: sequence {sequence} has no fine questions, so its score is undefined."
        )
    tags = {"subset": "gated", "sequence": sequence} | (
        {"task": str(row.record["task"])} if "task" in row.record else {}
    )
    group = "|".join(names) or sequence

    coarse = _part(row, row.record.get("coarse"), "coarse")
    space = _coarse_space(row, coarse, len(names) or images)
    yield Question(
        id=f"{sequence}/coarse",
        images=paths,
        prompt=prompt(str(coarse["question"])),
        space=space,
        gold=_coarse_gold(row, coarse, space),
        tags={**tags, "part": "coarse"},
        group=group,
    )
    for place, item in enumerate(fine):
        part = _part(row, item, f"fine {place}")
        gold = read_yes_no_label(part["gold"])
        if gold is None:
            raise RecordError(f"{row.where}: fine {place}: gold {part['gold']!r} is neither yes nor no.")
        yield Question(
            id=f"{sequence}/fine/{place}",
            images=paths,
            prompt=prompt(str(part["question"])),
            space=AnswerSpace.yes_no(),
            gold=gold,
            tags={**tags, "part": "fine", **{k: str(part[k]) for k in ("attribute", "image") if k in part}},
            group=group,
        )


def responses_of(row: Row) -> dict[str, str | None]:
    """Return id to response of a sequence whose parts hold their responses."""
    sequence = row.text("sequence_id")
    parts = {f"{sequence}/coarse": row.record["coarse"]}
    parts |= {f"{sequence}/fine/{place}": part for place, part in enumerate(row.record["fine"])}
    return {name: Row(part, row.file, row.line).response for name, part in parts.items()}


def sequence_groups(answers: Answers) -> dict[str, Sums[GatedSums]]:
    """Total whole sequences, by task.

    Args:
        answers: Answered questions; those without the tag ``sequence`` are left out.

    Returns:
        Task to sums; sequences without a task are under "".
    """
    units: dict[str, list[tuple[Question, GatedSums]]] = {}
    for members in answers.by_tag("sequence").values():
        first = members[0][0]
        units.setdefault(first.tags.get("task", ""), []).append((first, GatedSums.of(_result(members))))
    return {task: answers.sums(own, GatedSums) for task, own in units.items()}


def score_sequences(totals: Mapping[str, GatedSums]) -> Scores:
    """Score sequences, all together and by task.

    Args:
        totals: Task to sums, as ``sequence_groups`` names them.

    Returns:
        The names of ``gated_scores``, plain and behind ``gated/<task>/``: the published subtasks of the
        same names ask other questions.
    """
    scores = gated_scores(sum(totals.values(), start=NO_SEQUENCES))
    for task, sums in totals.items():
        if task:
            scores |= prefixed(f"gated/{task}", gated_scores(sums))
    return scores


def _result(members: Sequence[Pair]) -> GatedSequence:
    right = {q.id: prediction.parsed == q.gold for q, prediction in members}
    coarse = next(q.id for q, _ in members if q.tags["part"] == "coarse")
    return GatedSequence(right.pop(coarse), tuple(right.values()) or None)


def _part(row: Row, part: object, name: str) -> Mapping[str, Any]:
    """Check that a part is an object with a question and a gold answer."""
    if not isinstance(part, dict) or not {"question", "gold"} <= part.keys():
        raise RecordError(f"{row.where}: {name} must be an object with question and gold.")
    return part


def _coarse_space(row: Row, coarse: Mapping[str, Any], images: object) -> AnswerSpace:
    kind = coarse.get("type")
    if kind == "true_false":
        return AnswerSpace.true_false()
    largest = coarse.get("largest", images)
    if kind == "count" and isinstance(largest, int):
        return AnswerSpace.count(largest, smallest=1)
    if kind == "choice":
        options = coarse.get("options") or options_in(str(coarse["question"])) or FOUR_OPTIONS
        return AnswerSpace.choice(tuple(str(option) for option in options))
    raise RecordError(
        f"{row.where}: coarse type {kind!r} is none of count, choice, true_false, or has no images."
    )


def _coarse_gold(row: Row, coarse: Mapping[str, Any], space: AnswerSpace) -> str:
    """Bring a gold answer to its canonical form: a number, a letter, T or F."""
    text = str(coarse["gold"]).strip()
    if space.candidates == ("T", "F"):
        gold: str | None = strict.read_true_false(text)
    elif space.candidates[0] == "A":
        gold = official.read_vlm2_option(text)
    else:
        gold = text
    if gold not in space.candidates:
        raise RecordError(f"{row.where}: coarse gold {text!r} is none of {', '.join(space.candidates)}.")
    return gold


def options_in(question: str) -> tuple[str, ...]:
    """Find the options ``A) …; B) …`` inside a question; empty if they do not run from A on.

    Example:
        >>> options_in("Which images match? A) 1 and 2; B) 1, 2 and 3; C) None.")
        ('1 and 2', '1, 2 and 3', 'None.')
    """
    found = _OPTION.findall(question)
    in_order = [letter for letter, _ in found] == [chr(ord("A") + place) for place in range(len(found))]
    return tuple(text.strip() for _, text in found) if in_order else ()
