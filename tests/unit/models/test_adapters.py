import logging

import pytest
import torch

from halluc.errors import AdapterTargetError, ConfigError
from halluc.models.adapters import LoraAdapter, adapter_disabled
from halluc.packing.plain import PlainScorer
from halluc.packing.sequence import ScoredSequence


@pytest.fixture
def score(ask, pictures):
    """Return a function that scores one answer with a model."""
    sequence = ScoredSequence(ask("Is there a kite?", pictures[0]), "Yes")

    def run(lvlm):
        scorer = PlainScorer(lvlm)
        return scorer(scorer.collate([sequence])).sums()

    return run


def stir(lvlm):
    """Give every adapter weight a value, since a fresh adapter changes nothing."""
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in lvlm.parameters():
            if parameter.requires_grad:
                parameter.normal_(0, 0.1)


def test_the_report_counts_modules_and_parameters(tiny_lvlm):
    report = LoraAdapter(r=2, target_modules=["q_proj"]).attach(tiny_lvlm("llava"))
    assert report.count == 2
    assert report.names[0] == "model.language_model.layers.0.self_attn.q_proj"
    assert report.parameters == 2 * (2 * 64 + 64 * 2)  # A: r x 64 and B: 64 x r, in two layers


def test_adapter_weights_are_float32_and_alone_trainable(tiny_lvlm):
    lvlm = tiny_lvlm("llava", dtype="bfloat16")
    LoraAdapter(r=2).attach(lvlm)
    kinds = {(p.requires_grad, p.dtype) for name, p in lvlm.named_parameters() if "lora_" in name}
    assert kinds == {(True, torch.float32)}
    assert not any(p.requires_grad for name, p in lvlm.named_parameters() if "lora_" not in name)


def test_a_fresh_adapter_changes_nothing_and_a_disabled_one_neither(tiny_lvlm, score):
    lvlm = tiny_lvlm()
    with torch.no_grad():
        base = score(lvlm)
        LoraAdapter(r=2).attach(lvlm)
        assert torch.equal(score(lvlm), base)
        stir(lvlm)
        moved = score(lvlm)
        assert (moved - base).abs() > 1e-3
        with adapter_disabled(lvlm):
            assert torch.equal(score(lvlm), base)
        assert torch.equal(score(lvlm), moved)
    assert any(p.requires_grad for p in lvlm.parameters())


@pytest.mark.parametrize("training", [True, False])
def test_the_adapter_takes_the_mode_of_the_model(training, tiny_lvlm):
    lvlm = tiny_lvlm().train(training)
    LoraAdapter(r=2, lora_dropout=0.5).attach(lvlm)
    assert {module.training for module in lvlm.modules()} == {training}


def test_vision_is_wrapped_only_when_asked(tiny_lvlm):
    report = LoraAdapter(r=2, target_modules=["q_proj"], include_vision=True).attach(tiny_lvlm("llava"))
    assert sum("vision_tower" in name for name in report.names) == 3


def test_modules_can_be_trained_whole(tiny_lvlm):
    lvlm = tiny_lvlm("llava")
    plain = LoraAdapter(r=2).attach(tiny_lvlm("llava")).parameters
    report = LoraAdapter(r=2, modules_to_save=["lm_head"]).attach(lvlm)
    assert report.parameters == plain + lvlm.hf_model.config.text_config.vocab_size * 64


def test_an_unknown_target_is_an_error(tiny_lvlm):
    with pytest.raises(AdapterTargetError, match="matches no linear module"):
        LoraAdapter(target_modules=["c_attn"]).attach(tiny_lvlm())


def test_a_second_adapter_is_refused(tiny_lvlm):
    lvlm = tiny_lvlm()
    LoraAdapter(r=2).attach(lvlm)
    with pytest.raises(ConfigError, match="has an adapter already"):
        LoraAdapter(r=2).attach(lvlm)


def test_disabling_needs_an_adapter(tiny_lvlm):
    with pytest.raises(ConfigError, match="has no adapter"), adapter_disabled(tiny_lvlm()):
        pass


@pytest.mark.parametrize(
    "wrong", [{"r": 0}, {"lora_alpha": 0}, {"lora_dropout": 1.0}, {"target_modules": []}]
)
def test_numbers_are_checked_before_any_model(wrong):
    with pytest.raises(ConfigError, match="adapter"):
        LoraAdapter(**wrong)


def test_dora_trains_magnitudes_too(tiny_lvlm):
    lvlm = tiny_lvlm()
    LoraAdapter(r=2, use_dora=True).attach(lvlm)
    assert any("lora_magnitude_vector" in n for n, p in lvlm.named_parameters() if p.requires_grad)


def test_gradient_checkpointing_gives_the_same_gradients(tiny_lvlm, score):
    gradients = []
    for checkpointing in (False, True):
        lvlm = tiny_lvlm().train()
        LoraAdapter(r=2, lora_dropout=0.0, gradient_checkpointing=checkpointing).attach(lvlm)
        stir(lvlm)
        score(lvlm).sum().backward()
        gradients.append({n: p.grad for n, p in lvlm.named_parameters() if p.requires_grad})
        assert any(getattr(m, "gradient_checkpointing", False) for m in lvlm.modules()) == checkpointing
    for name, plain in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], plain)
    assert any(gradient.abs().max() > 1e-4 for gradient in gradients[0].values())


def test_where_it_landed_is_logged(tiny_lvlm, caplog):
    with caplog.at_level(logging.INFO, logger="halluc.models.adapters"):
        LoraAdapter(r=2, target_modules=["q_proj"]).attach(tiny_lvlm())
    assert "adapter on 2 x model.language_model.layers.*.self_attn.q_proj" in caplog.text
    assert "adapter on 2 modules" in caplog.text
