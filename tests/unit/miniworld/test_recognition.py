import random

import numpy as np
import pytest
import torch
from PIL import Image

from halluc.miniworld.lessons.curriculum import draw_pair
from halluc.miniworld.lessons.single_lessons import Lesson
from halluc.miniworld.pretraining.architecture import build_model
from halluc.miniworld.pretraining.branches import pack_branches
from halluc.miniworld.pretraining.fast_forward import branch_logits, patches, vision_features
from halluc.miniworld.pretraining.recognition import recognitions
from halluc.miniworld.pretraining.tokenizer import TextEncoder, build_processor
from halluc.miniworld.scenes.drawing import Painter
from halluc.miniworld.scenes.facts import Facts


@pytest.fixture(scope="module")
def encode():
    return TextEncoder()


@pytest.fixture(scope="module")
def pairs():
    rng = random.Random(5)
    return [draw_pair(rng, "train") for _ in range(12)]


def test_things_that_are_once_in_both_pictures_say_whether_their_colour_is_the_same(pairs, encode):
    found = recognitions(pairs, encode)
    expected = []
    for number, (first, second) in enumerate(pairs):
        for cell, thing in second.placed():
            alike = [one for _, one in first.placed() if one.kind == thing.kind]
            if len(alike) == 1 and Facts(second).count(thing.kind) == 1:
                said = "yes" if alike[0].color == thing.color else "no"
                expected.append((23 * number + 13 + cell, encode(said)[0]))
    assert sorted(zip(found.slots.tolist(), found.targets.tolist(), strict=True)) == sorted(expected)
    assert len({token for _, token in expected}) == 2


def test_rows_of_one_picture_have_none(pairs, encode):
    found = recognitions([pair[:1] for pair in pairs], encode)
    assert found.slots.shape == found.targets.shape == (0,)
    assert found.slots.dtype == found.targets.dtype == torch.long


def test_the_slots_are_the_second_pictures_cells_in_the_plain_forward(pairs, encode):
    """The logits at each slot are those that the model of transformers has at that cell's token."""
    torch.set_num_threads(1)
    model, processor = build_model(0), build_processor()
    lesson = Lesson(("Is it?",), "Yes", "any")
    pairs = [pair for pair in pairs if len(recognitions([pair], encode).slots)][:2]
    cells = (
        Painter(0, variants=1).cells([s for pair in pairs for s in pair], np.random.default_rng(0)).round()
    )
    found = recognitions(pairs, encode)
    with torch.no_grad():
        features = vision_features(model, patches(cells)).view(2, 2, 9, -1)
        branches = pack_branches([[lesson], [lesson]], encode)
        fast = branch_logits(model, features, branches, encode, found.slots)[len(branches.slots) :]
        for row in range(2):
            images = [_image(each) for each in cells[2 * row : 2 * row + 2]]
            content = [{"type": "image"}, {"type": "image"}, {"type": "text", "text": "Is it?"}]
            text = processor.apply_chat_template([{"role": "user", "content": content}], tokenize=False)
            batch = processor(text=[text], images=images, return_tensors="pt")
            plain = model(**batch).logits[0]
            tokens = (batch["input_ids"][0] == model.config.image_token_id).nonzero().flatten()[9:]
            mine = (found.slots >= 23 * row) & (found.slots < 23 * (row + 1))
            wanted = plain[tokens[found.slots[mine] - 23 * row - 13]]
            torch.testing.assert_close(fast[mine], wanted, atol=2e-5, rtol=1e-4)
            assert mine.any()


def _image(cells):
    rows = [np.concatenate(list(cells[3 * row : 3 * row + 3]), axis=1) for row in range(3)]
    return Image.fromarray(np.concatenate(rows, axis=0).astype(np.uint8))
