"""The fingerprint follows the base model, whatever adapter is on it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from halluc.models.adapters import LoraAdapter
from halluc.models.base_weights import base_fingerprint
from halluc.models.load import load_lvlm
from halluc.models.lvlm import Lvlm


@pytest.mark.parametrize(
    "adapter",
    [
        LoraAdapter(),
        LoraAdapter(r=2, target_modules=("q_proj",), use_dora=True),
        LoraAdapter(target_modules="all-linear", include_vision=True, modules_to_save=("lm_head",)),
    ],
    ids=["lora", "dora", "vision and saved modules"],
)
@pytest.mark.parametrize("family", ["qwen2_vl", "llava_next"])
def test_an_adapter_does_not_show(family: str, adapter: LoraAdapter, tiny_lvlm: Callable[..., Lvlm]):
    lvlm = tiny_lvlm(family)
    before = base_fingerprint(lvlm)

    adapter.attach(lvlm)
    with torch.no_grad():
        for parameter in lvlm.parameters():
            if parameter.requires_grad:  # as after training
                parameter.add_(1)

    assert base_fingerprint(lvlm) == before


def test_every_weight_shows(tiny_lvlm: Callable[..., Lvlm]):
    lvlm = tiny_lvlm()
    LoraAdapter().attach(lvlm)
    seen = {base_fingerprint(lvlm)}
    parts = [lvlm.hf_model.model.visual, lvlm.family.decoder(lvlm.hf_model).layers[0], lvlm.hf_model.lm_head]

    for part in parts:
        weight = next(parameter for parameter in part.parameters() if not parameter.requires_grad)
        with torch.no_grad():
            weight.view(-1)[0] += 1
        seen.add(base_fingerprint(lvlm))

    assert len(seen) == len(parts) + 1


def test_number_format_and_configuration_show_and_the_folder_does_not(
    tiny_checkpoint: Callable[[str], Path], tiny_lvlm: Callable[..., Lvlm], tmp_path: Path
):
    moved = shutil.copytree(tiny_checkpoint("qwen2_vl"), tmp_path / "moved")
    changed = tiny_lvlm()
    changed.hf_model.config.text_config.rope_parameters["rope_theta"] = 1e4

    here = base_fingerprint(tiny_lvlm())

    assert base_fingerprint(load_lvlm(str(moved), dtype="float32")) == here
    assert base_fingerprint(tiny_lvlm(dtype="bfloat16")) != here
    assert base_fingerprint(changed) != here
