import base64
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from halluc.data import images
from halluc.data.images import as_data_uri, image_key, image_size, load_image, resolve_image
from halluc.errors import ConfigError, ImageError

RED, WHITE = (255, 0, 0), (255, 255, 255)


def png_bytes(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def saved(folder: Path, name: str, picture: Image.Image, **options: object) -> str:
    path = folder / name
    picture.save(path, **options)
    return str(path)


@pytest.mark.parametrize(
    ("mode", "colour", "expected"),
    [
        ("1", 1, WHITE),
        ("L", 70, (70, 70, 70)),
        ("LA", (70, 0), WHITE),
        ("RGBA", (255, 0, 0, 255), RED),
        ("RGBA", (255, 0, 0, 0), WHITE),
        ("RGB", RED, RED),
    ],
)
def test_every_mode_becomes_rgb_on_white(tmp_path: Path, mode, colour, expected):
    picture = load_image(saved(tmp_path, "a.png", Image.new(mode, (6, 4), colour)))
    assert (picture.mode, picture.size, picture.getpixel((2, 2))) == ("RGB", (6, 4), expected)


def test_half_transparent_black_over_white_is_mid_grey(tmp_path: Path):
    picture = load_image(saved(tmp_path, "a.png", Image.new("RGBA", (2, 2), (0, 0, 0, 128))))
    assert picture.getpixel((0, 0)) == (127, 127, 127)


def test_transparent_palette_entry_becomes_white(tmp_path: Path):
    palette = Image.new("P", (2, 1))
    palette.putpalette([255, 0, 0, 0, 0, 255])
    palette.putdata([0, 1])
    picture = load_image(saved(tmp_path, "a.png", palette, transparency=1))
    assert (picture.getpixel((0, 0)), picture.getpixel((1, 0))) == (RED, WHITE)


def test_cmyk_red(tmp_path: Path):
    picture = load_image(saved(tmp_path, "a.tiff", Image.new("CMYK", (4, 4), (0, 255, 255, 0))))
    assert picture.getpixel((0, 0)) == RED


def test_sixteen_bit_grey_is_scaled_not_clipped(tmp_path: Path):
    values = np.array([[0, 0x4000, 0xFFFF]], dtype=np.uint16)
    picture = load_image(saved(tmp_path, "a.png", Image.fromarray(values)))
    assert [picture.getpixel((x, 0))[0] for x in range(3)] == [0, 64, 255]


def test_floating_point_pixels_are_refused(tmp_path: Path):
    path = saved(tmp_path, "a.tiff", Image.fromarray(np.ones((2, 2), dtype=np.float32)))
    with pytest.raises(ImageError, match=r"a\.tiff.*floating point"):
        load_image(path)


def test_exif_orientation_is_applied(tmp_path: Path):
    picture = Image.new("RGB", (40, 20), WHITE)
    picture.paste(RED, (0, 0, 20, 20))
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: rotate a quarter clockwise
    path = saved(tmp_path, "a.png", picture, exif=exif)
    loaded = load_image(path)
    assert loaded.size == image_size(path) == (20, 40)
    assert (loaded.getpixel((10, 5)), loaded.getpixel((10, 35))) == (RED, WHITE)


def test_animation_gives_its_first_frame(tmp_path: Path):
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "green", "blue")]
    path = saved(tmp_path, "a.gif", frames[0], save_all=True, append_images=frames[1:])
    assert load_image(path).getpixel((0, 0)) == RED


@settings(deadline=None, max_examples=50)
@given(
    width=st.integers(1, 60),
    height=st.integers(1, 60),
    max_pixels=st.integers(1, 4000),
)
def test_a_bound_is_kept_and_nothing_is_scaled_up(width, height, max_pixels):
    source = as_data_uri(png_bytes(Image.new("RGB", (width, height))))
    found = load_image(source, max_pixels).size
    assert found[0] * found[1] <= max_pixels
    if width * height <= max_pixels:
        assert found == (width, height)
    elif min(found) > 1:  # the aspect is kept up to rounding down one pixel
        assert abs(found[0] / width - found[1] / height) <= 1 / min(width, height)


def test_long_thin_picture_keeps_one_pixel():
    source = as_data_uri(png_bytes(Image.new("RGB", (1000, 1))))
    assert load_image(source, 10).size == (10, 1)


def test_max_pixels_must_be_positive():
    with pytest.raises(ConfigError, match="max_pixels is 0"):
        load_image("/nowhere.png", 0)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"<html>404</html>", "text page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"\x00\x05\x16\x07\x00\x02", "macOS"),
        (png_bytes(Image.new("RGB", (64, 64), "red"))[:-40], "can't be decoded"),
        (b"GIF89a", "can't be decoded"),
    ],
)
def test_broken_file_is_named(tmp_path: Path, content, reason):
    path = tmp_path / "broken.jpg"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=reason) as caught:
        load_image(str(path))
    assert "broken.jpg" in str(caught.value)


@pytest.mark.parametrize("bound", [8, 16])
def test_decompression_bomb_is_an_error(tmp_path: Path, monkeypatch, bound):
    path = saved(tmp_path, "bomb.png", Image.new("RGB", (6, 5)))
    monkeypatch.setattr(images, "MAX_DECODED_PIXELS", bound)
    with pytest.raises(ImageError, match=r"bomb\.png has more than"):
        load_image(path)


