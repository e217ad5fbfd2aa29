"""What counts as before the decoder, and whether it is trained."""

import pytest
import torch

from halluc.models.adapters import LoraAdapter, adapter_disabled
from halluc.models.vision_tower import tower_fingerprint, tower_is_frozen


@pytest.mark.parametrize("family", ["qwen2_vl", "llava_next", "mllama"])
def test_lora_on_the_decoder_leaves_the_tower_frozen(family, tiny_lvlm):
    lvlm = tiny_lvlm(family)
    assert not tower_is_frozen(lvlm)  # a model as loaded trains everything
    before = tower_fingerprint(lvlm)

    LoraAdapter().attach(lvlm)

    assert tower_is_frozen(lvlm)
    assert tower_fingerprint(lvlm) == before


def test_an_adapter_on_the_tower_counts_even_while_it_is_off(tiny_lvlm):
    lvlm = tiny_lvlm()
    LoraAdapter(target_modules="all-linear", include_vision=True).attach(lvlm)

    assert not tower_is_frozen(lvlm)
    with adapter_disabled(lvlm):
        assert not tower_is_frozen(lvlm)


def test_a_single_trained_parameter_counts(tiny_lvlm):
    """LLaVA-NeXT puts a learnt separator between rows of patches; it belongs to no module of the tower."""
    lvlm = tiny_lvlm("llava_next")
    LoraAdapter().attach(lvlm)
    lvlm.hf_model.model.image_newline.requires_grad_(True)

    assert not tower_is_frozen(lvlm)


def test_the_fingerprint_follows_the_tower_and_not_the_decoder(tiny_lvlm):
    lvlm = tiny_lvlm("llava_next")
    before = tower_fingerprint(lvlm)

    with torch.no_grad():
        lvlm.hf_model.get_output_embeddings().weight.add_(1)
        lvlm.family.decoder(lvlm.hf_model).layers[0].mlp.up_proj.weight.add_(1)
    assert tower_fingerprint(lvlm) == before
    with torch.no_grad():
        lvlm.hf_model.model.image_newline.add_(1)
    assert tower_fingerprint(lvlm) != before
