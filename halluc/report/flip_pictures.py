"""Pictures of questions whose answer was cured, to be looked at."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from halluc.data.images import load_image
from halluc.report.flips import Flip

HEIGHT = 336  # pixels of a picture on the sheet
LINE = 22  # pixels of a line of text


def flip_pictures(found: Sequence[Flip], folder: Path, count: int = 3) -> list[Path]:
    """Draw cured questions with their pictures and answers, each into a PNG file.

    Args:
        found: All flips; cured ones with pictures on disk are taken, different benchmarks first.
        folder: Where to write; made if missing.
        count: Most files to write.

    Returns:
        The files written.
    """
    cured = [flip for flip in found if flip.change == "cured" and flip.images]
    by_benchmark: dict[str, list[Flip]] = {}
    for flip in cured:
        by_benchmark.setdefault(flip.benchmark, []).append(flip)
    chosen = [flips[place] for place in range(count) for flips in by_benchmark.values() if place < len(flips)]
    paths: list[Path] = []
    for flip in chosen[:count]:
        folder.mkdir(parents=True, exist_ok=True)
        paths.append(folder / f"{flip.benchmark}_{len(paths) + 1}.png")
        draw_flip(flip).save(paths[-1])
    return paths


def draw_flip(flip: Flip) -> Image.Image:
    """Draw a question: its pictures side by side, what was asked, and the answers before and after."""
    pictures = [load_image(source, None) for source in flip.images]
    scaled = [p.resize((p.width * HEIGHT // p.height, HEIGHT), Image.Resampling.NEAREST) for p in pictures]
    width = max(sum(picture.width + 8 for picture in scaled), 480)
    lines = textwrap.wrap(" ".join(flip.prompt.split()), width // 9)
    lines += [f"before: {flip.before}    after: {flip.after}    right: {flip.gold}"]
    sheet = Image.new("RGB", (width, HEIGHT + 12 + LINE * len(lines)), "white")
    left = 0
    for picture in scaled:
        sheet.paste(picture, (left, 0))
        left += picture.width + 8
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=16)
    for number, line in enumerate(lines):
        draw.text((6, HEIGHT + 6 + number * LINE), line, fill="black", font=font)
    return sheet
