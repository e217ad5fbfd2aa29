import json
import logging
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from halluc.builders.coco_polling import CocoPolling
from halluc.data.records import AnswerKind
from halluc.errors import ConfigError, RecordError, SourceNotFoundError, UnknownOptionError

NAMES = ["cat", "dog", "bus", "cup", "kite", "bird"]


@pytest.fixture
def annotations(tmp_path: Path) -> Path:
    rows = []
    for number in range(20):
        objects = [NAMES[number % 6], NAMES[number % 6], NAMES[(number * number + 1) % 6]]
        rows.append({"image": f"{number:012}.jpg", "objects": objects if number else []})
    path = tmp_path / "scenes.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "images").mkdir()
    for row in rows:
        Image.new("RGB", (4, 4)).save(tmp_path / "images" / row["image"])
    return path


def test_answers_suit_the_questions(annotations: Path):
    samples = CocoPolling(annotations, heldout_images=0).samples()
    counts = {
        row["image"]: Counter(row["objects"]) for row in map(json.loads, annotations.read_text().splitlines())
    }
    assert len({sample.question.id for sample in samples}) == len(samples)
    for sample in samples:
        image, _, name = sample.question.id.partition("/")
        assert sample.question.images == (str(annotations.parent / "images" / image),)
        assert sample.question.group == image
        if sample.question.space.kind is AnswerKind.YES_NO:
            assert sample.answer == ("Yes" if counts[image][name] else "No")
            assert sample.answer.lower() == sample.question.gold
            assert sample.question.prompt.endswith("?\nAnswer the question using a single word or phrase.")
        else:
            assert sample.answer == sample.question.gold
            assert sample.question.prompt.endswith(
                "\nAnswer with the option's letter from the given choices directly."
            )
    answers = Counter(sample.answer for sample in samples)
    assert answers["Yes"] == answers["No"] > 0
    assert answers["A"] > 0


def test_held_out_pictures_never_train(annotations: Path, tmp_path: Path, caplog):
    source = CocoPolling(annotations, heldout_dir=tmp_path / "out", heldout_images=5)
    with caplog.at_level(logging.INFO):
        source.prepare()
        trained = {sample.question.group for sample in source.samples()}
    (manifest,) = json.loads((tmp_path / "out/heldout.json").read_text())
    asked = {
        json.loads(line)["image"]
        for line in (tmp_path / "out/pope/coco_pope_random.json").read_text().splitlines()
    }
    assert len(manifest["images"]) == 5
    for name in manifest["images"]:
        assert (tmp_path / "out/pope/images" / name).samefile(annotations.parent / "images" / name)
    assert asked <= set(manifest["images"])
    assert not trained & set(manifest["images"])
    assert len(trained) == 14  # of 20, one has no object and five are held out
    assert "20 pictures: 14 train, 5 are held out, 1 have fewer than 1 objects" in caplog.text


def test_pictures_are_held_out_without_a_folder_too(annotations: Path, tmp_path: Path):
    with_folder = CocoPolling(annotations, heldout_dir=tmp_path / "out", heldout_images=5)
    without = CocoPolling(annotations, heldout_images=5)
    without.prepare()
    assert not (tmp_path / "out").exists()
    assert without.samples() == with_folder.samples()


def test_share_of_multiple_choice(annotations: Path):
    def kinds(fraction: float) -> Counter:
        source = CocoPolling(annotations, choice_fraction=fraction, heldout_images=0)
        return Counter(sample.question.space.kind for sample in source.samples())

    assert kinds(0.0)[AnswerKind.CHOICE] == 0
    counts = kinds(0.25)
    assert counts[AnswerKind.CHOICE] == round(counts[AnswerKind.YES_NO] / 3)
    assert kinds(0.5)[AnswerKind.CHOICE] <= kinds(0.5)[AnswerKind.YES_NO]


def test_negatives_and_number_of_pictures(annotations: Path):
    samples = CocoPolling(
        annotations, negatives=["popular"], max_images=4, choice_fraction=0, heldout_images=0
    ).samples()
    assert {sample.question.tags["strategy"] for sample in samples} == {"popular"}
    assert len({sample.question.group for sample in samples}) == 4
    mixed = CocoPolling(annotations, choice_fraction=0, heldout_images=0).samples()
    found = Counter(sample.question.tags["strategy"] for sample in mixed)
    assert max(found.values()) - min(found.values()) <= 2


