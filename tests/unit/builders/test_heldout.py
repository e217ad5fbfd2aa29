import json
import logging
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halluc.builders.coco import SceneAnnotation
from halluc.builders.heldout import build_heldout, pick_heldout
from halluc.errors import ConfigError, RecordError

NAMES = ["cat", "dog", "bus", "cup", "kite"]


def scenes_of(*lists: dict[str, int]) -> list[SceneAnnotation]:
    return [SceneAnnotation(image=f"{number:012}.jpg", counts=counts) for number, counts in enumerate(lists)]


def some_scenes(count: int) -> list[SceneAnnotation]:
    return scenes_of(*({NAMES[n % 5]: n % 4 + 1, NAMES[(n * n + 1) % 5]: 1} for n in range(count)))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@settings(deadline=None, max_examples=50)
@given(st.integers(5, 40), st.integers(2, 30), st.integers(0, 3))
def test_pictures_are_drawn_within_the_limit_and_in_any_order(count, images, seed):
    scenes = some_scenes(count)
    drawn = pick_heldout(scenes, images, seed)
    assert len(drawn) == len({scene.image for scene in drawn}) == min(images, int(0.4 * count))
    assert drawn == pick_heldout(scenes[::-1], images, seed)


def test_two_that_share_an_object_are_always_among_them():
    scenes = scenes_of({"cat": 1}, {"dog": 2}, {"bus": 1}, {"cup": 1}, {"kite": 1}, {"dog": 1})
    for seed in range(20):
        assert {scene.image for scene in pick_heldout(scenes, 2, seed)} == {scenes[1].image, scenes[5].image}


def test_a_reduced_number_is_told(caplog):
    with caplog.at_level(logging.INFO):
        pick_heldout(some_scenes(10), 500, 0)
    assert "4 pictures are held out instead of 500: 40 % of the usable 10" in caplog.text


def test_what_can_not_be_held_out():
    assert pick_heldout(some_scenes(4), 0, 0) == []
    with pytest.raises(RecordError, match="4 pictures have objects, too few"):
        pick_heldout([*some_scenes(4), *scenes_of({}, {}, {})], 500, 0)
    with pytest.raises(RecordError, match="no two pictures share an object"):
        pick_heldout(scenes_of({"cat": 1}, {"dog": 1}, {"bus": 1}, {"cup": 1}, {"kite": 1}), 2, 0)
    with pytest.raises(ConfigError, match="heldout_images is -1"):
        pick_heldout([], -1, 0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [5, 12, 60])
def test_each_file_has_both_answers_in_its_published_layout(tmp_path: Path, count, seed):
    heldout = build_heldout(some_scenes(count), tmp_path, images=500, seed=seed)
    names = set(heldout.images)
    for strategy in ("random", "popular", "adversarial"):
        rows = lines(tmp_path / f"pope/coco_pope_{strategy}.json")
        assert [row["question_id"] for row in rows] == list(range(1, len(rows) + 1))
        assert {row["label"] for row in rows} == {"yes", "no"}
        assert {row["image"] for row in rows} <= names
        assert heldout.counts[f"pope/coco_pope_{strategy}.json"] == len(rows)
    records = json.loads((tmp_path / "phd/data.json").read_text())
    assert {record["task"] for record in records} >= {"object", "counting"}
    assert {record["image"] for record in records} <= names
    assert heldout.counts["phd/data.json"] == 6 * len(records)
    sequences = lines(tmp_path / "vlm2/gated.jsonl")
    assert sequences
    for sequence in sequences:
        assert set(sequence["images"]) <= names
        assert {question["gold"] for question in sequence["fine"]} == {"yes", "no"}
    used = [image for sequence in sequences for image in sequence["images"]]
    assert len(used) == len(set(used))


def test_coarse_question_by_hand(tmp_path: Path):
    scenes = scenes_of({"dog": 2}, {"person": 1}, {"cup": 1}, {"bus": 1}, {"dog": 3})
    build_heldout(scenes, tmp_path, images=2)
    (sequence,) = lines(tmp_path / "vlm2/gated.jsonl")
    assert sequence["coarse"] == {
        "type": "count",
        "question": "How many dogs are in the two pictures together? Answer with one number.",
        "gold": 5,
        "largest": 20,
    }
    first, second = (2, 3) if sequence["images"][0] == scenes[0].image else (3, 2)
    assert [(question["question"], question["gold"]) for question in sequence["fine"]] == [
        (f"Are there exactly {first} dogs in picture 1?", "yes"),
        (f"Are there exactly {second} dogs in picture 1?", "no"),
        (f"Are there exactly {second} dogs in picture 2?", "yes"),
        (f"Are there exactly {first} dogs in picture 2?", "no"),
    ]


def test_a_second_run_writes_the_same_bytes_in_any_order(tmp_path: Path, caplog):
    scenes = some_scenes(30)
    with caplog.at_level(logging.INFO):
        build_heldout(scenes, tmp_path / "a", images=8, seed=1)
    before = bytes_of(tmp_path / "a")
    build_heldout(scenes, tmp_path / "a", images=8, seed=1)
    build_heldout(scenes[::-1], tmp_path / "b", images=8, seed=1)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b") == before
    build_heldout(scenes, tmp_path / "a", images=8, seed=2)
    assert bytes_of(tmp_path / "a") != before
    assert "held out 8 pictures" in caplog.text
    assert "vlm2/gated.jsonl" in caplog.text


def test_someone_elses_files_are_not_overwritten(tmp_path: Path):
    (tmp_path / "pope").mkdir()
    (tmp_path / "pope/coco_pope_random.json").write_text("published")
    with pytest.raises(ConfigError, match=r"coco_pope_random\.json but no heldout\.json"):
        build_heldout(some_scenes(10), tmp_path)
    assert bytes_of(tmp_path) == {"pope/coco_pope_random.json": b"published"}


def test_nothing_to_write(tmp_path: Path):
    with pytest.raises(ConfigError, match="nothing to write"):
        build_heldout(some_scenes(10), tmp_path, images=0)
    with pytest.raises(RecordError, match=r"no question for .*coco_pope"):
        build_heldout(scenes_of(*[{"skis": 1, "dog": 1}] * 5), tmp_path, images=2)
