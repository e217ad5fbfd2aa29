from pathlib import Path

from PIL import Image

from halluc.data.image_check import find_broken


def test_broken_pictures_are_found_once_in_order(tmp_path: Path):
    good, bad, gone = (str(tmp_path / name) for name in ("good.png", "bad.png", "gone.png"))
    Image.new("RGB", (4, 4)).save(good)
    Path(bad).write_bytes(Path(good).read_bytes()[:30])
    found = find_broken([gone, good, bad, good, gone], workers=2)
    assert list(found) == [gone, bad]
    assert "no file" in found[gone]
    assert "can't be decoded" in found[bad]


def test_nothing_to_check_is_nothing_broken():
    assert find_broken([]) == {}
