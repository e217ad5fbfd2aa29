import pytest
import torch

from halluc.data.records import Sample
from halluc.errors import ConfigError, RecordError
from halluc.models.adapters import LoraAdapter


@pytest.mark.parametrize(
    ("family", "decoder"), [("qwen2_vl", "model.language_model"), ("idefics3", "model.text_model")]
)
def test_the_decoder_is_found_with_and_without_an_adapter(family, decoder, tiny_lvlm):
    lvlm = tiny_lvlm(family)
    plain = lvlm.hf_model
    assert lvlm.decoder_name == decoder
    LoraAdapter(r=2).attach(lvlm)
    assert lvlm.is_adapted
    assert lvlm.hf_model is plain
    assert lvlm.decoder_name == decoder


def test_an_adapter_can_be_required(tiny_lvlm):
    with pytest.raises(ConfigError, match="has no adapter"):
        tiny_lvlm().require_adapter()


@pytest.mark.parametrize("training", [True, False])
def test_evaluating_restores_the_mode(training, tiny_lvlm):
    lvlm = tiny_lvlm().train(training)
    with lvlm.evaluating():
        assert not lvlm.hf_model.training
    assert lvlm.hf_model.training == training


def test_picture_tensors_take_the_number_format_of_the_model(tiny_lvlm, ask, pictures):
    lvlm = tiny_lvlm(dtype="bfloat16")
    question = ask("What?", pictures[0])
    vision = lvlm.encoder.vision(question)
    ids = torch.tensor([lvlm.encoder.encode_prompt(question, vision)])
    inputs = lvlm.inputs(ids, torch.ones_like(ids), torch.tensor([ids.shape[1]]), [vision.tensors])
    assert inputs["pixel_values"].dtype == torch.bfloat16
    assert inputs["image_grid_thw"].dtype == torch.int64


def test_earlier_calls_leave_no_trace(tiny_lvlm, ask, pictures):
    """Qwen-VL keeps a position offset of its last call; it must not reach the next one."""
    lvlm = tiny_lvlm()
    text = torch.tensor([lvlm.encoder.encode_prompt(ask("Is a circle round?"), None)])
    arguments = (text, torch.ones_like(text), torch.tensor([text.shape[1]]), [], torch.tensor([3]))
    with torch.no_grad():
        before = lvlm(*arguments)
        question = ask("What?", pictures[1])
        vision = lvlm.encoder.vision(question)
        ids = torch.tensor([lvlm.encoder.encode_prompt(question, vision)])
        seen = lvlm.inputs(ids, torch.ones_like(ids), torch.tensor([ids.shape[1]]), [vision.tensors])
        lvlm.hf_model.generate(**seen, max_new_tokens=2, do_sample=False)
        assert lvlm.hf_model.model.rope_deltas is not None
        assert torch.equal(lvlm(*arguments), before)


def test_training_texts_are_checked_before_training(tiny_lvlm, ask):
    lvlm = tiny_lvlm()
    good = Sample(question=ask("Is it?", id="p1"), answer="Yes")
    lvlm.check_texts([good])
    bad = Sample(question=ask("Is it?", id="p2"), answer="<|im_end|>")
    with pytest.raises(RecordError, match="1 texts hold control strings") as caught:
        lvlm.check_texts([good, bad])
    assert caught.value.problems == ("question p2: its answer holds '<|im_end|>'",)
