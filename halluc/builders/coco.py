"""Annotations of pictures, of any origin, in one neutral form: what is there, how often, and where."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halluc.errors import RecordError, SourceNotFoundError

Box = tuple[float, float, float, float]
"""Left, top, width and height in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneAnnotation:
    """Say which objects one picture shows; complete, so what is not listed is not there.

    Attributes:
        image: File name, relative to the image root.
        counts: Object name to how many there are, in the order listed by the source.
        crowds: Objects of which a group was annotated as one; they are there, their number is unknown.
        boxes: Object name to one box an instance; empty where the source has none.
    """

    image: str
    counts: Mapping[str, int]
    crowds: frozenset[str] = frozenset()
    boxes: Mapping[str, tuple[Box, ...]] = field(default_factory=dict)

    @property
    def objects(self) -> tuple[str, ...]:
        """Return the names of the objects, in the order listed by the source."""
        return tuple(self.counts)

    def exact_counts(self) -> dict[str, int]:
        """Return the numbers that are known exactly: those of no crowd."""
        return {name: number for name, number in self.counts.items() if name not in self.crowds}


def read_annotations(path: Path) -> list[SceneAnnotation]:
    """Read a COCO instances file, or JSON Lines of ``{image, objects}``.

    Args:
        path: An ``instances_*.json`` file of COCO's layout (one JSON object with ``images``,
            ``annotations`` and ``categories``), or JSON Lines where ``objects`` is a list of names
            (one name an instance) or an object of name to number.

    Returns:
        One annotation a picture, in the order of the file; pictures without any object included.

    Raises:
        SourceNotFoundError: If there is no such file.
        RecordError: If the file has neither layout, or rows are unusable; all of them are listed.
    """
    if not path.is_file():
        raise SourceNotFoundError(
            f"Annotations not found at {path}. Name a COCO instances file (instances_*.json) "
            "or JSON Lines of {image, objects}."
        )
    text = path.read_text(encoding="utf-8-sig")
    whole = _as_one_object(text)
    if whole is not None and "annotations" in whole:
        return _from_coco(whole, path)
    return _from_lines(text, path)


def object_names(annotations: Iterable[SceneAnnotation]) -> list[str]:
    """Return every object name that occurs, sorted."""
    return sorted({name for annotation in annotations for name in annotation.counts})


def _as_one_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _from_coco(content: Mapping[str, Any], path: Path) -> list[SceneAnnotation]:
    missing = [key for key in ("images", "categories") if not isinstance(content.get(key), list)]
    if missing:
        raise RecordError(f"{path} is no COCO instances file: it has no list named {' or '.join(missing)}.")
    problems: list[str] = []
    names = _table(content["categories"], "name", f"{path} categories", problems)
    files = _table(content["images"], "file_name", f"{path} images", problems)
    instances: dict[int, list[tuple[str, bool, Box | None]]] = {image: [] for image in files}
    for row, annotation in enumerate(content["annotations"]):
        where = f"{path} annotations[{row}]"
        if not isinstance(annotation, dict):
            problems.append(f"{where}: expected an object, found {annotation!r}")
        elif annotation.get("image_id") not in files:
            problems.append(f"{where}: image_id {annotation.get('image_id')!r} is not among the images")
        elif annotation.get("category_id") not in names:
            problems.append(
                f"{where}: category_id {annotation.get('category_id')!r} is not among the categories"
            )
        else:
            instance = (
                names[annotation["category_id"]],
                bool(annotation.get("iscrowd", 0)),
                _box(annotation),
            )
            instances[annotation["image_id"]].append(instance)
    if problems:
        raise RecordError(f"{path} has {len(problems)} unusable rows:", problems)
    return [_scene(files[image], found) for image, found in instances.items()]


def _table(rows: Iterable[Any], key: str, where: str, problems: list[str]) -> dict[int, str]:
    table: dict[int, str] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or not isinstance(row.get(key), str) or "id" not in row:
            problems.append(f"{where}[{number}]: expected an object with id and {key}, found {row!r}")
        elif row["id"] in table:
            problems.append(f"{where}[{number}]: id {row['id']} occurs twice")
        else:
            table[row["id"]] = row[key]
    return table


def _box(annotation: Mapping[str, Any]) -> Box | None:
    box = annotation.get("bbox")
    if not isinstance(box, list) or len(box) != 4:
        return None
    left, top, width, height = (float(number) for number in box)
    return left, top, width, height


def _scene(image: str, instances: list[tuple[str, bool, Box | None]]) -> SceneAnnotation:
    boxes: dict[str, list[Box]] = {}
    for name, _, box in instances:
        if box is not None:
            boxes.setdefault(name, []).append(box)
    return SceneAnnotation(
        image=image,
        counts=dict(Counter(name for name, _, _ in instances)),
        crowds=frozenset(name for name, crowd, _ in instances if crowd),
        boxes={name: tuple(found) for name, found in boxes.items()},
    )


def _from_lines(text: str, path: Path) -> list[SceneAnnotation]:
    scenes: dict[str, SceneAnnotation] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            scene = _from_line(line)
        except ValueError as error:
            problems.append(f"{path}:{number}: {error}")
            continue
        if scene.image in scenes:
            problems.append(f"{path}:{number}: image {scene.image} occurs twice")
        scenes[scene.image] = scene
    if problems:
        raise RecordError(
            f"{path} has {len(problems)} unusable rows (expected a COCO instances file, or JSON Lines of "
            '{"image": name, "objects": [names]}):',
            problems,
        )
    return list(scenes.values())


def _from_line(line: str) -> SceneAnnotation:
    row = json.loads(line)
    if not isinstance(row, dict) or not isinstance(row.get("image"), str) or not row["image"]:
        raise ValueError("expected an object with an image name")
    objects = row.get("objects")
    if isinstance(objects, list) and all(isinstance(name, str) and name for name in objects):
        return SceneAnnotation(image=row["image"], counts=dict(Counter(objects)))
    if isinstance(objects, dict) and all(type(number) is int and number > 0 for number in objects.values()):
        return SceneAnnotation(image=row["image"], counts=objects)
    raise ValueError(f"objects is {objects!r}; expected a list of names, or an object of name to number")