@pytest.mark.parametrize(
    "pillow_bound", [10, 20]
)  # Pillow itself raises above twice its bound, warns above it
def test_pillows_own_bomb_check_is_an_image_error(tmp_path: Path, monkeypatch, pillow_bound):
    path = saved(tmp_path, "bomb.png", Image.new("RGB", (6, 5)))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", pillow_bound)
    with pytest.raises(ImageError, match=r"bomb\.png"):
        load_image(path)


@pytest.mark.parametrize(
    "source", ["https://images.invalid/a.png", "file:///etc/passwd", "s3://bucket/a.png"]
)
def test_url_is_refused_without_network(tmp_path: Path, monkeypatch, source):
    monkeypatch.setattr("socket.socket", None)
    for call in (load_image, lambda url: resolve_image(url, tmp_path)):
        with pytest.raises(ImageError, match="URL"):
            call(source)


def test_missing_file_and_wrong_type_are_errors(tmp_path: Path):
    with pytest.raises(ImageError, match=r"gone\.png is no file"):
        load_image(str(tmp_path / "gone.png"))
    with pytest.raises(ImageError, match="NoneType"):
        load_image(None)
    with pytest.raises(ImageError, match="no readable header"):
        image_size(saved_text(tmp_path))


def saved_text(folder: Path) -> str:
    (folder / "text.png").write_text("hello")
    return str(folder / "text.png")


@pytest.mark.parametrize("source", ["data:image/png;base64,@@@@", "data:text/html;base64,AAAA", "data:,x"])
def test_broken_data_uri_is_an_error(tmp_path: Path, source):
    with pytest.raises(ImageError, match="data:"):
        resolve_image(source, tmp_path)


def test_data_uri_bare_base64_and_bytes_objects_are_the_same_picture(tmp_path: Path):
    content = png_bytes(Image.new("RGB", (8, 8), "red"))
    text = base64.b64encode(content).decode()
    values = [
        f"data:image/png;base64,{text}",
        text,
        {"bytes": text, "path": None},
        {"bytes": content},
    ]
    assert {image_key(resolve_image(value, tmp_path)) for value in values} == {image_key(values[0])}


@pytest.mark.parametrize("name", ["a b.png", "café.png", "plus+hash#1.png", "100%.png", "sub/deep.png"])
def test_odd_names_load(tmp_path: Path, name):
    (tmp_path / "sub").mkdir()
    path = saved(tmp_path, name, Image.new("RGB", (3, 3), "red"))
    assert resolve_image(name, tmp_path) == resolve_image(path, tmp_path) == path
    assert resolve_image({"path": name}, tmp_path) == path


@pytest.mark.parametrize("value", ["", "  ", None, 7, {}, {"path": None}, ["a.png"], "gone.png", "x" * 5000])
def test_what_names_no_picture_is_an_error(tmp_path: Path, value):
    with pytest.raises(ImageError):
        resolve_image(value, tmp_path)


def test_paths_out_of_the_root_are_refused_unless_allowed(tmp_path: Path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    outside = saved(tmp_path, "outside.png", Image.new("RGB", (3, 3)))
    Path(saved(tmp_path, "root_of_another.png", Image.new("RGB", (3, 3))))
    for name in (
        "../outside.png",
        "sub/../../outside.png",
        outside,
        "../missing.png",
        "../root_of_another.png",
    ):
        with pytest.raises(ImageError, match="leads out of the image root"):
            resolve_image(name, root)
    for name in ("../outside.png", outside):
        assert resolve_image(name, root, allow_outside=True) == outside


def test_links_of_the_owner_are_followed(tmp_path: Path):
    disk, root = tmp_path / "disk", tmp_path / "root"
    disk.mkdir()
    path = saved(disk, "a.png", Image.new("RGB", (3, 3)))
    root.symlink_to(disk)
    assert resolve_image("a.png", root) == str(root / "a.png")
    assert resolve_image(path, root) == path  # the same place by its other name
    (disk / "link.png").symlink_to(saved(tmp_path, "elsewhere.png", Image.new("RGB", (3, 3))))
    assert resolve_image("link.png", root) == str(root / "link.png")


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch):
    path = saved(tmp_path, "secret.png", Image.new("RGB", (3, 3)))

    def refuse(_: Path) -> bytes:
        raise PermissionError("denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ImageError, match=r"secret\.png can't be read: denied"):
        load_image(path)


def test_a_folder_is_no_picture(tmp_path: Path):
    (tmp_path / "images").mkdir()
    with pytest.raises(ImageError, match="not found"):
        resolve_image("images", tmp_path)


def test_key_follows_the_pixels_not_the_file(tmp_path: Path):
    picture = Image.effect_noise((16, 12), 50).convert("RGB")
    png, bmp = saved(tmp_path, "a.png", picture), saved(tmp_path, "renamed.bmp", picture)
    other = picture.copy()
    other.putpixel((0, 0), (1, 2, 3))
    assert image_key(png) == image_key(bmp) != image_key(saved(tmp_path, "b.png", other))


def test_key_depends_on_the_shape(tmp_path: Path):
    wide, tall = (saved(tmp_path, f"{w}.png", Image.new("RGB", (w, 12 // w))) for w in (4, 3))
    assert image_key(wide) != image_key(tall)
