import os
import shutil
from pathlib import Path

from PIL import Image

from halluc.builders.picture_links import link_pictures


def test_pictures_appear_under_their_names_once(tmp_path: Path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    for name, colour in (("a b.png", "red"), ("sub/b.png", "blue")):
        Image.new("RGB", (2, 2), colour).save(root / name)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a b.png").write_text("was there before")
    for _ in range(2):
        link_pictures(["a b.png", "sub/b.png"], root, tmp_path / "out")
    assert (tmp_path / "out/a b.png").read_text() == "was there before"
    assert (tmp_path / "out/sub/b.png").resolve() == (root / "sub/b.png").resolve()


def test_copies_where_links_are_not_allowed(tmp_path: Path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "symlink", refuse)
    Image.new("RGB", (2, 2)).save(tmp_path / "a.png")
    link_pictures(["a.png"], tmp_path, tmp_path / "out")
    assert not (tmp_path / "out/a.png").is_symlink()
    assert (tmp_path / "out/a.png").read_bytes() == (tmp_path / "a.png").read_bytes()
    shutil.rmtree(tmp_path / "out")
    assert (tmp_path / "a.png").is_file()
