"""Benchmark files from pictures that training never sees, for a user who has annotations and nothing else."""

import logging
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from halluc.builders.choice import LARGEST_COUNT
from halluc.builders.coco import SceneAnnotation, object_names
from halluc.builders.gated import build_gated
from halluc.builders.phd import phd_records
from halluc.builders.pope import STRATEGIES, poll, pope_records
from halluc.builders.wording import is_countable, plural
from halluc.data.row_files import write_array, write_lines
from halluc.errors import ConfigError, RecordError

logger = logging.getLogger(__name__)

LARGEST_SHARE = 0.4
"""Largest share of the usable pictures that is held out."""

MANIFEST = "heldout.json"
"""Name of the file that lists the held-out pictures; it marks a folder as one that may be rewritten."""

_TOGETHER = "How many {} are in the two pictures together? Answer with one number."
_MOST_ATTRIBUTES = 3  # a picture; more would make long sequences of near-equal questions


@dataclass(frozen=True, slots=True)
class Heldout:
    """Hold what was written.

    Attributes:
        images: File names of the held-out pictures.
        counts: Path below the folder to the number of questions in it.
    """

    images: tuple[str, ...]
    counts: dict[str, int]


def pick_heldout(annotations: Sequence[SceneAnnotation], images: int, seed: int) -> list[SceneAnnotation]:
    """Draw the pictures that are kept from training.

    Pictures without an object are not usable. Never more than ``LARGEST_SHARE`` of the usable ones are
    drawn, which is logged. If no two of those drawn share an object that can be counted, one of
    them is exchanged, so that a gated sequence can be built.

    Args:
        annotations: All pictures; the order does not matter.
        images: Number of pictures wanted.
        seed: Seed of the draw.

    Returns:
        The pictures, sorted by name.

    Raises:
        ConfigError: If ``images`` is negative.
        RecordError: If fewer than two can be drawn, or no two pictures share an object.
    """
    if images < 0:
        raise ConfigError(f"heldout_images is {images}. Give 0 to hold out nothing, or a positive number.")
    if images == 0:
        return []
    usable = sorted((scene for scene in annotations if scene.counts), key=lambda scene: scene.image)
    count = min(images, int(LARGEST_SHARE * len(usable)))
    if count < 2:
        raise RecordError(
            f"{len(usable)} pictures have objects, too few to hold out two of them (at most "
            f"{LARGEST_SHARE:.0%}). Annotate more, or set heldout_images=0."
        )
    if count < images:
        logger.info(
            "%d pictures are held out instead of %d: %.0f %% of the usable %d",
            count,
            images,
            100 * LARGEST_SHARE,
            len(usable),
        )
    random.Random(f"{seed}/heldout").shuffle(usable)
    drawn = usable[:count]
    if next(_sharing(drawn), None) is None:
        pair = next(_sharing(usable), None)
        if pair is None:
            raise RecordError(
                "no two pictures share an object to count. Annotate more, or set heldout_images=0."
            )
        drawn = [*pair[:2], *(scene for scene in drawn if scene not in pair[:2])][:count]
    return sorted(drawn, key=lambda scene: scene.image)


def build_heldout(
    annotations: Sequence[SceneAnnotation], out_dir: Path, images: int = 500, seed: int = 0
) -> Heldout:
    """Hold out pictures and write POPE, PhD and gated files about them, in the published layouts.

    Written are ``pope/coco_pope_{random,popular,adversarial}.json``, ``phd/data.json``,
    ``vlm2/gated.jsonl`` and ``heldout.json`` with the pictures' names. Pictures are named as in the
    annotations, relative to the image root. The same annotations and seed write the same bytes, in
    whatever order the annotations come.

    Args:
        annotations: All pictures; statistics are taken over the held-out ones, while names of objects
            that only others have serve as a last resort for absent objects.
        out_dir: Folder to write to; rewritten if it holds a ``heldout.json``.
        images: Number of pictures wanted; see ``pick_heldout``.
        seed: Seed of all draws.

    Raises:
        ConfigError: If ``out_dir`` holds such files but no ``heldout.json``, so they are someone else's.
        RecordError: If the annotations can't give a question of each kind.
    """
    scenes = pick_heldout(annotations, images, seed)
    if not scenes:
        raise ConfigError("heldout_images is 0, so there is nothing to write. Give a positive number.")
    files = _files(scenes, object_names(annotations), seed)
    _check_folder(out_dir, files)
    names = tuple(scene.image for scene in scenes)
    write_array(out_dir / MANIFEST, [{"seed": seed, "images": list(names)}])
    for name, rows in files.items():
        (write_array if name == "phd/data.json" else write_lines)(out_dir / name, rows)
    counts = {name: _questions_in(rows) for name, rows in files.items()}
    written = ", ".join(f"{name} {count}" for name, count in counts.items())
    logger.info("held out %d pictures; questions written to %s: %s", len(names), out_dir, written)
    return Heldout(names, counts)


