from types import SimpleNamespace

import pytest
from PIL import Image
from transformers import AutoProcessor

from halluc.data.records import Preparation
from halluc.errors import ModelSupportError
from halluc.models.families.base import Family
from halluc.models.families.table import family_for
from halluc.models.picture_preparation import mean_colour, picture_path
from halluc.models.tiny.build import FAMILIES

CLIP_MEAN = [0.48145466, 0.4578275, 0.40821073]


def with_mean(mean):
    return SimpleNamespace(image_processor=SimpleNamespace(image_mean=mean))


@pytest.mark.parametrize("family", FAMILIES)
def test_only_qwen2_vl_goes_through_jpeg_in_lmms_eval(family):
    found = picture_path(Preparation.LMMS_EVAL, with_mean(CLIP_MEAN), family_for(family))
    assert found.name == ("jpeg_85" if family == "qwen2_vl" else "none")
    assert (found.change is None) == (family != "qwen2_vl")


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_done_unless_asked(family):
    found = picture_path(Preparation.NONE, with_mean(CLIP_MEAN), family_for(family))
    assert (found.name, found.change) == ("none", None)


def test_squares_are_padded_with_the_colour_that_llava_takes():
    found = picture_path(Preparation.SQUARE, with_mean(CLIP_MEAN), Family())
    square = found.change(Image.new("RGB", (2, 4)))
    assert found.name == "square"
    assert square.size == (4, 4)
    assert square.getpixel((0, 0)) == (122, 116, 104)
    assert square.getpixel((1, 0)) == (0, 0, 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_mean_colour(family, tiny_checkpoint):
    colour = mean_colour(AutoProcessor.from_pretrained(tiny_checkpoint(family)))
    assert all(90 < part < 140 for part in colour)


def test_a_processor_without_a_mean_is_refused():
    with pytest.raises(ModelSupportError, match="SimpleNamespace has no image_mean"):
        picture_path(Preparation.SQUARE, with_mean(None), Family())