def test_preferences_turn_the_answer(annotations: Path):
    source = CocoPolling(annotations)
    samples, preferences = source.samples(), source.preferences()
    assert [preference.question for preference in preferences] == [sample.question for sample in samples]
    for sample, preference in zip(samples, preferences, strict=True):
        assert preference.chosen == sample.answer
        assert preference.rejected != sample.answer
        assert preference.rejected.lower() in {word.lower() for word in sample.question.space.candidates}


def test_everything_follows_from_the_seed(annotations: Path):
    assert CocoPolling(annotations).samples() == CocoPolling(annotations).samples()
    assert CocoPolling(annotations).samples() != CocoPolling(annotations, seed=1).samples()


def test_own_suffixes(annotations: Path):
    samples = CocoPolling(annotations, yes_no_suffix="", choice_suffix=" ?").samples()
    endings = {sample.question.space.kind: sample.question.prompt[-2:] for sample in samples}
    assert endings == {AnswerKind.YES_NO: "e?", AnswerKind.CHOICE: " ?"}


def test_missing_pictures_stop_or_are_skipped(annotations: Path, caplog):
    for number in (3, 4):
        (annotations.parent / "images" / f"{number:012}.jpg").unlink()
    with pytest.raises(RecordError, match=r"2 of 20 annotated pictures.*missing_images=skip") as caught:
        CocoPolling(annotations).samples()
    assert len(caught.value.problems) == 2
    trained = {sample.question.group for sample in CocoPolling(annotations, missing_images="skip").samples()}
    assert "000000000003.jpg" not in trained
    assert "2 of 20" in caplog.text


def test_broken_pictures_are_found_when_asked(annotations: Path, caplog):
    (annotations.parent / "images/000000000003.jpg").write_bytes(b"")
    assert len(CocoPolling(annotations).samples()) > 0
    with pytest.raises(RecordError, match="1 of 20") as caught:
        CocoPolling(annotations, check_images=True).samples()
    assert "000000000003.jpg can't be decoded: the file is empty" in caught.value.problems[0]
    samples = CocoPolling(annotations, check_images=True, missing_images="skip", heldout_images=0).samples()
    assert "000000000003.jpg" not in {sample.question.group for sample in samples}


def test_where_pictures_are_looked_for(annotations: Path, tmp_path: Path):
    images = annotations.parent / "images"
    assert CocoPolling(annotations).image_root == images.resolve()
    beside = images / "scenes.jsonl"
    beside.write_text(annotations.read_text())
    assert CocoPolling(beside).image_root == images.resolve()
    coco = tmp_path / "annotations"
    coco.mkdir()
    (coco / "instances_val2017.json").write_text(annotations.read_text())
    with pytest.raises(SourceNotFoundError, match=r"are in none of .*val2017\. Set data\.image_root"):
        CocoPolling(coco / "instances_val2017.json").samples()
    images.rename(tmp_path / "val2017")
    assert CocoPolling(coco / "instances_val2017.json").image_root == (tmp_path / "val2017").resolve()
    assert CocoPolling(annotations, tmp_path / "val2017").image_root == (tmp_path / "val2017").resolve()
    with pytest.raises(SourceNotFoundError, match="No folder"):
        CocoPolling(annotations, tmp_path / "nowhere").samples()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"negatives": ["hard"]}, UnknownOptionError, "'hard'"),
        ({"negatives": []}, ConfigError, "no strategy"),
        ({"choice_fraction": 1.0}, ConfigError, "choice_fraction is 1.0"),
        ({"choice_fraction": -0.1}, ConfigError, "choice_fraction"),
        ({"heldout_images": -1}, ConfigError, "heldout_images"),
        ({"max_images": 0}, ConfigError, "images is 0"),
        ({"sample_num": 0}, ConfigError, "sample_num"),
        ({"missing_images": "maybe"}, UnknownOptionError, "missing_images"),
    ],
)
def test_wrong_options_are_refused_before_any_file_is_read(options, error, message):
    with pytest.raises(error, match=message):
        CocoPolling("/nowhere.json", **options)


def test_missing_annotations():
    with pytest.raises(SourceNotFoundError, match=r"nowhere\.json"):
        CocoPolling("/nowhere.json").samples()