def _files(
    scenes: Sequence[SceneAnnotation], vocabulary: Sequence[str], seed: int
) -> dict[str, list[dict[str, Any]]]:
    files = {
        f"pope/coco_pope_{strategy}.json": pope_records(
            poll(scenes, strategies=[strategy], min_objects=1, vocabulary=vocabulary, seed=seed)
        )
        for strategy in STRATEGIES
    }
    files["phd/data.json"] = phd_records(scenes, vocabulary=vocabulary, seed=seed)
    files["vlm2/gated.jsonl"] = build_gated(_sequences(scenes, seed))
    empty = [name for name, rows in files.items() if not rows]
    if empty:
        raise RecordError(f"the held-out pictures give no question for {', '.join(empty)}. Hold out more.")
    return files


def _sequences(scenes: Sequence[SceneAnnotation], seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield sequences of two pictures; each picture is in one, beginning with it in shuffled order."""
    order = list(scenes)
    random.Random(f"{seed}/sequences").shuffle(order)
    used: set[str] = set()
    for number, (first, second, shared) in enumerate(_matched(order, used), start=1):
        name = random.Random(f"{seed}/{first.image}/{second.image}").choice(shared)
        total = first.counts[name] + second.counts[name]
        row = {
            "sequence_id": f"pair_{number:04}",
            "task": "count_objects",
            "images": [first.image, second.image],
            "coarse": {
                "type": "count",
                "question": _TOGETHER.format(plural(name)),
                "gold": total,
                "largest": 2 * LARGEST_COUNT,
            },
            "attributes": [
                {"image": place, "subject": subject, "attribute": "number", "value": str(count)}
                for place, scene in enumerate((first, second))
                for subject, count in _asked(scene, name)
            ],
        }
        yield str(row["sequence_id"]), row


def _matched(
    order: Sequence[SceneAnnotation], used: set[str]
) -> Iterator[tuple[SceneAnnotation, SceneAnnotation, list[str]]]:
    for first, second, shared in _sharing(order):
        if first.image not in used and second.image not in used:
            used |= {first.image, second.image}
            yield first, second, shared


def _sharing(
    scenes: Sequence[SceneAnnotation],
) -> Iterator[tuple[SceneAnnotation, SceneAnnotation, list[str]]]:
    """Yield the pairs of pictures that share countable objects, with their names."""
    countable = [_countable(scene) for scene in scenes]
    for (first, counts), (second, others) in combinations(zip(scenes, countable, strict=True), 2):
        shared = [name for name in counts if name in others]
        if shared:
            yield first, second, shared


def _countable(scene: SceneAnnotation) -> dict[str, int]:
    return {n: k for n, k in scene.exact_counts().items() if k <= LARGEST_COUNT and is_countable(n)}


def _asked(scene: SceneAnnotation, first: str) -> list[tuple[str, int]]:
    """Return the numbers to ask about: the shared object's, then others in listed order."""
    counts = _countable(scene)
    names = [first, *(name for name in counts if name != first)][:_MOST_ATTRIBUTES]
    return [(name, counts[name]) for name in names]


def _questions_in(rows: Sequence[dict[str, Any]]) -> int:
    """Count questions: a PhD record asks two in each of three modes, a sequence one and its fine ones."""
    return sum(1 + len(row["fine"]) if "fine" in row else 6 if "yes_question" in row else 1 for row in rows)


def _check_folder(out_dir: Path, names: "dict[str, Any]") -> None:
    foreign = [name for name in names if (out_dir / name).exists()]
    if foreign and not (out_dir / MANIFEST).exists():
        raise ConfigError(
            f"{out_dir} holds {', '.join(foreign)} but no {MANIFEST}, so these files are someone else's and "
            "are not overwritten. Set heldout_dir to another folder."
        )
