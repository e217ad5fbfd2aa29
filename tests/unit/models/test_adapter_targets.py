import pytest

from halluc.errors import AdapterTargetError
from halluc.models.adapter_targets import pattern, resolve_saved, resolve_targets, vision_parts
from halluc.models.load import load_lvlm


@pytest.fixture(scope="module")
def llava(tiny_checkpoint):
    """Load a LLaVA once: its vision tower has a q_proj too, in three layers."""
    return load_lvlm(str(tiny_checkpoint("llava")), dtype="float32")


LAYER = "model.language_model.layers."


def test_short_names_are_looked_up_in_the_decoder_alone(llava):
    names = resolve_targets(llava, ["q_proj"], include_vision=False)
    assert names == (LAYER + "0.self_attn.q_proj", LAYER + "1.self_attn.q_proj")


def test_include_vision_widens_short_names(llava):
    names = resolve_targets(llava, ["q_proj"], include_vision=True)
    assert len(names) == 2 + 3
    assert sum("vision_tower" in name for name in names) == 3


def test_all_linear_means_the_decoder_without_the_output_layer(llava):
    names = resolve_targets(llava, "all-linear", include_vision=False)
    assert len(names) == 2 * 7
    assert all(name.startswith(LAYER) for name in names)
    assert "lm_head" not in resolve_targets(llava, "all-linear", include_vision=True)


def test_full_and_partial_names(llava):
    assert resolve_targets(llava, ["0.mlp.up_proj"], include_vision=False) == (LAYER + "0.mlp.up_proj",)
    full = LAYER + "1.self_attn.o_proj"
    assert resolve_targets(llava, [full, "1.self_attn.o_proj"], include_vision=False) == (full,)


def test_a_name_must_match_whole_words(llava):
    with pytest.raises(AdapterTargetError, match=r"'proj', which matches no linear module"):
        resolve_targets(llava, ["proj"], include_vision=False)


def test_an_unknown_name_lists_what_there_is(llava):
    with pytest.raises(AdapterTargetError, match=r"'qkv'.*There are: down_proj, gate_proj, k_proj, .*v_proj"):
        resolve_targets(llava, ["q_proj", "qkv"], include_vision=False)


@pytest.mark.parametrize("name", ["fc1", "model.vision_tower.encoder.layers.0.self_attn.q_proj", "linear_1"])
def test_names_outside_the_decoder_need_include_vision(llava, name):
    found = [n for n, _ in llava.hf_model.named_modules() if f".{n}".endswith(f".{name.split('.')[-1]}")]
    assert found
    with pytest.raises(AdapterTargetError, match=r"include_vision=true|matches no linear module"):
        resolve_targets(llava, [name], include_vision=False)


def test_vision_parts_are_everything_beside_decoder_and_output(llava):
    assert set(vision_parts(llava)) == {"model.vision_tower.", "model.multi_modal_projector."}


def test_saved_modules(llava):
    assert resolve_saved(llava, ["lm_head"], include_vision=False) == ("lm_head",)
    with pytest.raises(AdapterTargetError, match=r"'head', which matches no module outside the vision tower"):
        resolve_saved(llava, ["head"], include_vision=False)
    with pytest.raises(AdapterTargetError, match="matches no module"):
        resolve_saved(llava, ["multi_modal_projector"], include_vision=False)
    saved = resolve_saved(llava, ["multi_modal_projector"], include_vision=True)
    assert saved == ("model.multi_modal_projector",)


def test_patterns_hide_layer_numbers_only():
    assert pattern("model.layers.12.mlp.fc1") == "model.layers.*.mlp.fc1"
    assert pattern("model.layers.0") == "model.layers.*"
