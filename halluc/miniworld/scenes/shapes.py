"""The outlines of MiniWorld's kinds, drawn with a pen whose unit is the shape's radius."""

import math
from collections.abc import Callable

from PIL import ImageDraw

Point = tuple[float, float]
Color = tuple[int, int, int, int]
HOLE: Color = (0, 0, 0, 0)


class Pen:
    """Draw polygons and ellipses in shape units: the shape spans [-1, 1] in x (right) and y (down).

    Args:
        canvas: Where to draw, RGBA.
        center: Centre of the shape in pixels.
        radius: Radius of the shape in pixels.
        color: Fill colour.
    """

    def __init__(self, canvas: ImageDraw.ImageDraw, center: Point, radius: float, color: Color) -> None:
        self.canvas, self.center, self.radius, self.color = canvas, center, radius, color

    def polygon(self, *points: Point) -> None:
        """Fill a polygon."""
        self.canvas.polygon([self._pixel(*point) for point in points], fill=self.color)

    def ellipse(self, left: float, top: float, right: float, bottom: float, *, hole: bool = False) -> None:
        """Fill an ellipse, or cut it out."""
        corners = [self._pixel(left, top), self._pixel(right, bottom)]
        self.canvas.ellipse(corners, fill=HOLE if hole else self.color)

    def box(self, left: float, top: float, right: float, bottom: float, *, hole: bool = False) -> None:
        """Fill a rectangle, or cut it out."""
        corners = [self._pixel(left, top), self._pixel(right, bottom)]
        self.canvas.rectangle(corners, fill=HOLE if hole else self.color)

    def cut_arc(
        self, bounds: tuple[float, float, float, float], start: float, end: float, width: float
    ) -> None:
        """Cut out an arc between two angles in degrees, clockwise from three o'clock."""
        corners = [self._pixel(*bounds[:2]), self._pixel(*bounds[2:])]
        self.canvas.arc(corners, start, end, fill=HOLE, width=max(2, int(width * self.radius)))

    def _pixel(self, x: float, y: float) -> Point:
        return self.center[0] + x * self.radius, self.center[1] + y * self.radius


def draw_shape(pen: Pen, kind: str, mood: str = "") -> None:
    """Draw one kind; a face also needs its mood.

    Raises:
        KeyError: If the kind has no shape.
    """
    _SHAPES[kind](pen)
    if mood == "happy":
        pen.cut_arc((-0.62, -0.5, 0.62, 0.65), 20, 160, 0.28)
    elif mood == "sad":
        pen.cut_arc((-0.62, 0.2, 0.62, 1.3), 200, 340, 0.28)


def _apple(pen: Pen) -> None:
    pen.ellipse(-0.9, -0.5, 0.9, 1)
    pen.box(-0.1, -1, 0.1, -0.4)


def _banana(pen: Pen) -> None:
    pen.ellipse(-1, -1, 1, 1)
    pen.ellipse(-0.75, -1.35, 1.25, 0.55, hole=True)


def _tree(pen: Pen) -> None:
    pen.polygon((0, -1), (0.85, 0.45), (-0.85, 0.45))
    pen.box(-0.18, 0.4, 0.18, 1)


def _house(pen: Pen) -> None:
    pen.box(-0.75, -0.1, 0.75, 1)
    pen.polygon((-1, 0), (0, -1), (1, 0))
    pen.box(-0.2, 0.4, 0.2, 1, hole=True)


def _sun(pen: Pen) -> None:
    pen.ellipse(-0.55, -0.55, 0.55, 0.55)
    for ray in range(8):
        angle = ray * math.pi / 4
        left, right = angle - 0.25, angle + 0.25
        pen.polygon(
            (0.65 * math.cos(left), 0.65 * math.sin(left)),
            (math.cos(angle), math.sin(angle)),
            (0.65 * math.cos(right), 0.65 * math.sin(right)),
        )


def _cloud(pen: Pen) -> None:
    pen.ellipse(-1, -0.1, 0, 0.6)
    pen.ellipse(-0.55, -0.6, 0.45, 0.55)
    pen.ellipse(0, -0.2, 1, 0.6)
    pen.box(-0.6, 0.2, 0.6, 0.6)


def _cup(pen: Pen) -> None:
    pen.box(-0.8, -0.7, 0.4, 0.8)
    pen.ellipse(0.1, -0.45, 1, 0.45)
    pen.ellipse(0.35, -0.2, 0.75, 0.2, hole=True)


def _bowl(pen: Pen) -> None:
    pen.ellipse(-1, -0.9, 1, 0.8)
    pen.box(-1.1, -1, 1.1, -0.1, hole=True)
    pen.box(-0.45, 0.6, 0.45, 0.95)


