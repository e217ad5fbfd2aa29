from types import SimpleNamespace

import pytest
import torch
from transformers import AutoProcessor

from halluc.data.images import load_image
from halluc.errors import ModelSupportError
from halluc.models.families.base import Family, VisionInputs


def test_tensors_of_one_shape_are_joined_in_order():
    rows = [{"pixel_values": torch.full((n, 2), float(n))} for n in (1, 2)]
    joined = Family().vision_arguments(rows)
    assert joined["pixel_values"].tolist() == [[1, 1], [2, 2], [2, 2]]


def test_shorter_tensors_are_filled_with_zeros():
    rows = [{"pixel_values": torch.ones(1, 2, 1)}, {"pixel_values": torch.full((2, 1, 2), 5.0)}]
    joined = Family().vision_arguments(rows)["pixel_values"]
    assert joined.tolist() == [[[1, 0], [1, 0]], [[5, 5], [0, 0]], [[5, 5], [0, 0]]]


def test_no_pictures_are_no_arguments():
    assert Family().vision_arguments([]) == {}


def test_positions_count_from_zero_in_every_row():
    ids = torch.zeros(2, 3, dtype=torch.long)
    positions = Family().position_ids(None, ids, torch.ones_like(ids), {})
    assert positions.tolist() == [[0, 1, 2], [0, 1, 2]]


def test_all_rows_go_together():
    family = Family()
    assert family.layout(None) == family.layout(VisionInputs({}, ("x",)))


def test_a_text_processor_is_refused():
    with pytest.raises(ModelSupportError, match="has no image_token"):
        Family().placeholder(SimpleNamespace())


def test_expansions_follow_the_pictures(tiny_checkpoint, pictures):
    processor = AutoProcessor.from_pretrained(tiny_checkpoint("smolvlm"))
    images = [load_image(path) for path in pictures[:2]]
    vision = Family().preprocess(processor, images, None)
    one, other = (Family().preprocess(processor, [image], None) for image in images)
    assert vision.expansions == one.expansions + other.expansions
    tiles = [part.tensors["pixel_values"].shape[1] for part in (vision, one, other)]
    assert tiles[0] == tiles[1] + tiles[2]
    # four tokens a tile; the upright picture has 2 x 2 tiles and an overview
    assert vision.expansions[0].count("<image>") == 5 * 4
