import random

import numpy as np
import pytest
import torch
from PIL import Image

from halluc.errors import ConfigError
from halluc.miniworld.lessons.curriculum import pair_rows, single_rows
from halluc.miniworld.lessons.single_lessons import Lesson
from halluc.miniworld.pretraining.architecture import build_model
from halluc.miniworld.pretraining.branches import LENGTHS, pack_branches
from halluc.miniworld.pretraining.fast_forward import branch_logits, patches, vision_features
from halluc.miniworld.pretraining.tokenizer import TextEncoder, build_processor
from halluc.miniworld.scenes.drawing import Painter


@pytest.fixture(scope="module")
def model():
    torch.set_num_threads(1)
    return build_model(0)


@pytest.fixture(scope="module")
def encode():
    return TextEncoder()


@pytest.fixture(scope="module")
def processor():
    return build_processor()


def to_image(cells):
    """Put painted cells together, independently of ``Painter.image``."""
    rows = [np.concatenate(list(cells[3 * row : 3 * row + 3]), axis=1) for row in range(3)]
    return Image.fromarray(np.concatenate(rows, axis=0).astype(np.uint8))


def inputs(processor, lesson, images):
    content = [*[{"type": "image"}] * len(images), {"type": "text", "text": "\n".join(lesson.parts)}]
    turns = [{"role": "user", "content": content}, {"role": "assistant", "content": lesson.answer}]
    text = processor.apply_chat_template(turns, tokenize=False)
    return processor(text=[text], images=images, return_tensors="pt")


@pytest.mark.parametrize(("draw", "count"), [(single_rows, 1), (pair_rows, 2)])
def test_logits_equal_those_of_the_plain_forward(model, encode, processor, draw, count):
    pictures, rows = draw(random.Random(0), 2, 0.7)
    rows = [row[:9] for row in rows]
    cells = (
        Painter(0, variants=1).cells([s for row in pictures for s in row], np.random.default_rng(0)).round()
    )
    branches = pack_branches(rows, encode)
    with torch.no_grad():
        features = vision_features(model, patches(cells)).view(2, count, 9, -1)
        fast = branch_logits(model, features, branches, encode)
        lessons = [(row, lesson) for row, found in enumerate(rows) for lesson in found]
        for number, (row, lesson) in enumerate(lessons):
            images = [to_image(each) for each in cells[row * count : (row + 1) * count]]
            batch = inputs(processor, lesson, images)
            mine = (branches.lessons == number).nonzero().flatten()
            wanted = model(**batch).logits[0, -len(mine) - 1 : -1]
            assert batch["input_ids"][0, -len(mine) :].tolist() == branches.targets[mine].tolist()
            torch.testing.assert_close(fast[mine], wanted, atol=2e-5, rtol=1e-4)


def test_gradients_equal_those_of_the_plain_forward(model, encode, processor):
    pictures, rows = single_rows(random.Random(1), 1, 0.7)
    lesson = rows[0][0]
    cells = Painter(0, variants=1).cells(pictures[0], np.random.default_rng(0)).round()
    names = [
        "layers.0.self_attn.q_proj.weight",
        "layers.2.input_layernorm.weight",
        "layers.4.mlp.down_proj.weight",
    ]
    parameters = [model.model.language_model.get_parameter(name) for name in names]
    branches = pack_branches([[lesson]], encode)
    logits = branch_logits(model, vision_features(model, patches(cells))[:, None], branches, encode)
    fast = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, branches.targets), parameters)
    batch = inputs(processor, lesson, [to_image(cells[0])])
    count = len(branches.targets)
    logits = model(**batch).logits[0, -count - 1 : -1]
    plain = torch.autograd.grad(
        torch.nn.functional.cross_entropy(logits, batch["input_ids"][0, -count:]), parameters
    )
    for mine, wanted in zip(fast, plain, strict=True):
        torch.testing.assert_close(mine, wanted, atol=1e-6, rtol=1e-3)


def test_branches_do_not_see_each_other(model, encode):
    pictures, rows = single_rows(random.Random(2), 1, 0.7)
    cells = Painter(0, variants=1).cells(pictures[0], np.random.default_rng(0))
    with torch.no_grad():
        features = vision_features(model, patches(cells))[:, None]
        whole, alone = pack_branches([rows[0]], encode), pack_branches([rows[0][:1]], encode)
        together = branch_logits(model, features, whole, encode)[: len(alone.targets)]
        torch.testing.assert_close(
            together, branch_logits(model, features, alone, encode), atol=1e-5, rtol=1e-4
        )


def test_another_picture_changes_the_logits(model, encode):
    pictures, rows = single_rows(random.Random(3), 2, 0.7)
    cells = Painter(0, variants=1).cells([row[0] for row in pictures], np.random.default_rng(0))
    branches = pack_branches([rows[0][:2]], encode)
    with torch.no_grad():
        features = vision_features(model, patches(cells))[:, None]
        first, second = (branch_logits(model, features[i : i + 1], branches, encode) for i in (0, 1))
    assert (first - second).abs().max() > 1e-3


def test_first_targets_are_the_answers_first_tokens(encode):
    lessons = [
        Lesson(("Is it?",), "Yes", "a"),
        Lesson(("What?",), "a red key", "b"),
        Lesson(("Is it?",), "No", "c"),
    ]
    branches = pack_branches([lessons[:2], lessons[2:]], encode)
    first = branches.targets[branches.first_targets()].tolist()
    assert first == [encode("Yes")[0], encode("a")[0], encode("No")[0]]
    assert sorted(block.input_ids.shape for block in branches.blocks) == [(3, LENGTHS[0])]
    assert branches.blocks[0].rows.tolist() == [0, 0, 1]


def test_a_lesson_longer_than_any_block_is_refused(encode):
    with pytest.raises(ConfigError, match="lesson endless has"):
        pack_branches([[Lesson(("key " * LENGTHS[-1],), "Yes", "endless")]], encode)
