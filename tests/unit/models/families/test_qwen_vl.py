from types import SimpleNamespace

import pytest
import torch

from halluc.models.families.qwen_vl import QwenVL

PROCESSOR = SimpleNamespace(image_processor=SimpleNamespace(size={"shortest_edge": 3136}))


@pytest.mark.parametrize(("bound", "lower"), [(1_000_000, 3136), (784, 784)])
def test_the_bound_replaces_the_upper_size_and_caps_the_lower(bound, lower):
    arguments = QwenVL().images_arguments(PROCESSOR, bound)
    assert arguments == {"images_kwargs": {"size": {"shortest_edge": lower, "longest_edge": bound}}}


def test_no_bound_leaves_the_processor_alone():
    assert QwenVL().images_arguments(PROCESSOR, None) == {}


@pytest.mark.parametrize("name", ["qwen2_vl", "qwen2_5_vl", "qwen3_vl"])
def test_positions_have_three_axes_and_ignore_padding(name, tiny_lvlm):
    """A picture of 2 x 3 tokens stands between two words; what follows goes on from its longer side."""
    lvlm = tiny_lvlm(name)
    image = lvlm.hf_model.config.image_token_id
    ids = torch.tensor([[9, *[image] * 6, 8, 7], [9, 8, 7, 0, 0, 0, 0, 0, 0]])
    mask = torch.tensor([[1] * 9, [1] * 3 + [0] * 6])
    vision = {"image_grid_thw": torch.tensor([[1, 4, 6]])}
    positions = lvlm.family.position_ids(lvlm.hf_model, ids, mask, vision)
    assert positions[:, 0].tolist() == [
        [0, 1, 1, 1, 1, 1, 1, 4, 5],
        [0, 1, 1, 1, 2, 2, 2, 4, 5],
        [0, 1, 2, 3, 1, 2, 3, 4, 5],
    ]
    assert positions[:, 1, :3].tolist() == [[0, 1, 2]] * 3


def test_image_tokens_are_marked():
    model = SimpleNamespace(config=SimpleNamespace(image_token_id=5))
    marked = QwenVL().text_arguments(model, torch.tensor([[5, 1, 5]]), torch.tensor([3]), {})
    assert marked["mm_token_type_ids"].tolist() == [[1, 0, 1]]
