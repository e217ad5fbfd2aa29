"""MiniWorld's benchmarks in the published file formats, made by the project's builders."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from halluc.benchmarks.longhalqa import TASKS
from halluc.benchmarks.vlm2_subtasks import IMAGE_FOLDERS, question_file
from halluc.builders.choice import build_choices
from halluc.builders.coco import SceneAnnotation
from halluc.builders.gated import build_gated
from halluc.builders.phd import phd_records
from halluc.builders.pope import STRATEGIES, poll, pope_records
from halluc.data.row_files import sample_row, write_array, write_lines
from halluc.miniworld.files.comparison_rows import GROUPS, group_row, pair_rows
from halluc.miniworld.files.detail_rows import detail_row
from halluc.miniworld.files.long_text_rows import long_text_rows
from halluc.miniworld.files.phd_rows import FACT_TASKS, UNUSUAL_TASKS, fact_row, unusual_row
from halluc.miniworld.files.sequence_rows import sequence_row
from halluc.miniworld.lessons.choice_lessons import DETAILS
from halluc.miniworld.levels import Level
from halluc.miniworld.scenes.annotations import annotate
from halluc.miniworld.scenes.facts import Facts
from halluc.miniworld.scenes.gallery import Gallery, draw_where, has_repeated_kind, has_single_face
from halluc.miniworld.scenes.scene import Scene, draw_scene, draw_sibling

Row = dict[str, Any]
OWN_FILE = "questions.jsonl"
DRAWINGS, SEEDS = 100, 10
"""Seeds of drawings start here; so many belong to one data seed, one for each set of pictures."""


@dataclass(frozen=True, slots=True)
class Order:
    """Tell a writer how much to write, where, and from which random numbers.

    Attributes:
        level: Sizes and styles.
        folder: Where the questions go.
        rng: Draws scenes and questions.
        seed: Of the builders, which draw for themselves.
    """

    level: Level
    folder: Path
    rng: random.Random
    seed: int


def write_evaluation(level: Level, root: Path, seed: int) -> dict[str, list[Scene]]:
    """Write every benchmark below a folder, under the names that the published files use.

    ``pope/coco_pope_{random,popular,adversarial}.json``, ``phd/data.json``, ``vlm2/gated.jsonl`` and the
    subtasks ``oc_cpr``, ``oc_cnt`` and ``oc_grp``, seven ``longhalqa/lhqa_*.jsonl``,
    ``vstar/test_questions.jsonl``, multiple choice as own rows in ``own/questions.jsonl``, and annotated
    pictures to be described in ``chair/instances.json``.

    Args:
        level: Sizes and styles.
        root: The folder.
        seed: Of scenes, drawings and questions; the same seed writes the same bytes.

    Returns:
        Benchmark to its scenes, in order; each holds a held-out combination.
    """
    scenes: dict[str, list[Scene]] = {}
    for number, writer in enumerate(WRITERS):
        folder = root / writer.benchmark
        gallery = Gallery(folder / writer.pictures, DRAWINGS + SEEDS * seed + number)
        shown = writer.write(Order(level, folder, random.Random(f"{seed}/{writer.name}"), seed))
        for image, scene in shown.items():
            gallery.add(image, scene)
        scenes.setdefault(writer.benchmark, []).extend(shown.values())
    return scenes


def _write_pope(order: Order) -> dict[str, Scene]:
    shown = {
        f"miniworld_{number:06}.png": draw_where(order.rng, order.level.style, "evaluation", _has_three_kinds)
        for number in range(order.level.pope_images)
    }
    annotations = _annotations(shown)
    for strategy in STRATEGIES:
        questions = poll(annotations, strategies=[strategy], seed=order.seed)
        write_lines(order.folder / f"coco_pope_{strategy}.json", pope_records(questions))
    return shown


def _write_phd(order: Order) -> dict[str, Scene]:
    shown: dict[str, Scene] = {}
    for number in range(order.level.phd_images):
        wanted = has_single_face if number % 2 else has_repeated_kind
        shown[f"val2014/COCO_val2014_{number:012}.jpg"] = draw_where(
            order.rng, order.level.style, "evaluation", wanted
        )
    rows: list[Row] = [dict(row) for row in phd_records(_annotations(shown), seed=order.seed)]
    for name, scene in shown.items():
        facts = Facts(scene)
        made = [fact_row(task, facts, order.rng) for task in FACT_TASKS]
        rows += [{"image_id": name[-16:-4], **row, "image": name} for row in made if row is not None]
    for task in UNUSUAL_TASKS:
        for _ in range(order.level.unusual_images):
            image_id = str(len(shown) - order.level.phd_images)
            scene, row = _draw_unusual(task, order.level, order.rng)
            shown[f"CCS_images/{image_id}.png"] = scene
            rows.append({"image_id": image_id, **row})
    write_array(order.folder / "data.json", rows)
    return shown


def _draw_unusual(task: str, level: Level, rng: random.Random) -> tuple[Scene, Row]:
    found: list[Row] = []

    def accept(scene: Scene) -> bool:
        row = unusual_row(task, Facts(scene), rng)
        found[:] = [row] if row is not None else []
        return bool(found)

    return draw_where(rng, level.unusual_style, "evaluation", accept), found[0]


def _write_gated(order: Order) -> dict[str, Scene]:
    shown: dict[str, Scene] = {}
    rows: list[tuple[str, Mapping[str, Any]]] = []
    while len(rows) < order.level.sequences:
        names = [f"sequence_{len(rows):04}_{place}.png" for place in (1, 2)]
        first = draw_scene(order.rng, order.level.pair_style, "evaluation")
        pair = first, draw_sibling(order.rng, first, order.level.pair_style, "evaluation")
        row = sequence_row(f"miniworld_{len(rows):04}", names, (Facts(pair[0]), Facts(pair[1])), order.rng)
        if row is not None:
            rows.append((row["sequence_id"], row))
            shown |= dict(zip(names, pair, strict=True))
    write_lines(order.folder / "gated.jsonl", build_gated(rows))
    return shown


def _write_own(order: Order) -> dict[str, Scene]:
    shown = {
        f"choice_{number:04}.png": draw_where(order.rng, order.level.style, "evaluation", has_repeated_kind)
        for number in range(order.level.choice_images)
    }
    questions = build_choices(_annotations(shown), seed=order.seed)
    samples = [question.sample(order.folder / "images") for question in questions]
    write_lines(order.folder / OWN_FILE, [sample_row(sample, order.folder) for sample in samples])
    return shown


def _write_descriptions(order: Order) -> dict[str, Scene]:
    shown = {
        f"scene_{number:04}.png": draw_scene(order.rng, order.level.style, "evaluation")
        for number in range(order.level.text_images)
    }
    rows = [{"image": note.image, "objects": dict(note.counts)} for note in _annotations(shown)]
    write_lines(order.folder / "instances.json", rows)
    return shown


def _write_comparisons(order: Order) -> dict[str, Scene]:
    shown: dict[str, Scene] = {}
    rows: dict[str, list[Row]] = {"oc_cpr": [], "oc_cnt": [], "oc_grp": []}
    while len(rows["oc_grp"]) < order.level.comparisons:
        number = len(rows["oc_grp"])
        names = [f"sequence_{number:04}_{place}.png" for place in (1, 2, 3)]
        first = draw_scene(order.rng, order.level.pair_style, "evaluation")
        scenes = [
            first,
            *(draw_sibling(order.rng, first, order.level.pair_style, "evaluation") for _ in range(2)),
        ]
        order.rng.shuffle(scenes)  # the odd one out may be any of them
        facts = [Facts(scene) for scene in scenes]
        letter = sorted(GROUPS.values())[number % len(GROUPS)]
        grouped = group_row(str(number), names, facts, letter, order.rng)
        if grouped is not None:
            shown |= dict(zip(names, scenes, strict=True))
            for row in (*pair_rows(str(number), names[:2], facts[:2], order.rng), grouped):
                rows[row["type"]].append(row)
    for subtask, found in rows.items():
        write_lines(order.folder / question_file(subtask), found)
    return shown


def _write_long_texts(order: Order) -> dict[str, Scene]:
    shown: dict[str, Scene] = {}
    rows: dict[str, list[Row]] = {task: [] for task in TASKS}
    for number in range(order.level.text_images):
        name = f"text_{number:04}.png"
        shown[name] = draw_where(order.rng, order.level.style, "evaluation", _has_three_kinds)
        for task, row in long_text_rows(Facts(shown[name]), order.rng):
            rows[task].append({"question_id": str(len(rows[task])), "image": name, **row})
    for task, found in rows.items():
        write_lines(order.folder / f"{task}.jsonl", found)
    return shown


def _write_details(order: Order) -> dict[str, Scene]:
    shown: dict[str, Scene] = {}
    rows: list[Row] = []
    for category, number in product(DETAILS, range(order.level.detail_images)):
        name, row = f"{category}/sa_{number:04}.png", None
        while row is None:
            shown[name] = draw_where(
                order.rng, order.level.unusual_style, "evaluation", _has_small_single_thing
            )
            row = detail_row(category, Facts(shown[name]), order.rng)
        rows.append({"image": name, "question_id": str(len(rows)), **row})
    write_lines(order.folder / "test_questions.jsonl", rows)
    return shown


def _annotations(shown: Mapping[str, Scene]) -> list[SceneAnnotation]:
    return [annotate(name, scene) for name, scene in shown.items()]


def _has_three_kinds(scene: Scene) -> bool:
    return len(Facts(scene).kinds) >= 3


def _has_small_single_thing(scene: Scene) -> bool:
    facts = Facts(scene)
    return any(facts.thing(kind).size == "small" for kind in facts.single)


@dataclass(frozen=True, slots=True)
class Writer:
    """Hold one set of pictures with its questions.

    Attributes:
        benchmark: The benchmark that reads it, which also names the folder.
        pictures: Folder of the pictures, below that.
        write: Writes the questions into the folder and returns name to scene, for the pictures.
    """

    benchmark: str
    pictures: str
    write: Callable[[Order], dict[str, Scene]]

    @property
    def name(self) -> str:
        """Return what random draws are seeded with besides the data seed."""
        return f"{self.benchmark}/{self.pictures}"


WRITERS = (
    Writer("pope", "images", _write_pope),
    Writer("phd", "images", _write_phd),
    Writer("vlm2", "images", _write_gated),
    Writer("vlm2", IMAGE_FOLDERS["oc"], _write_comparisons),
    Writer("longhalqa", "images", _write_long_texts),
    Writer("vstar", "", _write_details),
    Writer("own", "images", _write_own),
    Writer("chair", "images", _write_descriptions),
)
BENCHMARKS = tuple(dict.fromkeys(writer.benchmark for writer in WRITERS))
