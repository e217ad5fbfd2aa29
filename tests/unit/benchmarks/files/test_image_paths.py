import pytest

from halluc.benchmarks.files.image_paths import inside, missing_files
from halluc.errors import ImageError


def test_a_name_inside_becomes_an_absolute_path(tmp_path):
    assert inside(tmp_path, "a b/ü#1.png", "f") == str(tmp_path / "a b" / "ü#1.png")
    assert inside(tmp_path, "x/../y.png", "f") == str(tmp_path / "y.png")


@pytest.mark.parametrize("name", ["../secret.png", "x/../../secret.png", "/etc/passwd", ".", ""])
def test_a_name_outside_is_refused(tmp_path, name):
    with pytest.raises(ImageError, match="record 1: image"):
        inside(tmp_path, name, "file.json, record 1")


def test_a_sibling_with_the_same_beginning_is_outside(tmp_path):
    with pytest.raises(ImageError):
        inside(tmp_path / "images", "../images2/a.png", "f")


def test_a_link_inside_may_lead_elsewhere(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "val2014").symlink_to(tmp_path / "elsewhere")
    assert inside(tmp_path / "images", "val2014/a.png", "f").endswith("images/val2014/a.png")


def test_missing_files_are_named_once_in_order(tmp_path):
    there = tmp_path / "a.png"
    there.touch()
    names = [str(tmp_path / name) for name in ("c.png", "a.png", "b.png", "c.png")]
    assert missing_files(names) == [names[0], names[2]]
