import io
import json
import sys
import tomllib
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from halluc.benchmarks.files.dataset_rows import read_dataset
from halluc.benchmarks.longhalqa import DATASETS, TASKS, LongHalQA
from halluc.benchmarks.phd import FOLLOW_IMAGE, Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.vstar import VStar
from halluc.errors import ConfigError, RecordError, SourceNotFoundError


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


def with_all_columns(records):
    """Fill up records as a table does: with null where one lacks a key of another."""
    empty = dict.fromkeys(key for record in records for key in record)
    return [empty | record for record in records]


def parquet(folder, records, name="test-00000-of-00001.parquet"):
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(with_all_columns(records)), folder / name)
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


PHD = [
    {
        "image_id": "000000000007", "task": "object", "yes_question": "Is there a cat?",
        "no_question": "Is there a dog?", "hitem": "dog", "gt": "cat", "subject": "cat",
        "context": {"sec": "Quiet.", "icc": "A dog barks."},
    },
    {
        "image_id": "3", "task": "attribute", "yes_question": "Is it square?", "no_question": "Is it round?",
        "ccs_description": "Square wheels.",
    },
]  # fmt: skip


def phd_pictures(folder):
    for name in ("val2014/COCO_val2014_000000000007.jpg", "CCS_images/3.png"):
        path = folder / "images" / name
        path.parent.mkdir(parents=True)
        path.touch()
    return folder


def test_phd_without_pictures_is_what_its_file_is(tmp_path):
    """A table has a null where a record of the file lacks the key."""
    phd_pictures(tmp_path)
    (tmp_path / "data.json").write_text(json.dumps(PHD))
    dataset = str(parquet(tmp_path / "hub", PHD))
    assert pq.read_table(tmp_path / "hub").to_pylist()[1]["context"] is None
    benchmark = Phd(tmp_path, dataset=dataset)
    assert benchmark.questions() == Phd(tmp_path).questions()
    assert len(benchmark.questions()) == 8
    assert benchmark.published()["sec/0/no"].prompt.startswith("Quiet." + FOLLOW_IMAGE + "Is there a dog?")
    assert benchmark.question_files() == ()


def test_phd_from_a_saved_dataset_with_both_names_of_the_specious_context(tmp_path):
    older = {**PHD[0], "image_id": "8", "context": {"iac": "Calm.", "icc": "Loud."}}
    saved = datasets.Dataset.from_list(with_all_columns([PHD[0], older, PHD[1]]))
    datasets.DatasetDict({"test": saved}).save_to_disk(tmp_path / "saved")
    questions = Phd(tmp_path, dataset=str(tmp_path / "saved")).published()
    assert questions["sec/0/yes"].prompt.startswith("Quiet.")
    assert questions["sec/1/yes"].prompt.startswith("Calm.")
    assert questions["ccs/2/yes"].images == (str(tmp_path / "images/CCS_images/3.png"),)


def test_phd_with_pictures_inside(tmp_path):
    records = [
        {**record, "image": picture(colour)} for record, colour in zip(PHD, ("red", "blue"), strict=True)
    ]
    questions = Phd(tmp_path, dataset=str(parquet(tmp_path / "hub", records))).questions()
    assert len(questions) == 8
    red, blue = ({q.images for q in questions if ("ccs" in q.id) is ccs} for ccs in (False, True))
    assert len(red) == len(blue) == 1
    assert red != blue
    with Image.open(questions[-1].images[0]) as wheels:
        assert wheels.getpixel((0, 0)) == (0, 0, 255)


def test_phd_lists_records_without_a_context(tmp_path):
    phd_pictures(tmp_path)
    broken = [{**PHD[0], "context": None}, PHD[0], PHD[1]]
    dataset = str(parquet(tmp_path / "hub", broken))
    with pytest.raises(RecordError) as caught:
        Phd(tmp_path, dataset=dataset).questions()
    (problem,) = caught.value.problems
    assert "hub:test, record 1 (id 000000000007): context has no sec or iac" in problem
    assert len(Phd(tmp_path, dataset=dataset, bad_rows="skip").questions()) == 8


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
    with pytest.raises(SourceNotFoundError, match=r"benchmark\.phd\.dataset=.*split 'test'"):
        Phd(tmp_path, dataset=str(tmp_path / "empty")).questions()


def test_without_the_library_the_extra_is_named_as_the_data_readme_does(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ConfigError, match=r"needs the package datasets: (.*)\.$") as caught:
        read_dataset("nobody/x", split="test", image_folder=tmp_path, option="benchmark.pope.dataset")
    command = str(caught.value).partition("datasets: ")[2].removesuffix(".")
    root = Path(__file__).parents[4]
    readme = (root / "data" / "README.md").read_text(encoding="utf-8")
    assert f"`{command}`" in " ".join(readme.split())
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert any(needed.startswith("datasets") for needed in extras[command.partition("[")[2].rstrip("]")])
