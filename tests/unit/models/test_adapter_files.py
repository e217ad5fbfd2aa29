import json
import logging

import peft
import pytest
import torch
from transformers import AutoModelForImageTextToText

from halluc.errors import ConfigError, ResumeError, SourceNotFoundError
from halluc.models.adapter_files import (
    adapter_state,
    load_adapter,
    load_adapter_state,
    save_adapter,
    without_alias_warning,
)
from halluc.models.adapters import LoraAdapter


@pytest.fixture
def adapted(tiny_lvlm):
    """Load a tiny model whose adapter holds values."""
    lvlm = tiny_lvlm()
    LoraAdapter(r=2).attach(lvlm)
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in lvlm.parameters():
            if parameter.requires_grad:
                parameter.normal_()
    return lvlm


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_the_state_is_a_copy_of_every_trainable_weight(adapted):
    state = adapter_state(adapted)
    assert sum(tensor.numel() for tensor in state.values()) == sum(
        p.numel() for p in adapted.parameters() if p.requires_grad
    )
    before = {name: tensor.clone() for name, tensor in state.items()}
    with torch.no_grad():
        for parameter in adapted.parameters():
            parameter.add_(1)
    assert same(state, before)
    load_adapter_state(adapted, before)
    assert same(adapter_state(adapted), before)


def test_modules_trained_whole_are_part_of_the_state(tiny_lvlm):
    lvlm = tiny_lvlm("llava")
    LoraAdapter(r=2, modules_to_save=["lm_head"]).attach(lvlm)
    assert any(name.endswith("lm_head.weight") for name in adapter_state(lvlm))


def test_a_saved_adapter_comes_back_with_and_without_an_attached_one(adapted, tiny_lvlm, tmp_path):
    save_adapter(adapted, tmp_path / "adapter")
    attached, bare = tiny_lvlm(), tiny_lvlm()
    LoraAdapter(r=2).attach(attached)
    assert not same(adapter_state(attached), adapter_state(adapted))
    for lvlm in (attached, bare):
        load_adapter(lvlm, tmp_path / "adapter")
        assert same(adapter_state(lvlm), adapter_state(adapted))


def test_peft_alone_loads_it(adapted, tmp_path, tiny_checkpoint):
    save_adapter(adapted, tmp_path)
    model = AutoModelForImageTextToText.from_pretrained(tiny_checkpoint("qwen2_vl"))
    with without_alias_warning():
        loaded = peft.PeftModel.from_pretrained(model, str(tmp_path))
    assert same(peft.get_peft_model_state_dict(loaded), adapter_state(adapted))
    assert not any(p.requires_grad for p in loaded.parameters())


def test_saving_again_replaces_and_leaves_nothing_partial(adapted, tmp_path):
    for _ in range(2):
        save_adapter(adapted, tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"adapter_config.json", "adapter_model.safetensors", "halluc.json"}
    note = json.loads((tmp_path / "halluc.json").read_text())
    assert note == {"path": adapted.path, "max_pixels": 112 * 112}


def test_an_adapter_of_another_rank_is_refused(adapted, tiny_lvlm, tmp_path):
    save_adapter(adapted, tmp_path)
    other = tiny_lvlm()
    LoraAdapter(r=4).attach(other)
    with pytest.raises(ResumeError, match=r"differs from the attached one in 28 of 28 weights"):
        load_adapter(other, tmp_path)


def test_an_adapter_of_another_architecture_is_refused(adapted, tiny_lvlm, tmp_path):
    save_adapter(adapted, tmp_path)
    with pytest.raises(ResumeError, match="does not fit"):
        load_adapter(tiny_lvlm("idefics3"), tmp_path)


def test_another_base_model_is_a_warning(adapted, tiny_lvlm, tmp_path, caplog):
    save_adapter(adapted, tmp_path)
    (tmp_path / "halluc.json").write_text(json.dumps({"path": "Qwen/Other", "max_pixels": 1}))
    with caplog.at_level(logging.WARNING):
        load_adapter(tiny_lvlm(), tmp_path)
    assert "was trained on Qwen/Other" in caplog.text


def test_a_folder_without_adapter_is_named(tiny_lvlm, tmp_path):
    with pytest.raises(SourceNotFoundError, match=r"no adapter found in .*adapter_model.safetensors"):
        load_adapter(tiny_lvlm(), tmp_path)


def test_saving_needs_an_adapter(tiny_lvlm, tmp_path):
    with pytest.raises(ConfigError, match="has no adapter"):
        save_adapter(tiny_lvlm(), tmp_path)
