"""Pictures of scenes: jittered sprites pasted on a lit background, 84 x 84 pixels."""

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from halluc.miniworld.scenes.inventory import COLOR_NAMES, COLORS, FACE, KINDS, MOODS, SIZES
from halluc.miniworld.scenes.scene import Scene, Thing
from halluc.miniworld.scenes.shapes import SCRIBBLES, Pen, draw_shape

CELL_PX = 28
"""Side of a cell; one cell is one merged token of Qwen2-VL (patch 14, merge 2)."""
GRID = 3
IMAGE_PX = GRID * CELL_PX
OVERSAMPLING = 4
RADII_PX = {"small": (6.5, 8.0), "large": (10.5, 12.5)}

FloatArray = NDArray[np.float32]
_Look = tuple[str, str, str, str]
_FACES = list(product([FACE], COLOR_NAMES, SIZES, MOODS))
_OTHERS = list(product([k for k in KINDS if k != FACE], COLOR_NAMES, SIZES, [""]))
_CLUTTER = list(product(SCRIBBLES, COLOR_NAMES, ["small"], [""]))
LOOKS: tuple[_Look, ...] = (*_OTHERS, *_FACES, *_CLUTTER)
"""Every (shape, colour, size, mood) that can be drawn."""


class Painter:
    """Paint scenes with a sheet of pre-drawn sprites, several variants of every look.

    Sprites differ in place, size, tilt and shade. Different seeds give different drawings, so a
    painter with a new seed shows whether a model has learnt kinds or has memorised sprites.

    Args:
        seed: Of the sprites and the noise.
        variants: Sprites per look.
    """

    def __init__(self, seed: int, variants: int = 8) -> None:
        pencil = random.Random(f"sprites-{seed}")
        self._paint = np.zeros((len(LOOKS), variants, CELL_PX, CELL_PX, 3), np.float32)
        self._keep = np.ones((len(LOOKS), variants, CELL_PX, CELL_PX, 1), np.float32)
        self._number = {look: number for number, look in enumerate(LOOKS)}
        for look, variant in product(range(len(LOOKS)), range(variants)):
            rgba = _sprite(*LOOKS[look], pencil)
            alpha = rgba[..., 3:] / 255
            self._paint[look, variant] = rgba[..., :3] * alpha
            self._keep[look, variant] = 1 - alpha
        noise = np.random.default_rng(seed).normal(0, 3, (64, CELL_PX, CELL_PX, 1))
        self._noise = noise.astype(np.float32)

    def cells(self, scenes: Sequence[Scene], rng: np.random.Generator) -> FloatArray:
        """Paint scenes cell by cell.

        Returns:
            Shape ``[S, 9, 28, 28, 3]``, 0 to 255, cells in reading order.
        """
        out = np.empty((len(scenes), GRID * GRID, CELL_PX, CELL_PX, 3), np.float32)
        for number, scene in enumerate(scenes):
            canvas = out[number]
            tint = rng.uniform(-10, 10, 3).astype(np.float32)
            np.add(_background(), tint, out=canvas)
            for cell, look in self._looks(scene, rng):
                variant = int(rng.integers(self._paint.shape[1]))
                canvas[cell] *= self._keep[look, variant]
                canvas[cell] += self._paint[look, variant]
            canvas += self._noise[rng.integers(0, len(self._noise), len(canvas))]
        return np.clip(out, 0, 255, out=out)

    def image(self, scene: Scene, rng: np.random.Generator) -> Image.Image:
        """Paint one scene as an RGB picture of 84 x 84 pixels."""
        cells = self.cells([scene], rng)[0].reshape(GRID, GRID, CELL_PX, CELL_PX, 3)
        pixels = cells.transpose(0, 2, 1, 3, 4).reshape(IMAGE_PX, IMAGE_PX, 3)
        return Image.fromarray(pixels.round().astype(np.uint8))

    def _looks(self, scene: Scene, rng: np.random.Generator) -> list[tuple[int, int]]:
        looks = [(cell, self._number[_look(thing)]) for cell, thing in scene.placed()]
        first = len(LOOKS) - len(_CLUTTER)
        return looks + [(cell, int(rng.integers(first, len(LOOKS)))) for cell in scene.clutter]


def _look(thing: Thing) -> _Look:
    return thing.kind, thing.color, thing.size, thing.mood


def _sprite(shape: str, color: str, size: str, mood: str, rng: random.Random) -> FloatArray:
    side = CELL_PX * OVERSAMPLING
    radius = OVERSAMPLING * rng.uniform(*RADII_PX[size])
    reach = 0.8 * (side / 2 - radius)
    center = (side / 2 + rng.uniform(-reach, reach), side / 2 + rng.uniform(-reach, reach))
    red, green, blue = (int(min(255, max(0, v + rng.uniform(-14, 14)))) for v in COLORS[color])
    canvas = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    draw_shape(Pen(ImageDraw.Draw(canvas), center, radius, (red, green, blue, 255)), shape, mood)
    small = canvas.rotate(rng.uniform(-8, 8)).resize((CELL_PX, CELL_PX), Image.Resampling.BOX)
    return np.asarray(small, np.float32)


@lru_cache(maxsize=1)
def _background() -> FloatArray:
    """Return the light that falls from the upper left, shape ``[9, 28, 28, 3]``.

    It tells the cells apart, since the vision tower of Qwen2-VL has no absolute positions.
    """
    down, right = np.mgrid[0:IMAGE_PX, 0:IMAGE_PX].astype(np.float32) / (IMAGE_PX - 1) - 0.5
    light = np.array([165, 178, 190], np.float32)
    light = light + down[..., None] * np.array([-20, -5, -75], np.float32)
    light = light + right[..., None] * np.array([-55, -45, -15], np.float32)
    cells = light.reshape(GRID, CELL_PX, GRID, CELL_PX, 3).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(cells.reshape(GRID * GRID, CELL_PX, CELL_PX, 3))
