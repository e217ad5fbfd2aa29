"""``python -m halluc build …``: training rows, preference pairs and benchmark files from annotations."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from halluc.builders.choice import build_choices
from halluc.builders.coco import SceneAnnotation, read_annotations
from halluc.builders.gated import build_gated
from halluc.builders.heldout import build_heldout
from halluc.builders.pairs import build_pairs
from halluc.builders.phd import TASKS, phd_records
from halluc.builders.pope import STRATEGIES, poll, pope_records
from halluc.data.readers.jsonl import JsonlSource
from halluc.data.readers.rows import read_rows
from halluc.data.row_files import preference_row, sample_row, write_array, write_lines
from halluc.errors import RecordError

logger = logging.getLogger(__name__)

Annotations = Annotated[Path, typer.Argument(help="COCO instances file, or JSON Lines of {image, objects}.")]
OutFile = Annotated[Path, typer.Argument(help="File to write.")]
OutFolder = Annotated[Path, typer.Argument(help="Folder to write to.")]
Seed = Annotated[int, typer.Option(help="Seed of all draws.")]
ImageRoot = Annotated[
    Path | None, typer.Option(help="Folder of the pictures; default: that of the data file.")
]


def build_pope(
    annotations: Annotations,
    out_dir: OutFolder,
    source: Annotated[str, typer.Option(help="First part of the file names.")] = "coco",
    images: Annotated[int, typer.Option(help="Pictures to draw.")] = 500,
    sample_num: Annotated[int, typer.Option(help="Most objects a picture that are affirmed.")] = 3,
    min_objects: Annotated[
        int | None, typer.Option(help="Fewest objects of a picture; default: sample-num.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Write POPE's three question files, by the published rule."""
    scenes = read_annotations(annotations)
    counts = {}
    for strategy in STRATEGIES:
        questions = poll(
            scenes,
            strategies=[strategy],
            images=images,
            sample_num=sample_num,
            min_objects=min_objects,
            seed=seed,
        )
        if not questions:
            needed = sample_num if min_objects is None else min_objects
            raise RecordError(f"{annotations}: no picture has {needed} objects. Lower --min-objects.")
        path = out_dir / f"{source}_pope_{strategy}.json"
        write_lines(path, pope_records(questions))
        counts[str(path)] = len(questions)
        logger.info(
            "%s: %d pictures of %d", path, len({question.image for question in questions}), len(scenes)
        )
    _show(counts, "questions")


def build_choice(
    annotations: Annotations,
    out: OutFile,
    options: Annotated[int, typer.Option(help="Options a question.")] = 4,
    per_image: Annotated[int, typer.Option(help="Most questions of each kind a picture.")] = 2,
    seed: Seed = 0,
) -> None:
    """Write multiple-choice training rows; pictures are named as in the annotations."""
    choices = build_choices(read_annotations(annotations), seed=seed, options=options, per_image=per_image)
    if not choices:
        raise RecordError(f"{annotations}: no multiple-choice question can be asked. Annotate more pictures.")
    root = Path.cwd()  # only cut off again: rows name pictures relative to the image root
    write_lines(out, (sample_row(choice.sample(root), root) for choice in choices))
    _show({str(out): len(choices)}, "rows")


def build_preference_pairs(
    data: Annotated[Path, typer.Argument(help="Rows with question and answer, in any shape that trains.")],
    out: OutFile,
    image_root: ImageRoot = None,
    skip: Annotated[bool, typer.Option(help="List what can't be used or paired, and go on.")] = False,
    seed: Seed = 0,
) -> None:
    """Write preference rows: each yes/no or multiple-choice answer with a wrong one of the same form."""
    root = data.parent if image_root is None else image_root
    source = JsonlSource(data, root, on_bad_rows="skip" if skip else "stop", check_images=False)
    preferences, problems = build_pairs(source.samples(), seed)
    if problems and not skip:
        raise RecordError(
            f"{data}: answers without a known wrong one: {len(problems)}. Use --skip:", problems
        )
    if problems:
        logger.warning("%s: answers left out: %d\n  %s", data, len(problems), "\n  ".join(problems))
    if not preferences:
        raise RecordError(f"{data}: no answer could be paired.")
    write_lines(out, (preference_row(preference, root) for preference in preferences))
    _show({str(out): len(preferences)}, "pairs")


def build_gated_file(
    sequences: Annotated[
        Path, typer.Argument(help="JSON Lines of {sequence_id, images, coarse, attributes}.")
    ],
    out: OutFile,
    image_root: Annotated[
        Path | None, typer.Option(help="Folder of the pictures, to check their names.")
    ] = None,
) -> None:
    """Write gated image sequences with balanced fine questions."""
    records = build_gated(_located(sequences))
    if not records:
        raise RecordError(f"{sequences} holds no sequence.")
    if image_root is not None:
        _check_pictures((image for record in records for image in record["images"]), image_root)
    write_lines(out, records)
    _show({str(out): len(records)}, "sequences", sum(len(record["fine"]) for record in records))


def build_phd(
    annotations: Annotations,
    out: OutFile,
    tasks: Annotated[list[str] | None, typer.Option("--task", help="Task to ask; may be repeated.")] = None,
    seed: Seed = 0,
) -> None:
    """Write PhD-layout records with specious and incorrect contexts."""
    records = phd_records(read_annotations(annotations), tasks=tasks or TASKS, seed=seed)
    if not records:
        raise RecordError(f"{annotations}: no picture gives a record. Annotate more pictures.")
    write_array(out, records)
    _show({str(out): len(records)}, "records")


def build_heldout_files(
    annotations: Annotations,
    out_dir: OutFolder,
    images: Annotated[int, typer.Option(help="Pictures to hold out, at most 40 % of the usable ones.")] = 500,
    image_root: Annotated[
        Path | None, typer.Option(help="Folder of the pictures, to leave out missing ones.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Hold out pictures and write POPE, PhD and gated files about them."""
    scenes = read_annotations(annotations)
    if image_root is not None:
        scenes = _present(scenes, image_root)
    heldout = build_heldout(scenes, out_dir, images, seed)
    _show({str(out_dir / name): count for name, count in heldout.counts.items()}, "questions")


def _located(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows, problems = read_rows(path)
    if problems:
        raise RecordError(f"{path}: unreadable rows: {len(problems)}", problems)
    for row in rows:
        yield f"{path}:{row.number}", row.fields


def _check_pictures(images: Iterator[str], root: Path) -> None:
    missing = [image for image in dict.fromkeys(images) if not (root / image).is_file()]
    if missing:
        raise RecordError(f"pictures not found under {root}: {len(missing)}. Correct --image-root:", missing)


def _present(scenes: list[SceneAnnotation], root: Path) -> list[SceneAnnotation]:
    kept = [scene for scene in scenes if (root / scene.image).is_file()]
    if len(kept) < len(scenes):
        logger.warning("%d of %d pictures are not under %s", len(scenes) - len(kept), len(scenes), root)
    return kept


def _show(counts: Mapping[str, int], what: str, fine: int | None = None) -> None:
    more = "" if fine is None else f", {fine} fine questions"
    for name, count in counts.items():  # one line a file: a path is never cut
        Console(soft_wrap=True, highlight=False).print(f"{name}: {count} {what}{more}")
