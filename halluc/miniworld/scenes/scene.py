"""Scenes: which things stand where, drawn under a style, with combinations held out from training."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from halluc.errors import ConfigError
from halluc.miniworld.scenes.inventory import (
    CANONICAL_COLORS,
    CANONICAL_MOOD,
    CELLS,
    COLOR_NAMES,
    FACE,
    KINDS,
    MATES,
    MOODS,
    POPULARITY,
    SINGLE_KINDS,
    SIZES,
    SKY_KINDS,
)

CELL_COUNT = len(CELLS)
MAX_TRIES = 2000
Split = Literal["train", "evaluation"]


@dataclass(frozen=True, slots=True)
class Thing:
    """Hold one drawn object; ``mood`` is empty unless it is a face."""

    kind: str
    color: str
    size: str
    mood: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """Hold a picture's content.

    Attributes:
        things: One entry a cell in reading order, None where nothing stands; length 9.
        clutter: Cells that hold a nameless scribble; disjoint from the things' cells.
    """

    things: tuple[Thing | None, ...]
    clutter: tuple[int, ...] = ()

    def placed(self) -> list[tuple[int, Thing]]:
        """List cells and things in reading order."""
        return [(cell, thing) for cell, thing in enumerate(self.things) if thing is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneStyle:
    """Hold the frequencies that scenes are drawn with; all probabilities in [0, 1].

    Attributes:
        kinds: Kinds that may occur.
        smallest: Fewest things before duplicates.
        largest: Most things before duplicates.
        mate: Probability that the mate of a drawn kind is drawn too.
        canonical: Probability that a thing has the canonical colour, place and mood of its kind.
        duplicate: Probability that one kind occurs several times.
        clutter: Probability that one or two nameless scribbles are added.
        flat: Ignore the kinds' popularity.
    """

    kinds: tuple[str, ...] = KINDS
    smallest: int = 3
    largest: int = 5
    mate: float = 0.5
    canonical: float = 0.75
    duplicate: float = 0.5
    clutter: float = 0.0
    flat: bool = False


def is_held_out(kind: str, color: str, cell: int) -> bool:
    """Tell whether a kind-colour-position combination never occurs in training; a tenth of them."""
    return (7 * KINDS.index(kind) + 3 * COLOR_NAMES.index(color) + cell) % 10 == 0


def has_held_out(scene: Scene) -> bool:
    """Tell whether a scene holds at least one held-out combination."""
    return any(is_held_out(thing.kind, thing.color, cell) for cell, thing in scene.placed())


def draw_scene(rng: random.Random, style: SceneStyle, split: Split) -> Scene:
    """Draw a scene of one split: training scenes hold no held-out combination, evaluation scenes do.

    So no evaluation scene can occur in training, whatever the seeds.

    Raises:
        ConfigError: If the style allows no scene of that split.
    """
    for _ in range(MAX_TRIES):
        scene = _any_scene(rng, style)
        if has_held_out(scene) == (split == "evaluation"):
            return scene
    raise ConfigError(f"no {split} scene in {MAX_TRIES} draws of {style}. Allow more kinds or more things.")


def draw_sibling(rng: random.Random, scene: Scene, style: SceneStyle, split: Split) -> Scene:
    """Draw a second picture of a sequence: things are kept, recoloured, moved, dropped and added.

    Raises:
        ConfigError: If no such scene of that split was found.
    """
    for _ in range(MAX_TRIES):
        sibling = _any_sibling(rng, scene, style)
        if sibling.placed() and has_held_out(sibling) == (split == "evaluation"):
            return sibling
    raise ConfigError(f"no {split} sibling in {MAX_TRIES} draws of {style}. Allow more kinds or more things.")


def _any_scene(rng: random.Random, style: SceneStyle) -> Scene:
    kinds = _draw_kinds(rng, style)
    if rng.random() < style.duplicate:
        repeated = rng.choice(kinds)
        few = repeated in SINGLE_KINDS and rng.random() < style.canonical
        kinds += [repeated] * (0 if few else rng.randint(1, 3))
    return _place(rng, style, [_draw_thing(rng, kind, style.canonical) for kind in kinds[:CELL_COUNT]])


def _draw_kinds(rng: random.Random, style: SceneStyle) -> list[str]:
    count = min(rng.randint(style.smallest, style.largest), len(style.kinds))
    kinds: list[str] = []
    while len(kinds) < count:
        pool = [kind for kind in style.kinds if kind not in kinds]
        kind = rng.choice(pool) if style.flat else rng.choices(pool, [POPULARITY[k] for k in pool])[0]
        kinds.append(kind)
        mate = MATES[kind]
        if mate in style.kinds and mate not in kinds and rng.random() < style.mate:
            kinds.append(mate)
    return kinds


def _draw_thing(rng: random.Random, kind: str, canonical: float) -> Thing:
    color = rng.choice(COLOR_NAMES)
    if kind in CANONICAL_COLORS and rng.random() < canonical:
        color = CANONICAL_COLORS[kind]
    return Thing(kind, color, rng.choice(SIZES), _draw_mood(rng, color, canonical) if kind == FACE else "")


def _draw_mood(rng: random.Random, color: str, canonical: float) -> str:
    if color in CANONICAL_MOOD and rng.random() < canonical:
        return CANONICAL_MOOD[color]
    return rng.choice(MOODS)


def _place(rng: random.Random, style: SceneStyle, things: Sequence[Thing]) -> Scene:
    free = list(range(CELL_COUNT))
    rng.shuffle(free)
    cells: list[Thing | None] = [None] * CELL_COUNT
    for thing in things:
        top = [cell for cell in free if cell < len(CELLS) // 3]
        wants_top = thing.kind in SKY_KINDS and top and rng.random() < style.canonical
        cell = top[0] if wants_top else free[0]
        free.remove(cell)
        cells[cell] = thing
    scribbles = rng.randint(1, 2) if rng.random() < style.clutter else 0
    return Scene(tuple(cells), tuple(sorted(free[:scribbles])))


def _any_sibling(rng: random.Random, scene: Scene, style: SceneStyle) -> Scene:
    things = [_vary(rng, thing) for _, thing in scene.placed() if rng.random() < 0.8]
    known = {thing.kind for _, thing in scene.placed()}
    fresh = [kind for kind in style.kinds if kind not in known]
    added = rng.sample(fresh, min(len(fresh), rng.randint(0, 2)))
    things += [_draw_thing(rng, kind, style.canonical) for kind in added]
    return _place(rng, style, things[:CELL_COUNT])


def _vary(rng: random.Random, thing: Thing) -> Thing:
    other_color = rng.choice([name for name in COLOR_NAMES if name != thing.color])
    color = thing.color if rng.random() < 0.5 else other_color
    size = thing.size if rng.random() < 0.7 else rng.choice(SIZES)
    return replace(thing, color=color, size=size)