def _spoon(pen: Pen) -> None:
    pen.ellipse(-0.42, -1, 0.42, 0.05)
    pen.box(-0.12, 0, 0.12, 1)


def _fork(pen: Pen) -> None:
    pen.box(-0.12, 0, 0.12, 1)
    pen.box(-0.5, -0.2, 0.5, 0.1)
    for left in (-0.5, -0.11, 0.28):
        pen.box(left, -1, left + 0.22, 0)


def _boat(pen: Pen) -> None:
    pen.polygon((-1, 0.3), (1, 0.3), (0.6, 0.9), (-0.6, 0.9))
    pen.polygon((0, -1), (0.75, 0.15), (0, 0.15))
    pen.box(-0.1, -1, 0.02, 0.3)


def _anchor(pen: Pen) -> None:
    pen.ellipse(-0.9, -0.7, 0.9, 1)
    pen.ellipse(-0.62, -0.95, 0.62, 0.7, hole=True)
    pen.box(-1, -0.9, 1, 0.1, hole=True)
    pen.box(-0.13, -0.7, 0.13, 0.9)
    pen.box(-0.55, -0.45, 0.55, -0.22)
    pen.ellipse(-0.28, -1, 0.28, -0.5)


def _star(pen: Pen) -> None:
    radii = [1.0 if tip % 2 == 0 else 0.42 for tip in range(10)]
    turns = [tip * math.pi / 5 for tip in range(10)]
    pen.polygon(*((r * math.sin(a), -r * math.cos(a)) for r, a in zip(radii, turns, strict=True)))


def _moon(pen: Pen) -> None:
    pen.ellipse(-1, -1, 1, 1)
    pen.ellipse(-0.4, -1.05, 1.5, 0.85, hole=True)


def _key(pen: Pen) -> None:
    pen.ellipse(-1, -0.5, 0, 0.5)
    pen.ellipse(-0.7, -0.2, -0.3, 0.2, hole=True)
    pen.box(-0.05, -0.14, 1, 0.14)
    pen.box(0.4, 0.1, 0.56, 0.5)
    pen.box(0.75, 0.1, 0.91, 0.5)


def _lock(pen: Pen) -> None:
    pen.ellipse(-0.6, -1, 0.6, 0.4)
    pen.ellipse(-0.32, -0.72, 0.32, 0.2, hole=True)
    pen.box(-0.8, -0.15, 0.8, 0.95)
    pen.box(-0.12, 0.2, 0.12, 0.6, hole=True)


def _face(pen: Pen) -> None:
    pen.ellipse(-1, -1, 1, 1)
    pen.ellipse(-0.5, -0.5, -0.15, -0.1, hole=True)
    pen.ellipse(0.15, -0.5, 0.5, -0.1, hole=True)


def _hat(pen: Pen) -> None:
    pen.box(-0.5, -0.8, 0.5, 0.5)
    pen.box(-1, 0.4, 1, 0.75)


def _heart(pen: Pen) -> None:
    pen.ellipse(-0.95, -0.85, 0.08, 0.2)
    pen.ellipse(-0.08, -0.85, 0.95, 0.2)
    pen.polygon((-0.9, -0.05), (0.9, -0.05), (0, 1))


def _arrow(pen: Pen) -> None:
    pen.box(-1, -0.16, 0.3, 0.16)
    pen.polygon((0.1, -0.65), (1, 0), (0.1, 0.65))


def _cross(pen: Pen) -> None:
    pen.polygon((-0.9, -0.7), (-0.7, -0.9), (0.9, 0.7), (0.7, 0.9))
    pen.polygon((0.7, -0.9), (0.9, -0.7), (-0.7, 0.9), (-0.9, 0.7))


def _ring(pen: Pen) -> None:
    pen.ellipse(-0.9, -0.9, 0.9, 0.9)
    pen.ellipse(-0.65, -0.65, 0.65, 0.65, hole=True)


def _stripes(pen: Pen) -> None:
    for top in (-0.8, -0.15, 0.5):
        pen.box(-0.9, top, 0.9, top + 0.28)


SCRIBBLES: tuple[str, ...] = ("cross", "ring", "stripes")
"""Nameless shapes that clutter a picture; no question is ever asked about them."""

_SHAPES: dict[str, Callable[[Pen], None]] = {
    "apple": _apple,
    "banana": _banana,
    "tree": _tree,
    "house": _house,
    "sun": _sun,
    "cloud": _cloud,
    "cup": _cup,
    "bowl": _bowl,
    "spoon": _spoon,
    "fork": _fork,
    "boat": _boat,
    "anchor": _anchor,
    "star": _star,
    "moon": _moon,
    "key": _key,
    "lock": _lock,
    "face": _face,
    "hat": _hat,
    "heart": _heart,
    "arrow": _arrow,
    "cross": _cross,
    "ring": _ring,
    "stripes": _stripes,
}
