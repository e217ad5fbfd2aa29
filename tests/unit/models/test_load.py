import json
import shutil

import pytest
import torch
from transformers import LlamaConfig

from halluc.errors import ModelNotFoundError, ModelSupportError, UnknownOptionError
from halluc.models.load import load_lvlm


@pytest.fixture
def copied(tiny_checkpoint, tmp_path):
    """Copy a tiny Qwen2-VL, so that a test may change it."""
    return shutil.copytree(tiny_checkpoint("qwen2_vl"), tmp_path / "copy")


def test_a_folder_loads_in_evaluation_mode_in_the_asked_format(copied):
    lvlm = load_lvlm(str(copied), dtype="bfloat16", max_pixels=5000)
    assert not lvlm.training
    assert lvlm.dtype == torch.bfloat16
    assert (lvlm.path, lvlm.max_pixels, lvlm.encoder.max_pixels) == (str(copied), 5000, 5000)
    assert lvlm.device.type == "cpu"


def test_options_are_checked_before_the_path():
    with pytest.raises(UnknownOptionError, match=r"model\.dtype is 'bf16'.*bfloat16"):
        load_lvlm("/nowhere", dtype="bf16")


def test_a_text_model_is_refused(tmp_path):
    LlamaConfig().save_pretrained(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelSupportError, match=r"model_type 'llama'.*vision-language"):
        load_lvlm(str(tmp_path))


def test_a_checkpoint_without_chat_template_is_refused_before_weights(copied):
    (copied / "chat_template.jinja").unlink()
    (copied / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ModelSupportError, match="has no chat template"):
        load_lvlm(str(copied))


def test_missing_weights_are_reported(copied):
    (copied / "model.safetensors").unlink()
    with pytest.raises(ModelNotFoundError, match="lacks safetensors"):
        load_lvlm(str(copied))


def test_published_penalties_and_samplers_are_dropped(copied):
    path = copied / "generation_config.json"
    published = json.loads(path.read_text())
    path.write_text(json.dumps(published | {"repetition_penalty": 5.0, "top_k": 1, "temperature": 0.1}))
    config = load_lvlm(str(copied), dtype="float32").hf_model.generation_config
    assert (config.repetition_penalty, config.top_k, config.temperature) == (None, None, None)
    assert config.eos_token_id == published["eos_token_id"]
