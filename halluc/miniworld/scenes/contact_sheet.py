"""One picture of many pictures, to look at a whole data set at a glance."""

from collections.abc import Sequence

from PIL import Image

GAP_PX = 4


def contact_sheet(images: Sequence[Image.Image], columns: int = 6, scale: int = 2) -> Image.Image:
    """Lay equally large pictures out in rows, enlarged without smoothing.

    Args:
        images: At least one picture; all have the size of the first.
        columns: Pictures a row.
        scale: Enlargement factor.
    """
    width, height = images[0].size[0] + GAP_PX, images[0].size[1] + GAP_PX
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height), "white")
    for index, image in enumerate(images):
        sheet.paste(image, (index % columns * width, index // columns * height))
    return sheet.resize((sheet.width * scale, sheet.height * scale), Image.Resampling.NEAREST)
