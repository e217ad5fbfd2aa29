"""Draw questions that a run cured, one of each kind, as one PNG.

::

    python docs/plot_flips.py runs/2026-11-30_09-48-43 docs/miniworld.png
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from halluc.report.flip_pictures import draw_flip
from halluc.report.flips import Flip, flips

KINDS = (
    ("pope", "adversarial/"),
    ("phd", "icc/"),
    ("phd", "ccs/"),
    ("vlm2", "/fine/"),
    ("longhalqa", "description_binary/"),
    ("vstar", "direct_attributes/"),
)
"""Benchmark and a part of the question's id."""

COLUMNS, GAP = 3, 12


def choose(found: Sequence[Flip]) -> list[Flip]:
    """Take the first cured question of each kind."""
    cured = [flip for flip in found if flip.change == "cured" and flip.images]
    chosen = []
    for benchmark, part in KINDS:
        alike = [flip for flip in cured if flip.benchmark == benchmark and part in flip.id]
        chosen += alike[:1]
    return chosen


def sheet(drawn: Sequence[Image.Image]) -> Image.Image:
    """Lay drawings out in rows of columns of one width."""
    width, height = (max(image.size[axis] for image in drawn) + GAP for axis in (0, 1))
    rows = -(-len(drawn) // COLUMNS)
    whole = Image.new("RGB", (COLUMNS * width - GAP, rows * height - GAP), "white")
    for number, image in enumerate(drawn):
        whole.paste(image, (number % COLUMNS * width, number // COLUMNS * height))
    return whole


def main() -> None:
    """Read the run and write the picture."""
    run, out = map(Path, sys.argv[1:])
    best = json.loads((run / "results.json").read_text())["best"]["epoch"]
    before, after = (run / "predictions" / name for name in ("baseline", f"epoch_{best}"))
    chosen = choose(flips(before, after, dict(KINDS)))
    sheet([draw_flip(flip) for flip in chosen]).save(out)


if __name__ == "__main__":
    main()
