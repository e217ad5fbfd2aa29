"""What a protocol's preparation of pictures comes to for one model."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PIL.Image import Image

from halluc.data.preparation import reencode_jpeg
from halluc.data.records import Preparation
from halluc.models.families.base import Family


@dataclass(frozen=True, slots=True)
class PicturePath:
    """Hold what happens to pictures between decoding and the processor.

    Attributes:
        name: What results call it: ``none``, ``jpeg_85``, …
        change: Does it; None where nothing happens.
    """

    name: str
    change: Callable[[Image], Image] | None = None


def picture_path(preparation: Preparation, family: Family) -> PicturePath:
    """Find out what a preparation does for a model.

    Args:
        preparation: ``lmms_eval`` repeats what lmms-eval's wrapper of the family does, which for most
            families is nothing.
        family: Hooks of the model's family.
    """
    if preparation is Preparation.LMMS_EVAL and family.lmms_eval_jpeg_quality is not None:
        quality = family.lmms_eval_jpeg_quality
        return PicturePath(f"jpeg_{quality}", partial(reencode_jpeg, quality=quality))
    return PicturePath("none")
