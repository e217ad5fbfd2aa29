"""MiniWorld's benchmarks in the published file formats, made by the project's builders."""

import random
from collections.abc import Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from halluc.builders.choice import ChoiceQuestion, build_choices
from halluc.builders.coco import SceneAnnotation
from halluc.builders.gated import build_gated
from halluc.builders.phd import phd_records
from halluc.builders.pope import STRATEGIES, poll, pope_records
from halluc.data.row_files import write_array, write_lines
from halluc.miniworld.annotations import annotate
from halluc.miniworld.facts import Facts
from halluc.miniworld.gallery import Gallery, draw_where
from halluc.miniworld.levels import Level
from halluc.miniworld.phd_rows import FACT_TASKS, UNUSUAL_TASKS, fact_row, unusual_row
from halluc.miniworld.scene import Scene, draw_scene, draw_sibling
from halluc.miniworld.sequence_rows import sequence_row

Row = dict[str, Any]
CHOICE_FILE = "lhqa_discrim_description_choice.jsonl"
DRAWINGS = 100
"""Seeds of drawings are this plus the data seed times ten, plus one for each benchmark."""


def write_evaluation(level: Level, root: Path, seed: int) -> dict[str, list[Scene]]:
    """Write POPE, PhD, gated sequences and multiple choice below a folder.

    ``pope/coco_pope_{random,popular,adversarial}.json``, ``phd/data.json``, ``vlm2/gated.jsonl`` and
    ``longhalqa/lhqa_discrim_description_choice.jsonl``, each with its pictures in ``images/`` beside it,
    under the names that the published files use.

    Args:
        level: Sizes and styles.
        root: The folder.
        seed: Of scenes, drawings and questions; the same seed writes the same bytes.

    Returns:
        Benchmark to its scenes, in order; each holds a held-out combination.
    """
    writers = {"pope": _write_pope, "phd": _write_phd, "vlm2": _write_gated, "longhalqa": _write_choice}
    scenes: dict[str, list[Scene]] = {}
    for number, (name, write) in enumerate(writers.items()):
        gallery = Gallery(root / name / "images", DRAWINGS + 10 * seed + number)
        shown = write(level, root / name, random.Random(f"{seed}/{name}"), seed)
        for image, scene in shown.items():
            gallery.add(image, scene)
        scenes[name] = list(shown.values())
    return scenes


def _write_pope(level: Level, folder: Path, rng: random.Random, seed: int) -> dict[str, Scene]:
    shown = {
        f"miniworld_{number:06}.png": draw_where(rng, level.style, "evaluation", _has_three_kinds)
        for number in range(level.pope_images)
    }
    annotations = _annotations(shown)
    for strategy in STRATEGIES:
        questions = poll(annotations, strategies=[strategy], seed=seed)
        write_lines(folder / f"coco_pope_{strategy}.json", pope_records(questions))
    return shown


def _write_phd(level: Level, folder: Path, rng: random.Random, seed: int) -> dict[str, Scene]:
    shown: dict[str, Scene] = {}
    for number in range(level.phd_images):
        wanted = _has_single_face if number % 2 else _has_repeated_kind
        shown[f"val2014/COCO_val2014_{number:012}.jpg"] = draw_where(rng, level.style, "evaluation", wanted)
    rows: list[Row] = [dict(row) for row in phd_records(_annotations(shown), seed=seed)]
    for name, scene in shown.items():
        facts = Facts(scene)
        made = [fact_row(task, facts, rng) for task in FACT_TASKS]
        rows += [{"image_id": name[-16:-4], **row, "image": name} for row in made if row is not None]
    for task in UNUSUAL_TASKS:
        for _ in range(level.unusual_images):
            image_id = str(len(shown) - level.phd_images)
            scene, row = _draw_unusual(task, level, rng)
            shown[f"CCS_images/{image_id}.png"] = scene
            rows.append({"image_id": image_id, **row})
    write_array(folder / "data.json", rows)
    return shown


def _draw_unusual(task: str, level: Level, rng: random.Random) -> tuple[Scene, Row]:
    found: list[Row] = []

    def accept(scene: Scene) -> bool:
        row = unusual_row(task, Facts(scene), rng)
        found[:] = [row] if row is not None else []
        return bool(found)

    return draw_where(rng, level.unusual_style, "evaluation", accept), found[0]


def _write_gated(level: Level, folder: Path, rng: random.Random, seed: int) -> dict[str, Scene]:
    del seed
    shown: dict[str, Scene] = {}
    rows: list[tuple[str, Mapping[str, Any]]] = []
    while len(rows) < level.sequences:
        names = [f"sequence_{len(rows):04}_{place}.png" for place in (1, 2)]
        first = draw_scene(rng, level.pair_style, "evaluation")
        pair = first, draw_sibling(rng, first, level.pair_style, "evaluation")
        row = sequence_row(f"miniworld_{len(rows):04}", names, (Facts(pair[0]), Facts(pair[1])), rng)
        if row is not None:
            rows.append((row["sequence_id"], row))
            shown |= dict(zip(names, pair, strict=True))
    write_lines(folder / "gated.jsonl", build_gated(rows))
    return shown


def _write_choice(level: Level, folder: Path, rng: random.Random, seed: int) -> dict[str, Scene]:
    shown = {
        f"choice_{number:04}.png": draw_where(rng, level.style, "evaluation", _has_repeated_kind)
        for number in range(level.choice_images)
    }
    questions = build_choices(_annotations(shown), seed=seed)
    write_lines(folder / CHOICE_FILE, [_choice_row(question) for question in questions])
    return shown


def _choice_row(question: ChoiceQuestion) -> Row:
    options = {
        f"choice_{letter.lower()}": text for letter, text in zip("ABCD", question.options, strict=True)
    }
    return {
        "question_id": question.id,
        "image": question.image,
        "question": question.text,
        "answer": ascii_uppercase[question.gold],
        **options,
    }


def _annotations(shown: Mapping[str, Scene]) -> list[SceneAnnotation]:
    return [annotate(name, scene) for name, scene in shown.items()]


def _has_three_kinds(scene: Scene) -> bool:
    return len(Facts(scene).kinds) >= 3


def _has_single_face(scene: Scene) -> bool:
    return "face" in Facts(scene).single


def _has_repeated_kind(scene: Scene) -> bool:
    facts = Facts(scene)
    return len(facts.single) < len(facts.kinds)
