import base64
import io

import numpy as np
import pytest
from PIL import Image

from halluc.data.images import load_image
from halluc.data.preparation import reencode_jpeg


def noise(width, height):
    values = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(values)


def through_a_data_url(picture, quality):
    """Go the way of lmms-eval: JPEG bytes, base64, and a decoder of its own."""
    buffer = io.BytesIO()
    picture.save(buffer, format="JPEG", quality=quality)
    return load_image("data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode())


@pytest.mark.parametrize("quality", [75, 85])
def test_a_picture_comes_back_as_its_jpeg_file_would(quality):
    picture = noise(40, 30)
    found = reencode_jpeg(picture, quality)
    assert (found.mode, found.size) == ("RGB", (40, 30))
    assert found.tobytes() == through_a_data_url(picture, quality).tobytes()
    assert found.tobytes() != picture.tobytes()


def test_quality_matters():
    picture = noise(40, 30)
    assert reencode_jpeg(picture, 85).tobytes() != reencode_jpeg(picture, 75).tobytes()


def test_a_picture_is_prepared_before_it_is_scaled_down(tmp_path):
    """Scaling first and encoding then gives other pixels."""
    noise(64, 64).save(tmp_path / "a.png")
    source = str(tmp_path / "a.png")
    seen = []

    def prepare(picture):
        seen.append(picture.size)
        return reencode_jpeg(picture, 85)

    found = load_image(source, 32 * 32, prepare)
    assert seen == [(64, 64)]
    assert found.size == (32, 32)
    assert found.tobytes() != reencode_jpeg(load_image(source, 32 * 32), 85).tobytes()
