"""Scenes as the neutral annotations that the builders read."""

from halluc.builders.coco import SceneAnnotation
from halluc.miniworld.scenes.drawing import CELL_PX, GRID
from halluc.miniworld.scenes.facts import Facts
from halluc.miniworld.scenes.scene import Scene


def annotate(image: str, scene: Scene) -> SceneAnnotation:
    """Say which kinds a scene shows, how many, and in which cells.

    Args:
        image: Name of the picture.
        scene: Its content; scribbles are no objects.

    Returns:
        Kinds in reading order of their first thing; boxes are whole cells in pixels.
    """
    facts = Facts(scene)
    return SceneAnnotation(
        image=image,
        counts={kind: facts.count(kind) for kind in facts.kinds},
        boxes={kind: tuple(_box(cell) for cell, _ in things) for kind, things in facts.by_kind.items()},
    )


def _box(cell: int) -> tuple[float, float, float, float]:
    row, column = divmod(cell, GRID)
    return float(column * CELL_PX), float(row * CELL_PX), float(CELL_PX), float(CELL_PX)
