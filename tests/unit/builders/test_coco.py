import json
from pathlib import Path

import pytest

from halluc.builders.coco import SceneAnnotation, object_names, read_annotations
from halluc.errors import RecordError, SourceNotFoundError

CATEGORIES = [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}]
IMAGES = [{"id": 7, "file_name": "7.jpg"}, {"id": 3, "file_name": "3.jpg"}]


def instance(image: int, category: int, **more: object) -> dict[str, object]:
    return {"image_id": image, "category_id": category, **more}


def coco(folder: Path, annotations: list[object], **more: object) -> Path:
    path = folder / "instances.json"
    path.write_text(
        json.dumps({"images": IMAGES, "categories": CATEGORIES, "annotations": annotations, **more})
    )
    return path


def test_instances_are_counted_per_picture_in_listed_order(tmp_path: Path):
    path = coco(
        tmp_path,
        [
            instance(7, 18, bbox=[1, 2, 3, 4], iscrowd=0),
            instance(7, 1, bbox=[5, 6, 7, 8]),
            instance(7, 18, bbox=[9, 9, 1, 1]),
        ],
    )
    first, second = read_annotations(path)
    assert (first.image, second.image) == ("7.jpg", "3.jpg")
    assert first.objects == ("dog", "person")
    assert first.counts == first.exact_counts() == {"dog": 2, "person": 1}
    assert first.boxes == {"dog": ((1, 2, 3, 4), (9, 9, 1, 1)), "person": ((5, 6, 7, 8),)}
    assert second.counts == {}


def test_a_crowd_is_present_but_not_counted(tmp_path: Path):
    scene = read_annotations(coco(tmp_path, [instance(7, 1, iscrowd=1), instance(7, 1), instance(7, 18)]))[0]
    assert scene.objects == ("person", "dog")
    assert scene.crowds == {"person"}
    assert scene.exact_counts() == {"dog": 1}


def test_every_dangling_row_is_listed(tmp_path: Path):
    path = coco(tmp_path, [instance(99, 1), instance(7, 99), "x", instance(7, 1)])
    with pytest.raises(RecordError, match="3 unusable rows") as caught:
        read_annotations(path)
    assert ["annotations[0]" in line or "annotations[1]" in line for line in caught.value.problems] == [
        True,
        True,
        False,
    ]
    assert "annotations[2]" in caught.value.problems[2]


def test_doubled_picture_id_is_listed(tmp_path: Path):
    with pytest.raises(RecordError, match="id 7 occurs twice"):
        read_annotations(coco(tmp_path, [], images=[*IMAGES, {"id": 7, "file_name": "8.jpg"}]))


def test_other_coco_files_are_refused(tmp_path: Path):
    path = tmp_path / "captions.json"
    path.write_text('{"annotations": [], "images": []}')
    with pytest.raises(RecordError, match="categories"):
        read_annotations(path)


def test_missing_file(tmp_path: Path):
    with pytest.raises(SourceNotFoundError, match=r"gone\.json"):
        read_annotations(tmp_path / "gone.json")


def test_json_lines_with_names_or_numbers(tmp_path: Path):
    path = tmp_path / "scenes.jsonl"
    path.write_text(
        '{"image": "a.png", "objects": ["dog", "cat", "dog"]}\r\n\n'
        '{"image": "b.png", "objects": {"cat": 3}}\n',
        encoding="utf-8-sig",
    )
    scenes = read_annotations(path)
    assert [scene.counts for scene in scenes] == [{"dog": 2, "cat": 1}, {"cat": 3}]
    assert object_names(scenes) == ["cat", "dog"]


def test_a_single_line_is_read_as_a_line(tmp_path: Path):
    path = tmp_path / "one.jsonl"
    path.write_text('{"image": "a.png", "objects": []}')
    assert read_annotations(path) == [SceneAnnotation(image="a.png", counts={})]


def test_every_unusable_line_is_listed(tmp_path: Path):
    path = tmp_path / "scenes.jsonl"
    rows = [
        '{"image": "a.png", "objects": ["dog"]}',
        '{"image": "a.png", "objects": ["dog"]}',
        '{"image": "", "objects": []}',
        '{"image": "b.png"}',
        '{"image": "c.png", "objects": {"dog": 0}}',
        '{"image": "d.png", "objects": {"dog": true}}',
        "{broken",
    ]
    path.write_text("\n".join(rows))
    with pytest.raises(RecordError) as caught:
        read_annotations(path)
    assert [line.split(":")[1] for line in caught.value.problems] == ["2", "3", "4", "5", "6", "7"]
