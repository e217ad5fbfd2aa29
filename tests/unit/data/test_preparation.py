import base64
import io

import numpy as np
import pytest
from PIL import Image

from halluc.data.images import load_image
from halluc.data.preparation import pad_to_square, reencode_jpeg
from halluc.errors import ImageError


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


@pytest.mark.parametrize(
    ("size", "corner"),
    [((4, 2), (0, 1)), ((2, 4), (1, 0)), ((5, 2), (0, 1)), ((2, 5), (1, 0)), ((1, 2), (0, 0))],
)
def test_a_square_has_the_picture_in_its_middle(size, corner):
    """By hand: of 3 lines to add to 2 of 5, one comes above and two below."""
    picture = noise(*size)
    found = pad_to_square(picture, (122, 116, 104))
    side = max(size)
    assert found.size == (side, side)
    left, top = corner
    for x in range(side):
        for y in range(side):
            inside = left <= x < left + size[0] and top <= y < top + size[1]
            expected = picture.getpixel((x - left, y - top)) if inside else (122, 116, 104)
            assert found.getpixel((x, y)) == expected


def test_a_square_stays_as_it_is():
    picture = noise(6, 6)
    assert pad_to_square(picture, (0, 0, 0)) is picture


def test_a_square_is_not_larger_than_what_is_decoded():
    with pytest.raises(ImageError, match="20000x1 pixels padded to a square"):
        pad_to_square(Image.new("RGB", (20_000, 1)), (0, 0, 0))
