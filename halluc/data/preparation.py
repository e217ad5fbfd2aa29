"""What some published protocols do to a picture before a processor sees it."""

import io

from PIL import Image

from halluc.data.images import MAX_DECODED_PIXELS
from halluc.errors import ImageError


def reencode_jpeg(picture: Image.Image, quality: int) -> Image.Image:
    """Encode a picture as JPEG and decode it again, chroma subsampled as Pillow does by default.

    Args:
        picture: Of mode "RGB".
        quality: Pillow's JPEG quality, in 1..95.
    """
    content = io.BytesIO()
    picture.save(content, format="JPEG", quality=quality)
    with Image.open(content) as opened:
        return opened.convert("RGB")


def pad_to_square(picture: Image.Image, colour: tuple[int, int, int]) -> Image.Image:
    """Put a picture in the middle of a square as large as its longer side, as LLaVA's scripts do.

    Of an odd number of lines or columns to add, the larger half comes below or to the right.

    Args:
        picture: Of mode "RGB".
        colour: RGB of what is added, each in 0..255.

    Raises:
        ImageError: If the square would have more than ``MAX_DECODED_PIXELS`` pixels.
    """
    width, height = picture.size
    side = max(width, height)
    if width == height:
        return picture
    if side * side > MAX_DECODED_PIXELS:
        raise ImageError(
            f"a picture of {width}x{height} pixels padded to a square would have more than "
            f"{MAX_DECODED_PIXELS}. Scale it down first, or choose another prompt_profile."
        )
    square = Image.new("RGB", (side, side), colour)
    square.paste(picture, ((side - width) // 2, (side - height) // 2))
    return square
