"""Scenes for one purpose, painted to files under names of their own."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from halluc.errors import ConfigError
from halluc.miniworld.scenes.drawing import Painter
from halluc.miniworld.scenes.facts import Facts
from halluc.miniworld.scenes.inventory import FACE
from halluc.miniworld.scenes.scene import Scene, SceneStyle, Split, draw_scene

SPRITE_VARIANTS = 6
MAX_DRAWS = 50_000
JPEG_QUALITY = 97


class Gallery:
    """Paint scenes into a folder.

    Args:
        folder: Where to; made if needed.
        seed: Of the drawings, below 1,000,000: those belong to pretraining.

    Raises:
        ConfigError: If the seed is out of range.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        if not 0 <= seed < 1_000_000:
            raise ConfigError(f"the seed of drawings is {seed}. Choose one from 0 to 999999.")
        self._folder = folder
        self._painter = Painter(seed, SPRITE_VARIANTS)
        self._rng = np.random.default_rng(seed)

    def add(self, name: str, scene: Scene) -> None:
        """Paint a scene to a file; the name's suffix decides between PNG and JPEG."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        image = self._painter.image(scene, self._rng)
        if path.suffix == ".jpg":
            image.save(path, quality=JPEG_QUALITY, subsampling=0)
        else:
            image.save(path)


def draw_where(rng: random.Random, style: SceneStyle, split: Split, accept: Callable[[Scene], bool]) -> Scene:
    """Draw scenes until one is accepted.

    Raises:
        ConfigError: If none was accepted.
    """
    for _ in range(MAX_DRAWS):
        scene = draw_scene(rng, style, split)
        if accept(scene):
            return scene
    raise ConfigError(f"no scene of {style} was accepted in {MAX_DRAWS} draws. Allow more variety.")


def has_single_face(scene: Scene) -> bool:
    """Tell whether a scene shows one face, which has a mood to ask about."""
    return FACE in Facts(scene).single


def has_repeated_kind(scene: Scene) -> bool:
    """Tell whether a scene shows several of a kind, which can be counted."""
    facts = Facts(scene)
    return len(facts.single) < len(facts.kinds)
