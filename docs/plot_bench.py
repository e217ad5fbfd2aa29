"""Draw what ``python -m halluc bench --json FILE`` measured, as SVG and without any library.

::

    python docs/plot_bench.py cost k docs/cost_k.svg docs/bench/k*.json
    python docs/plot_bench.py gain image_tokens docs/gain_image_tokens.svg docs/bench/{px*,k6}.json

Each panel is a task, each line a way, each point a measurement, on logarithmic axes: ``cost`` in milliseconds
a question, or ``gain``, how many times faster than padded rows, with the FLOP bound as a dashed line.
"""

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from halluc.bench import one_by_one, ours, trl_steps
from halluc.bench.model import MERGED, PATCH_PX

TASKS = {"sft": "SFT step", "dpo": "DPO step", "evaluation": "Evaluation by likelihood"}
QUANTITIES = {"cost": "ms a question", "gain": "times faster than padded rows"}
AXES = {"k": "questions a picture", "image_tokens": "image tokens"}
LINES = {
    ours.ROWS: ("#777777", "padded rows"),
    trl_steps.SFT: ("#c44e52", "TRL / one forward a question"),
    trl_steps.DPO: ("#c44e52", "TRL / one forward a question"),
    one_by_one.ONE_FORWARD: ("#c44e52", "TRL / one forward a question"),
    ours.TREE: ("#4c72b0", "token tree"),
    ours.TREE_CACHED: ("#55a868", "token tree, features cached"),
    ours.TREE_REFERENCE: ("#8172b3", "token tree, features and reference cached"),
}
WIDTH, HEIGHT, GAP, LEFT, TOP = 250, 220, 50, 60, 34


@dataclass(frozen=True, slots=True)
class Point:
    """Hold one measurement.

    Attributes:
        task: One of ``TASKS``.
        way: One of ``LINES``.
        x: Where it is on the axis.
        y: The quantity.
        bound: Its bound; None where there is none.
    """

    task: str
    way: str
    x: float
    y: float
    bound: float | None


def read_points(files: Iterable[Path], quantity: str, axis: str) -> list[Point]:
    """Read the ways that are drawn.

    Args:
        files: Written by the bench.
        quantity: One of ``QUANTITIES``.
        axis: One of ``AXES``.
    """
    points = []
    for file in files:
        document = json.loads(file.read_text())
        tokens = (document["settings"]["image_px"] // (PATCH_PX * MERGED)) ** 2
        for row in document["results"]:
            x = row["k"] if axis == "k" else tokens
            if quantity == "cost":
                y, bound = 1000 / row["questions_per_s"], None
            else:
                y, bound = row["times_rows"], row["flop_bound"]
            if row["way"] in LINES:
                points.append(Point(row["task"], row["way"], x, y, bound))
    return sorted(points, key=lambda point: point.x)


def draw(points: Sequence[Point], quantity: str, axis: str) -> str:
    """Draw one panel a task, and the legend below."""
    body = [text(14, TOP + HEIGHT / 2, QUANTITIES[quantity], anchor="middle", turn=True)]
    for number, task in enumerate(TASKS):
        body += panel(task, LEFT + number * (WIDTH + GAP), points, axis)
    legend = {label: colour for colour, label in LINES.values()}
    for number, (label, colour) in enumerate(legend.items()):
        x, y = LEFT + number % 3 * 290, TOP + HEIGHT + 60 + number // 3 * 18
        body += [*polyline([(x, y - 4), (x + 22, y - 4)], colour), text(x + 30, y, label)]
    width, height = LEFT + 3 * WIDTH + 2 * GAP + 20, TOP + HEIGHT + 90
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<g font-family="sans-serif" font-size="12" fill="#222222">',
    ]
    return "\n".join(filter(None, [*head, *body, "</g>", "</svg>\n"]))


