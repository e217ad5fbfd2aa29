"""One COCO picture under its different file names."""

import os
import re

_NAME = re.compile(r"(COCO_(?:train|val|test)\d{4}_)?(\d{1,12})\.jpe?g", re.IGNORECASE)


def coco_id(name: str) -> int | None:
    """Return the id that a COCO file name holds; None for any other name.

    Args:
        name: File name or path: ``COCO_val2014_000000000139.jpg``, ``000000000139.jpg`` or ``139.jpg``.

    Example:
        >>> coco_id("val2017/000000000139.jpg"), coco_id("COCO_train2014_139.jpg"), coco_id("dog.jpg")
        (139, 139, None)
    """
    found = _NAME.fullmatch(os.path.basename(name))
    return int(found[2]) if found else None


def is_surely_coco(name: str) -> bool:
    """Say whether a name can only be COCO's: it has the prefix, or twelve digits.

    A bare number such as ``139.jpg`` is used by Visual Genome for other pictures, too.
    """
    found = _NAME.fullmatch(os.path.basename(name))
    return found is not None and (found[1] is not None or len(found[2]) == 12)
