"""Fifteen photographs in the layouts that users have. Read from $HALLUC_PHOTOS."""

import json
import os
from pathlib import Path

import pytest

from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.vlm2 import Vlm2
from halluc.builders.coco import read_annotations
from halluc.builders.coco_polling import CocoPolling
from halluc.builders.gated import build_gated
from halluc.builders.heldout import build_heldout
from halluc.data.decontamination import decontaminate
from halluc.data.images import image_size, load_image
from halluc.data.row_files import write_lines


@pytest.fixture(scope="module")
def photos() -> Path:
    folder = Path(os.environ.get("HALLUC_PHOTOS", ""))
    if os.environ.get("HALLUC_PHOTOS") and folder.is_dir():
        return folder
    if os.environ.get("HALLUC_REQUIRE_CONFORMANCE") == "1":
        pytest.fail(f"HALLUC_PHOTOS is no folder: {folder}")
    pytest.skip("HALLUC_PHOTOS is not set to the folder of photographs")


def test_every_photograph_loads_in_its_annotated_size(photos: Path):
    content = json.loads((photos / "instances.json").read_text())
    assert len(content["images"]) == 15
    for image in content["images"]:
        path = str(photos / "images" / image["file_name"])
        assert image_size(path) == (image["width"], image["height"])
        assert load_image(path, 50_000).mode == "RGB"


@pytest.mark.parametrize("seed", range(5))
def test_training_data_from_the_instances_file_alone(photos: Path, tmp_path: Path, seed):
    source = CocoPolling(photos / "instances.json", heldout_dir=tmp_path, seed=seed)
    source.prepare()
    samples = source.samples()
    assert {"Yes", "No"} < {sample.answer for sample in samples}
    assert len(source.preferences()) == len(samples)
    for benchmark in (
        Pope(tmp_path / "pope", image_root=source.image_root),
        Phd(tmp_path / "phd", ("base", "sec", "icc"), image_root=source.image_root),
        Vlm2(tmp_path / "vlm2", image_root=source.image_root),
    ):
        questions = benchmark.questions()
        assert {"yes", "no"} <= {question.gold for question in questions}
        asked = [image for question in questions for image in question.images]
        kept, report = decontaminate(samples, asked)
        assert (len(kept), report.left_out) == (len(samples), 0)


def test_held_out_pictures_under_other_names_are_found(photos: Path, tmp_path: Path):
    annotations = read_annotations(photos / "instances.json")
    heldout = build_heldout(annotations, tmp_path / "out", images=4)
    samples = CocoPolling(photos / "instances.json", heldout_images=0).samples()
    evaluation = []
    for number, name in enumerate(heldout.images):
        with_another_name = tmp_path / f"holiday {number}.png"
        load_image(str(photos / "images" / name)).save(with_another_name)
        evaluation.append(str(with_another_name))
    kept, report = decontaminate(samples, evaluation)
    assert report.counts() == {"content": 4}
    assert {sample.question.group for sample in kept} == {s.question.group for s in samples} - set(
        heldout.images
    )


def test_sequences_build_and_are_asked(photos: Path, tmp_path: Path):
    rows = [json.loads(line) for line in (photos / "sequences.jsonl").read_text().splitlines()]
    records = build_gated((row["sequence_id"], row) for row in rows)
    write_lines(tmp_path / "gated.jsonl", records)
    questions = Vlm2(tmp_path, image_root=photos / "images").questions()
    assert len(questions) == sum(1 + 2 * len(row["attributes"]) for row in rows) == 4 + 2 * 13
    coarse = {question.id: question.gold for question in questions if question.id.endswith("/coarse")}
    assert coarse == {"s1/coarse": "T", "s2/coarse": "F", "s3/coarse": "2", "s4/coarse": "4"}
    asked = {question["question"]: question["gold"] for record in records for question in record["fine"]}
    expected = {
        "Is the motorcycle in picture 1 red?": "yes",
        "Is there exactly 1 person in picture 2?": "yes",
        "Are there exactly 4 horses in picture 1?": "yes",
        "Is there exactly 1 horse in picture 1?": "no",
        "Is the zebra in picture 1 striped?": "yes",
        "Are the feet in picture 2 yellow?": "yes",
        "Are the feet in picture 2 green?": "no",
        "Are the eyes in picture 3 green?": "yes",
    }
    assert expected.items() <= asked.items()
