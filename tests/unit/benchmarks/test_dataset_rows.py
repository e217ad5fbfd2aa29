import io
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from halluc.benchmarks.dataset_rows import read_dataset
from halluc.benchmarks.longhalqa import DATASETS, TASKS, LongHalQA
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.vstar import VStar
from halluc.errors import SourceNotFoundError


def picture(colour):
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, "PNG")
    return {"bytes": buffer.getvalue(), "path": None}


def pope_record(number, category, colour, answer="yes"):
    return {
        "id": str(number), "question_id": str(number), "question": "Is there a cup in the imange?",
        "answer": answer, "image_source": f"COCO_{colour}", "image": picture(colour), "category": category,
    }  # fmt: skip


POPE = [
    pope_record(1, "random", "red"),
    pope_record(2, "random", "red", "no"),
    pope_record(1, "adversarial", "blue"),
]


def parquet(folder, records, name="test-00000-of-00001.parquet"):
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(records), folder / name)
    return folder


def test_pope_from_parquet(tmp_path):
    parquet(tmp_path / "hub" / "data", POPE)
    benchmark = Pope(tmp_path, dataset=str(tmp_path / "hub"), prompt_profile="official")
    first, second, third = benchmark.questions()
    assert [q.id for q in (first, second, third)] == ["random/1", "random/2", "adversarial/1"]
    assert [q.gold for q in (first, second, third)] == ["yes", "no", "yes"]
    assert first.prompt == "Is there a cup in the imange?"
    assert first.images == second.images != third.images
    with Image.open(third.images[0]) as blue:
        assert blue.getpixel((0, 0)) == (0, 0, 255)
    assert len(list((tmp_path / "images").iterdir())) == 2
    assert benchmark.question_files() == ()


def test_subsets_that_are_not_asked_are_left_out(tmp_path):
    parquet(tmp_path / "hub", POPE)
    questions = Pope(tmp_path, ["adversarial"], dataset=str(tmp_path / "hub")).questions()
    assert [q.id for q in questions] == ["adversarial/1"]


def test_only_the_split_is_read(tmp_path):
    parquet(tmp_path, POPE[:1], "test-0.parquet")
    parquet(tmp_path, POPE, "train-0.parquet")
    rows = read_dataset(str(tmp_path), split="test", image_folder=tmp_path / "images", option="x")
    assert len(rows) == 1


def test_a_saved_dataset(tmp_path):
    features = datasets.Features(
        {key: datasets.Image() if key == "image" else datasets.Value("string") for key in POPE[0]}
    )
    saved = datasets.Dataset.from_list(POPE, features=features)
    saved.save_to_disk(tmp_path / "saved")
    datasets.DatasetDict({"test": saved}).save_to_disk(tmp_path / "splits")
    for name in ("saved", "splits"):
        rows = read_dataset(
            str(tmp_path / name),
            split="test",
            image_folder=tmp_path / "images",
            option="benchmark.pope.dataset",
        )
        assert [row.record["question_id"] for row in rows] == ["1", "2", "1"]
        assert (tmp_path / "images" / rows[0].record["image"]).read_bytes() == POPE[0]["image"]["bytes"]


def test_vstar(tmp_path):
    text = "What colour?\n(A) red\n(B) blue\nAnswer with the option's letter from the given choices directly."
    record = {
        "image": picture("red"),
        "text": text,
        "label": "A",
        "category": "relative_position",
        "question_id": "7",
    }
    (question,) = VStar(tmp_path, dataset=str(parquet(tmp_path / "hub", [record]))).questions()
    assert (question.id, question.gold, question.space.options) == (
        "relative_position/7",
        "A",
        ("red", "blue"),
    )
    assert Path(question.images[0]).parent == tmp_path


def test_longhalqa_in_one_folder_a_task(tmp_path):
    choices = {f"choice_{letter}": f"text {letter}" for letter in "abcd"}
    record = {"question_id": 3, "image": picture("red"), "question": "Which?", "answer": "C", **choices}
    parquet(tmp_path / "hub" / "lhqa_complete_description", [record])
    benchmark = LongHalQA(tmp_path, ["lhqa_complete_description"], dataset=str(tmp_path / "hub"))
    (question,) = benchmark.questions()
    assert (question.id, question.gold) == ("lhqa_complete_description/3", "C")


def test_every_task_of_longhalqa_has_a_published_dataset():
    assert set(DATASETS) == set(TASKS)


def test_what_is_not_there(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in (str(tmp_path / "empty"), "nobody/nothing-of-this-name"):
        with pytest.raises(SourceNotFoundError, match=r"benchmark\.pope\.dataset=.*split 'test'"):
            Pope(tmp_path, dataset=name).questions()
