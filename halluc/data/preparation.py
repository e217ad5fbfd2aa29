"""What some published protocols do to a picture before a processor sees it."""

import io

from PIL import Image


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
