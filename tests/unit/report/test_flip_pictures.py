from PIL import Image

from halluc.report.flip_pictures import flip_pictures
from halluc.report.flips import Flip


def flip(benchmark, picture, before="yes", after="no"):
    return Flip(benchmark, "1", (str(picture),), "Is there a dog?", "no", before, after)


def test_draws_cured_answers_of_different_benchmarks_first(tmp_path):
    picture = tmp_path / "a.png"
    Image.new("RGB", (60, 40), "red").save(picture)
    found = [
        flip("phd", picture),
        flip("phd", picture),
        flip("pope", picture),
        flip("pope", picture, "no", "yes"),
    ]
    paths = flip_pictures(found, tmp_path / "flips", count=2)
    assert [path.name for path in paths] == ["phd_1.png", "pope_2.png"]
    sheet = Image.open(paths[0])
    assert sheet.height > 336
    assert sheet.getpixel((100, 100)) == (255, 0, 0)


def test_nothing_cured_draws_nothing(tmp_path):
    assert flip_pictures([flip("pope", tmp_path / "a.png", "no", "yes")], tmp_path / "flips") == []
    assert not (tmp_path / "flips").exists()