def panel(task: str, left: float, points: Sequence[Point], axis: str) -> list[str]:
    """Draw one task; all panels have the same axes."""
    xs = sorted({point.x for point in points})
    ends = round_ends([y for point in points for y in (point.y, point.bound) if y is not None])
    drawn = [text(left, TOP - 12, TASKS[task], weight="bold"), *grid(left, xs, ends)]
    drawn.append(text(left + WIDTH / 2, TOP + HEIGHT + 34, AXES[axis], anchor="middle"))
    for way, (colour, _) in LINES.items():
        mine = [point for point in points if (point.task, point.way) == (task, way)]
        bounds = [(across(left, p.x, xs), down(p.bound, ends)) for p in mine if p.bound is not None]
        drawn.append(path(bounds, colour, dashed=True))
        drawn += polyline([(across(left, p.x, xs), down(p.y, ends)) for p in mine], colour)
    return drawn


def across(left: float, x: float, xs: Sequence[float]) -> float:
    """Say how far from the left of the page an x is drawn."""
    return left + place(x, xs[0], xs[-1]) * WIDTH


def down(y: float, ends: tuple[float, float]) -> float:
    """Say how far from the top of the page a y is drawn."""
    return TOP + (1 - place(y, *ends)) * HEIGHT


def round_ends(values: Sequence[float]) -> tuple[float, float]:
    """Return the nearest 1, 2 or 5 times a power of ten below and above all values."""
    low, high = min(values), max(values)
    below, above = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.floor(math.log10(high))
    lowest = max(factor * below for factor in (1, 2, 5) if factor * below <= low)
    highest = min(factor * above for factor in (1, 2, 5, 10) if factor * above >= high)
    return lowest, highest


def place(value: float, lowest: float, highest: float) -> float:
    """Say where a value is between two others on a logarithmic axis, in [0, 1]."""
    if lowest == highest:
        return 0.5
    return math.log(value / lowest) / math.log(highest / lowest)


def grid(left: float, xs: Sequence[float], ends: tuple[float, float]) -> list[str]:
    """Draw a line and a number for each measured x, and for 1, 2, 5 times each power of ten."""
    drawn = []
    for x in xs:
        at = across(left, x, xs)
        drawn.append(rule(at, TOP, at, TOP + HEIGHT))
        drawn.append(text(at, TOP + HEIGHT + 16, f"{x:g}", anchor="middle"))
    powers = range(math.floor(math.log10(ends[0])), math.ceil(math.log10(ends[1])) + 1)
    ys = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    for y in ys:
        if ends[0] <= y <= ends[1]:
            at = down(y, ends)
            drawn.append(rule(left, at, left + WIDTH, at))
            drawn.append(text(left - 6, at + 4, f"{y:g}", anchor="end"))
    return drawn


def polyline(points: Sequence[tuple[float, float]], colour: str) -> list[str]:
    """Draw a line through points, and the points."""
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    return [path(points, colour), *dots]


def path(points: Sequence[tuple[float, float]], colour: str, *, dashed: bool = False) -> str:
    """Draw a line through points; nothing where there are none."""
    if not points:
        return ""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    look = 'stroke-width="1" stroke-dasharray="4 3"' if dashed else 'stroke-width="2"'
    return f'<polyline points="{places}" fill="none" stroke="{colour}" {look}/>'


def rule(x1: float, y1: float, x2: float, y2: float) -> str:
    """Draw a thin grey line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>'


def text(
    x: float, y: float, content: str, *, anchor: str = "start", weight: str = "normal", turn: bool = False
) -> str:
    """Write a word."""
    turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}"{turned}>'
        f"{escape(content)}</text>"
    )


def main(arguments: Sequence[str]) -> None:
    """Draw; see the top of the file.

    Raises:
        SystemExit: If the arguments are not a quantity, an axis, a file to write, and files to read.
    """
    if len(arguments) < 4 or arguments[0] not in QUANTITIES or arguments[1] not in AXES:
        sys.exit(f"usage: plot_bench.py {'|'.join(QUANTITIES)} {'|'.join(AXES)} OUT.svg BENCH.json…")
    quantity, axis, out, *files = arguments
    Path(out).write_text(draw(read_points(map(Path, files), quantity, axis), quantity, axis))


if __name__ == "__main__":
    main(sys.argv[1:])
