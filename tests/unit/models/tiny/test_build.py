import pytest
import torch
from safetensors.torch import load_file

from halluc.errors import UnknownOptionError
from halluc.models.tiny.build import FAMILIES, build_tiny, randomise_zeros


def test_twelve_families_are_offered():
    assert len(FAMILIES) == 12


def test_an_unknown_family_is_named_with_the_choices(tmp_path):
    with pytest.raises(UnknownOptionError, match=r"family is 'blip'.*idefics3.*qwen3_vl"):
        build_tiny("blip", tmp_path)


def test_the_seed_decides_the_weights_and_leaves_the_global_state_alone(tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        build_tiny("llava", tmp_path / name, seed=seed)
    assert torch.equal(torch.rand(3), expected)
    a, b, c = (load_file(tmp_path / name / "model.safetensors") for name in "abc")
    key = next(name for name in a if name.endswith("layers.0.self_attn.q_proj.weight"))
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert not torch.equal(a[key], c[key])


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_checkpoint_is_small_and_no_weight_is_all_zero(family, tiny_checkpoint):
    folder = tiny_checkpoint(family)
    weights = load_file(folder / "model.safetensors")
    assert 200_000 < sum(weight.numel() for weight in weights.values()) < 600_000
    dead = [name for name, weight in weights.items() if not name.endswith("bias") and not weight.any()]
    assert dead == []
    assert not list(folder.glob("*.bin"))


def test_only_zero_weights_are_drawn_anew():
    module = torch.nn.Linear(3, 3)
    torch.nn.init.zeros_(module.weight)
    torch.nn.init.zeros_(module.bias)
    other = torch.nn.Linear(2, 2)
    before = other.weight.clone()
    randomise_zeros(torch.nn.ModuleList([module, other]))
    assert module.weight.all()
    assert not module.bias.any()
    assert torch.equal(other.weight, before)
