import numpy as np
import pytest
from PIL import Image

from halluc.miniworld.scenes.contact_sheet import contact_sheet
from halluc.miniworld.scenes.drawing import IMAGE_PX, LOOKS, Painter
from halluc.miniworld.scenes.inventory import COLORS, FACE, KINDS
from halluc.miniworld.scenes.scene import Scene, Thing
from halluc.miniworld.scenes.shapes import draw_shape


@pytest.fixture(scope="module")
def painter():
    return Painter(0, variants=1)


def alone(kind, color="red", size="large", mood=""):
    return Scene(
        (*[None] * 4, Thing(kind, color, size, mood or ("happy" if kind == FACE else "")), *[None] * 4)
    )


EMPTY = Scene((None,) * 9)


def center(painter, scene):
    return painter.cells([scene], np.random.default_rng(0))[0, 4]


def test_a_picture_has_the_size_of_nine_tokens(painter):
    image = painter.image(alone("apple"), np.random.default_rng(0))
    assert image.size == (IMAGE_PX, IMAGE_PX) == (84, 84)
    assert image.mode == "RGB"


def test_cells_and_image_agree(painter):
    scene = alone("boat")
    cells = painter.cells([scene], np.random.default_rng(5))[0]
    pixels = np.asarray(painter.image(scene, np.random.default_rng(5)), np.float32)
    assert np.abs(pixels[28:56, 28:56] - cells[4]).max() <= 0.5
    assert np.abs(pixels[:28, 56:] - cells[2]).max() <= 0.5


def test_only_the_occupied_cell_changes(painter):
    bare = painter.cells([EMPTY], np.random.default_rng(0))[0]
    shown = painter.cells([alone("star")], np.random.default_rng(0))[0]
    changed = [cell for cell in range(9) if np.abs(bare[cell] - shown[cell]).max() > 60]
    assert changed == [4]


def test_every_kind_looks_different(painter):
    bare = center(painter, EMPTY)
    masks = {kind: np.abs(center(painter, alone(kind)) - bare).sum(-1) > 100 for kind in KINDS}
    for kind, mask in masks.items():
        assert mask.mean() > 0.05, kind
        assert all((mask != other).mean() > 0.03 for name, other in masks.items() if name != kind), kind


def test_moods_sizes_and_colours_can_be_seen(painter):
    happy, sad = (center(painter, alone(FACE, mood=mood)) for mood in ("happy", "sad"))
    assert np.abs(happy - sad).max() > 100
    bare = center(painter, EMPTY)
    small, large = (
        (np.abs(center(painter, alone("cup", size=s)) - bare).sum(-1) > 100) for s in ("small", "large")
    )
    assert large.sum() > 1.5 * small.sum()
    for color, rgb in COLORS.items():
        pixels = center(painter, alone("heart", color)).reshape(-1, 3)
        assert np.abs(pixels - rgb).sum(-1).min() < 60, color


def test_the_seed_alone_decides_the_drawings():
    def drawing(seed):
        return center(Painter(seed, variants=1), alone("key"))

    assert np.array_equal(drawing(1), drawing(1))
    assert not np.array_equal(drawing(1), drawing(2))


def test_scribbles_are_drawn_and_are_no_kind(painter):
    cluttered = Scene((None,) * 9, clutter=(4,))
    assert np.abs(center(painter, cluttered) - center(painter, EMPTY)).max() > 60
    assert not {"cross", "ring", "stripes"} & set(KINDS)
    assert len(LOOKS) == len(set(LOOKS))


def test_an_unknown_kind_has_no_shape():
    with pytest.raises(KeyError):
        draw_shape(None, "zebra")


def test_a_contact_sheet_shows_every_picture():
    colors = ["red", "green", "blue", "yellow", "black"]
    images = [Image.new("RGB", (10, 10), color) for color in colors]
    sheet = contact_sheet(images, columns=3, scale=1)
    assert sheet.size == (42, 28)
    seen = [sheet.getpixel((14 * (i % 3) + 5, 14 * (i // 3) + 5)) for i in range(5)]
    assert seen == [image.getpixel((0, 0)) for image in images]
    assert sheet.getpixel((12, 12)) == (255, 255, 255)
