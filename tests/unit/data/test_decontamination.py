import base64
import logging
from pathlib import Path

import pytest
from PIL import Image

from halluc.data import decontamination
from halluc.data.decontamination import decontaminate, find_shared
from halluc.data.records import AnswerSpace, Preference, Question, Sample
from halluc.errors import ImageError


def picture(path: Path, shade: int = 0, size: tuple[int, int] = (8, 6), **options: object) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.linear_gradient("L").resize(size).point(lambda value: (value + shade) % 256).convert("RGB")
    image.save(path, **options)
    return str(path)


def sample(*images: str) -> Sample:
    question = Question(
        id="|".join(images)[-20:], images=images, prompt="?", space=AnswerSpace.yes_no(), gold="no"
    )
    return Sample(question=question, answer="No")


@pytest.mark.parametrize(
    ("train", "evaluation", "reason"),
    [
        ("000000000139.jpg", "COCO_val2014_000000000139.jpg", "coco_id"),
        ("COCO_train2014_000000000139.jpg", "000000000139.jpg", "coco_id"),
        ("139.jpg", "COCO_val2014_000000000139.jpg", "coco_id"),
        ("000000000139.jpg", "139.jpg", "coco_id"),
        ("139.jpg", "0139.jpg", None),
        ("000000000139.jpg", "000000000140.jpg", None),
        ("000000000139.png", "COCO_val2014_000000000139.jpg", None),
        ("dog.jpg", "cat.jpg", None),
    ],
)
def test_names_alone(tmp_path: Path, train, evaluation, reason):
    one, other = picture(tmp_path / "t" / train, 10), picture(tmp_path / "e" / evaluation, 90)
    assert find_shared([one], [other]) == ({} if reason is None else {one: reason})


def test_the_same_file_over_a_link(tmp_path: Path):
    path = picture(tmp_path / "a.png")
    (tmp_path / "link.png").symlink_to(path)
    assert find_shared([str(tmp_path / "link.png")], [path]) == {str(tmp_path / "link.png"): "same_file"}


def test_content_under_another_name_and_format(tmp_path: Path):
    asked = picture(tmp_path / "asked.png")
    renamed, resaved = picture(tmp_path / "renamed.png"), picture(tmp_path / "resaved.bmp")
    other = picture(tmp_path / "other.png", 1)
    smaller = picture(tmp_path / "smaller.png", size=(8, 5))
    inline = "data:image/png;base64," + base64.b64encode(Path(asked).read_bytes()).decode()
    found = find_shared([renamed, other, resaved, smaller, inline], [asked])
    assert found == {renamed: "content", resaved: "content", inline: "content"}


def test_jpegs_under_another_name_without_metadata_or_as_png(tmp_path: Path):
    exif = Image.Exif()
    exif[0x010E] = "a description"
    asked = picture(tmp_path / "asked.jpg", size=(64, 48), exif=exif)
    bare = picture(tmp_path / "bare.jpg", size=(64, 48))
    other = picture(tmp_path / "other.jpg", 50, size=(64, 48))
    decoded = str(tmp_path / "decoded.png")
    with Image.open(asked) as image:
        image.save(decoded)
    assert Path(asked).stat().st_size != Path(bare).stat().st_size
    assert find_shared([bare, other, decoded], [asked]) == {bare: "content", decoded: "content"}


def test_only_candidates_are_decoded(tmp_path: Path, monkeypatch):
    decoded: list[str] = []
    monkeypatch.setattr(decontamination, "image_key", lambda image: decoded.append(image) or image)
    training = [picture(tmp_path / f"t{n}.jpg", n, size=(64, 48)) for n in range(5)]
    training += [picture(tmp_path / "wide.png", size=(9, 6)), picture(tmp_path / "alike.png", 3)]
    evaluation = [picture(tmp_path / "e.jpg", 100, size=(64, 48)), picture(tmp_path / "e.png", 100)]
    assert find_shared(training, evaluation) == {}
    assert sorted(Path(name).name for name in decoded) == ["alike.png", "e.png"]


def test_records_go_with_any_of_their_pictures(tmp_path: Path, caplog):
    a, b, c = (picture(tmp_path / f"{name}.png", shade) for name, shade in (("a", 0), ("b", 70), ("c", 140)))
    question = sample(b).question
    preferences = [
        Preference(question=question, chosen="No", rejected="Yes", rejected_images=(a,)),
        Preference(question=question, chosen="No", rejected="Yes", rejected_images=(c,)),
    ]
    samples = [sample(b), sample(b, a), sample(c), sample()]
    with caplog.at_level(logging.WARNING):
        kept, report = decontaminate(samples, [a, a])
        kept_preferences, _ = decontaminate(preferences, [a])
    assert kept == [samples[0], samples[2], samples[3]]
    assert kept_preferences == preferences[1:]
    assert (report.kept, report.left_out, report.counts()) == (3, 1, {"same_file": 1})
    assert report.ids == (samples[1].question.id,)
    assert f"as {a}" in caplog.text


def test_nothing_shared_is_said_quietly(tmp_path: Path, caplog):
    a, b = picture(tmp_path / "a.png"), picture(tmp_path / "b.png", 9)
    with caplog.at_level(logging.INFO):
        kept, report = decontaminate([sample(a)], [b])
    assert (len(kept), report.left_out, report.counts()) == (1, 0, {})
    assert "no training picture occurs in the evaluation; 1 records stay" in caplog.text
    assert [record.levelname for record in caplog.records] == ["INFO"]


def test_empty_sides(tmp_path: Path):
    a = picture(tmp_path / "a.png")
    assert decontaminate([sample(a)], [])[0] == [sample(a)]
    assert decontaminate([], [a])[0] == []


def test_an_unreadable_picture_is_an_error(tmp_path: Path):
    (tmp_path / "broken.png").write_text("x")
    with pytest.raises(ImageError, match=r"broken\.png"):
        find_shared([picture(tmp_path / "a.png")], [str(tmp_path / "broken.png")])
    with pytest.raises(ImageError, match=r"gone\.png"):
        find_shared([picture(tmp_path / "a.png")], [str(tmp_path / "gone.png")])
