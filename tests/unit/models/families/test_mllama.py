from types import SimpleNamespace

import pytest
import torch
from transformers import AutoProcessor

from halluc.data.images import load_image
from halluc.models.families.base import VisionInputs
from halluc.models.families.mllama import Mllama

IMAGE = 7
MODEL = SimpleNamespace(config=SimpleNamespace(image_token_id=IMAGE))


def mask_of(ids, tiles):
    vision = {"aspect_ratio_mask": torch.tensor([tiles])}
    return Mllama().text_arguments(MODEL, torch.tensor([ids]), torch.tensor([0]), vision)[
        "cross_attention_mask"
    ][0]


def test_a_picture_is_seen_from_its_placeholder_on_in_its_own_tiles():
    mask = mask_of([1, IMAGE, 2, 3], [[1, 1, 0]])
    assert mask[:, 0].tolist() == [[0, 0, 0], [1, 1, 0], [1, 1, 0], [1, 1, 0]]


def test_a_picture_is_seen_until_the_next_one():
    mask = mask_of([IMAGE, 2, IMAGE, 3], [[1, 0], [1, 1]])
    assert mask[:, 0].tolist() == [[1, 0], [1, 0], [0, 0], [0, 0]]
    assert mask[:, 1].tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]


def test_neighbouring_pictures_are_seen_together():
    mask = mask_of([IMAGE, IMAGE, 3], [[1], [1]])
    assert mask[:, :, 0].tolist() == [[1, 0], [1, 1], [1, 1]]


def test_no_pictures_no_mask():
    assert Mllama().text_arguments(MODEL, torch.tensor([[1, 2]]), torch.tensor([0]), {}) == {}


def test_rows_go_together_by_number_of_pictures():
    family = Mllama()
    assert [family.layout(v) for v in (None, VisionInputs({}, ("x",)), VisionInputs({}, ("x", "x")))] == [
        0,
        1,
        2,
    ]


@pytest.mark.parametrize("count", [1, 2])
def test_the_mask_equals_the_processors(count, tiny_checkpoint, pictures):
    processor = AutoProcessor.from_pretrained(tiny_checkpoint("mllama"))
    images = [load_image(path) for path in pictures[:count]]
    text = "<|begin_of_text|>See: " + "<|image|>" * count + "What is it?"
    whole = processor(text=[text], images=[images], return_tensors="pt", add_special_tokens=False)
    model = SimpleNamespace(config=SimpleNamespace(image_token_id=processor.image_token_id))
    vision = Mllama().preprocess(processor, images, None)
    ours = Mllama().text_arguments(model, whole["input_ids"], torch.tensor([0]), vision.tensors)
    assert torch.equal(ours["cross_attention_mask"], whole["cross_attention_mask"])
    assert vision.expansions == ("<|image|>",) * count
