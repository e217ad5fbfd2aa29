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
    """Lay drawings out in rows, each next to the one before it."""
    rows = [drawn[start : start + COLUMNS] for start in range(0, len(drawn), COLUMNS)]
    width = max(sum(image.width + GAP for image in row) for row in rows) - GAP
    heights = [max(image.height for image in row) + GAP for row in rows]
    whole = Image.new("RGB", (width, sum(heights) - GAP), "white")
    for number, row in enumerate(rows):
        for place, image in enumerate(row):
            left = sum(before.width + GAP for before in row[:place])
            whole.paste(image, (left, sum(heights[:number])))
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
