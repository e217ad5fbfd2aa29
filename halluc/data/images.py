"""The one image loader: whatever a user's file holds comes out as an RGB picture, or as a clear error."""

import base64
import binascii
import hashlib
import io
import math
import os
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from halluc.errors import ConfigError, ImageError

MAX_DECODED_PIXELS = 89_478_485
"""Largest picture that is decoded, in pixels (a quarter GiB as RGB; Pillow's own warning limit)."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DATA_URI = re.compile(r"data:image/[A-Za-z0-9.+-]+;base64,", re.IGNORECASE)
_BASE64_TEXT = re.compile(r"[A-Za-z0-9+/\s]+={0,2}\s*")
_IMAGE_BEGINNINGS = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"II*\x00", b"MM\x00*")
_DECODE_FAULTS = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    OverflowError,
    LookupError,
    TypeError,
    struct.error,
    zlib.error,
)
_TELLTALES = {
    b"version https://git-lfs": "it is a Git LFS pointer, so run `git lfs pull`",
    b"<": "it is a text page (HTML or XML), so download it again",
    b"\x00\x05\x16\x07": "it is a macOS resource file (`._` twin), so take the file without `._`",
}


def load_image(
    source: str,
    max_pixels: int | None = None,
    prepare: Callable[[Image.Image], Image.Image] | None = None,
) -> Image.Image:
    """Load one picture as RGB, upright, and no larger than asked.

    The EXIF orientation is applied, an animation gives its first frame, transparent parts become
    white, and 16-bit grey is scaled to 8 bits. Colour profiles are ignored, as the processors of the
    published models do.

    Args:
        source: An absolute path, or a ``data:image/…;base64,…`` URI.
        max_pixels: Largest width times height, in pixels; a larger picture is scaled down with its
            aspect kept (Lanczos filter). A smaller one is never scaled up. None leaves the size alone.
        prepare: Applied to the picture before it is scaled down, as in ``preparation``.

    Returns:
        A decoded picture of mode "RGB", detached from its file.

    Raises:
        ImageError: If it is a URL, missing, unreadable, truncated, or of more than
            ``MAX_DECODED_PIXELS`` pixels; the message names the source.
        ConfigError: If ``max_pixels`` is not positive.
    """
    if max_pixels is not None and max_pixels < 1:
        raise ConfigError(
            f"max_pixels is {max_pixels}. Give a positive number of pixels, or null for no bound."
        )
    content = read_source(source)
    try:
        with Image.open(io.BytesIO(content)) as opened:
            _check_size(opened, source)
            opened.load()
            picture = _to_rgb(ImageOps.exif_transpose(opened))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise ImageError(_too_large(source)) from error
    except ImageError as error:
        raise ImageError(f"picture {source_name(source)}: {error}") from error
    except _DECODE_FAULTS as error:
        raise ImageError(
            f"picture {source_name(source)} can't be decoded: {_diagnosis(content, error)}."
        ) from error
    if prepare is not None:
        picture = prepare(picture)
    return picture if max_pixels is None else _shrink(picture, max_pixels)


def image_size(source: str) -> tuple[int, int]:
    """Read width and height from a picture's header without decoding it, orientation applied.

    Raises:
        ImageError: If the header can't be read; the message names the source.
    """
    content: Path | io.BytesIO = io.BytesIO(read_source(source)) if is_data_uri(source) else _existing(source)
    try:
        with Image.open(content) as opened:
            turned = opened.getexif().get(0x0112, 1) >= 5
            return (opened.height, opened.width) if turned else opened.size
    except (*_DECODE_FAULTS, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise ImageError(f"picture {source_name(source)} has no readable header: {error}.") from error


def image_key(source: str) -> str:
    """Hash a picture's content, so that the same picture is known under any name.

    The decoded, upright RGB pixels and the size are hashed (SHA-256). So a copy, a lossless re-save
    in another format, or other metadata give the same key; another JPEG compression does not.

    Raises:
        ImageError: If the picture can't be loaded.
    """
    picture = load_image(source)
    digest = hashlib.sha256(f"{picture.width}x{picture.height}:".encode())
    digest.update(picture.tobytes())
    return digest.hexdigest()


def read_source(source: str) -> bytes:
    """Return the bytes of the image file behind a source, undecoded.

    Raises:
        ImageError: If it is a URL, missing, or a broken data URI.
    """
    if not isinstance(source, str):
        raise ImageError(
            f"picture is a {type(source).__name__}; expected an absolute path or a data:image URI."
        )
    if not is_data_uri(source):
        try:
            return _existing(source).read_bytes()
        except OSError as error:
            raise ImageError(f"picture {source_name(source)} can't be read: {error}.") from error
    header = _DATA_URI.match(source)
    if header is None:
        raise ImageError(f"picture {source_name(source)} is no data:image/…;base64,… URI.")
    try:
        return base64.b64decode("".join(source[header.end() :].split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageError(f"picture {source_name(source)} holds broken base64: {error}.") from error


def resolve_image(value: object, root: Path, *, allow_outside: bool = False) -> str:
    """Turn a picture as a data file names it into a source that ``load_image`` takes.

    Args:
        value: A file name relative to ``root`` (spaces, accents and ``#`` are ordinary characters), an
            absolute path, a ``data:image`` URI, bare base64 text, or an object with ``bytes`` (base64
            text) or ``path``.
        root: Folder of the pictures.
        allow_outside: Whether a path may lead out of ``root``. Symbolic links below the root may lead
            anywhere: they are made by the owner of the disk, not by the data file.

    Returns:
        An absolute path of an existing file, or a ``data:image`` URI.

    Raises:
        ImageError: If the value names no picture, a URL, a missing file, or a place outside ``root``.
    """
    if isinstance(value, Mapping):
        value = _value_of_object(value)
    if not isinstance(value, str) or not value.strip():
        raise ImageError(f"picture is {value!r}; expected a file name under {root} or a data:image URI.")
    if is_data_uri(value):
        read_source(value)
        return value
    if _URL.match(value):
        raise ImageError(f"picture {value} is a URL, and none is fetched. Download it and name the file.")
    path = _file_under(value, root, allow_outside=allow_outside)
    if path is not None:
        return path
    content = _bare_base64(value)
    if content is not None:
        return as_data_uri(content)
    raise ImageError(
        f"picture {source_name(value)!r} not found under {root}. Correct the name or the image root."
    )


def as_data_uri(content: bytes) -> str:
    """Wrap the bytes of an image file in a data URI; the decoder goes by content, not by the type."""
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def is_below(path: str, folder: str) -> bool:
    """Say whether an absolute path lies below a folder, both as they are written."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def is_data_uri(source: str) -> bool:
    """Tell an inline picture from a path."""
    return source[:5].lower() == "data:"


def source_name(source: str) -> str:
    """Name a source in a message: the path, or the beginning of what would be pages of base64."""
    return source if len(source) <= 200 else f"{source[:40]}… ({len(source)} characters)"


def _value_of_object(value: Mapping[object, object]) -> object:
    content = value.get("bytes")
    if isinstance(content, bytes):
        return as_data_uri(content)
    if content is not None:
        return content
    return value.get("path")


def _file_under(name: str, root: Path, *, allow_outside: bool) -> str | None:
    base = os.path.abspath(root)
    path = os.path.normpath(os.path.join(base, name))
    if not (
        allow_outside or is_below(path, base) or is_below(os.path.realpath(path), os.path.realpath(base))
    ):
        raise ImageError(
            f"picture {source_name(name)!r} leads out of the image root {root}. "
            "Move it there, or allow paths outside."
        )
    return path if os.path.isfile(path) else None


def _bare_base64(text: str) -> bytes | None:
    if len(text) < 64 or not _BASE64_TEXT.fullmatch(text):
        return None
    try:
        content = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    return content if content.startswith(_IMAGE_BEGINNINGS) else None


def _existing(source: str) -> Path:
    if _URL.match(source):
        raise ImageError(f"picture {source} is a URL, and none is fetched. Download it and name the file.")
    path = Path(source)
    if not path.is_file():
        raise ImageError(f"picture {source_name(source)} is no file. Correct the path or the image root.")
    return path


def _check_size(opened: Image.Image, source: str) -> None:
    if opened.width * opened.height > MAX_DECODED_PIXELS:
        raise Image.DecompressionBombError(_too_large(source))


def _too_large(source: str) -> str:
    return (
        f"picture {source_name(source)} has more than {MAX_DECODED_PIXELS} pixels and is not decoded "
        "(it may be a decompression bomb). Scale it down first."
    )


def _diagnosis(content: bytes, error: BaseException) -> str:
    if not content:
        return "the file is empty"
    head = content.lstrip()[:32]
    return next((text for mark, text in _TELLTALES.items() if head.startswith(mark)), str(error))


def _to_rgb(image: Image.Image) -> Image.Image:
    if image.mode == "F":
        raise ImageError("its pixels are floating point numbers without a known range. Save it with 8 bits.")
    if image.mode.startswith("I"):
        return _from_sixteen_bits(image)
    if not image.has_transparency_data:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    white = Image.new("RGBA", layer.size, (255, 255, 255, 255))
    return Image.alpha_composite(white, layer).convert("RGB")


def _from_sixteen_bits(image: Image.Image) -> Image.Image:
    values = np.asarray(image).astype(np.int64)
    if values.min() < 0 or values.max() > 0xFFFF:
        raise ImageError("its pixels have more than 16 bits. Save it with 8 bits.")
    return Image.fromarray((values >> 8).astype(np.uint8)).convert("RGB")


def _shrink(picture: Image.Image, max_pixels: int) -> Image.Image:
    width, height = picture.size
    if width * height <= max_pixels:
        return picture
    scale = math.sqrt(max_pixels / (width * height))
    new_width, new_height = max(1, int(width * scale)), max(1, int(height * scale))
    if new_width * new_height > max_pixels:  # a side fell below one pixel
        new_width, new_height = min(new_width, max_pixels), min(new_height, max_pixels)
    return picture.resize((new_width, new_height), Image.Resampling.LANCZOS)
