import io

import pytest
from PIL import Image

from halluc.benchmarks.files.picture_store import PictureStore


def encoded(kind, colour="red"):
    buffer = io.BytesIO()
    Image.new("RGB", (4, 4), colour).save(buffer, kind)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP"])
def test_bytes_are_kept_as_they_are(tmp_path, kind):
    name = PictureStore(tmp_path / "new").add(encoded(kind))
    assert (tmp_path / "new" / name).read_bytes() == encoded(kind)
    with Image.open(tmp_path / "new" / name) as kept:
        assert kept.format == kind
    assert name.endswith({"JPEG": ".jpg"}.get(kind, f".{kind.lower()}"))


def test_equal_pictures_are_one_file(tmp_path):
    store = PictureStore(tmp_path)
    assert store.add(encoded("PNG")) == store.add(encoded("PNG")) != store.add(encoded("PNG", "blue"))
    assert len(list(tmp_path.iterdir())) == 2


def test_unknown_bytes_are_kept_for_the_reader_to_refuse(tmp_path):
    assert PictureStore(tmp_path).add(b"no picture").endswith(".image")
