"""What a protocol's preparation of pictures comes to for one model."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PIL.Image import Image
from transformers import ProcessorMixin

from halluc.data.preparation import pad_to_square, reencode_jpeg
from halluc.data.records import Preparation
from halluc.errors import ModelSupportError
from halluc.models.families.base import Family


@dataclass(frozen=True, slots=True)
class PicturePath:
    """Hold what happens to pictures between decoding and the processor.

    Attributes:
        name: What results call it: ``none``, ``jpeg_85``, ``square``.
        change: Does it; None where nothing happens.
    """

    name: str
    change: Callable[[Image], Image] | None = None


def picture_path(preparation: Preparation, processor: ProcessorMixin, family: Family) -> PicturePath:
    """Find out what a preparation does for a model.

    Args:
        preparation: ``lmms_eval`` repeats what lmms-eval's wrapper of the family does, which for most
            families is nothing; ``square`` pads with the processor's mean colour.
        processor: The checkpoint's processor.
        family: Hooks of the model's family.

    Raises:
        ModelSupportError: If squares are asked for and the processor has no mean colour.
    """
    if preparation is Preparation.LMMS_EVAL and family.lmms_eval_jpeg_quality is not None:
        quality = family.lmms_eval_jpeg_quality
        return PicturePath(f"jpeg_{quality}", partial(reencode_jpeg, quality=quality))
    if preparation is Preparation.SQUARE:
        return PicturePath("square", partial(pad_to_square, colour=mean_colour(processor)))
    return PicturePath("none")


def mean_colour(processor: ProcessorMixin) -> tuple[int, int, int]:
    """Return the RGB that the processor normalises to about zero, each in 0..255, rounded down.

    Raises:
        ModelSupportError: If the processor names none.
    """
    mean = getattr(processor.image_processor, "image_mean", None)
    if mean is None:
        raise ModelSupportError(
            f"{type(processor.image_processor).__name__} has no image_mean, so it is not known which colour "
            "a picture is padded with to a square. Choose another prompt_profile."
        )
    red, green, blue = (int(255 * part) for part in mean)
    return red, green, blue
