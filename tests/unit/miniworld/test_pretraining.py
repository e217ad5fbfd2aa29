from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForImageTextToText, AutoProcessor

from halluc.errors import ResumeError
from halluc.miniworld.lessons import curriculum, pair_lessons
from halluc.miniworld.pretraining.architecture import build_model
from halluc.miniworld.pretraining.optimization import MatrixOptimizer
from halluc.miniworld.pretraining.run import STATE_FILE, PretrainingPlan, pretrain

TINY = PretrainingPlan(
    vision_steps=2, steps=4, vision_images=2, rows=1, pair_share=0.5, redraw_every=2, save_every=2
)


class Stop(Exception):  # noqa: N818  # a signal, not an error
    pass


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Few sprites and few validation pictures: these tests are about the loop."""
    monkeypatch.setattr("halluc.miniworld.pretraining.run.SPRITE_VARIANTS", 1)
    monkeypatch.setattr("halluc.miniworld.pretraining.run.VALIDATION_PICTURES", 2)


def weights(folder):
    return load_file(folder / "model.safetensors")


@pytest.mark.slow
def test_the_plan_alone_decides_and_stopping_changes_nothing(tmp_path):
    seen = []
    pretrain(TINY, tmp_path / "whole", seen.append)

    def stop(progress):
        if (progress.stage, progress.step) == ("language", 3):
            raise Stop

    with pytest.raises(Stop):
        pretrain(TINY, tmp_path / "parts", stop)
    resumed = []
    pretrain(TINY, tmp_path / "parts", resumed.append)
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    assert [(p.stage, p.step) for p in seen] == [
        ("vision", 1),
        ("vision", 2),
        *[("language", n) for n in (1, 2, 3, 4)],
    ]
    assert [(p.stage, p.step) for p in resumed] == [("language", 3), ("language", 4)]
    name = next(name for name in whole if name.endswith("visual.blocks.0.attn.qkv.weight"))
    assert whole[name].dtype == torch.bfloat16
    untrained = build_model(0).get_parameter("model.visual.blocks.0.attn.qkv.weight")
    assert not torch.equal(whole[name], untrained.to(torch.bfloat16))
    model = AutoModelForImageTextToText.from_pretrained(tmp_path / "whole", dtype=torch.float32)
    assert type(model).__name__ == "Qwen2VLForConditionalGeneration"
    assert AutoProcessor.from_pretrained(tmp_path / "whole").tokenizer.eos_token == "<|im_end|>"


@pytest.mark.slow
def test_two_runs_on_two_threads_agree_in_every_bit(tmp_path):
    plan = replace(TINY, vision_steps=1, steps=6, rows=12, save_every=100)
    first, again = [], []
    pretrain(plan, tmp_path / "first", lambda progress: first.append(progress.loss))
    pretrain(plan, tmp_path / "again", lambda progress: again.append(progress.loss))
    assert len(first) == 7
    assert first == again


@pytest.mark.slow
def test_the_state_of_another_plan_is_refused(tmp_path):
    def stop(progress):
        if progress.step == 2:
            raise Stop

    with pytest.raises(Stop):
        pretrain(TINY, tmp_path, stop)
    assert (tmp_path / STATE_FILE).is_file()
    with pytest.raises(ResumeError, match="belongs to another plan"):
        pretrain(replace(TINY, steps=5), tmp_path)


@pytest.mark.slow
def test_the_state_of_other_lessons_is_refused(tmp_path, monkeypatch):
    def stop(progress):
        if progress.step == 2:
            raise Stop

    with pytest.raises(Stop):
        pretrain(TINY, tmp_path, stop)
    monkeypatch.setitem(curriculum.PAIR_MIX, pair_lessons.pair_count, 9.0)
    with pytest.raises(ResumeError, match="was taught other lessons"):
        pretrain(TINY, tmp_path)


def test_the_models_weights_depend_on_the_seed_alone():
    first, again, other = (build_model(seed).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(first[name], again[name]) for name in first)
    name = "model.language_model.embed_tokens.weight"
    assert not torch.equal(first[name], other[name])
    assert float(first[name].std()) == pytest.approx(0.06, rel=0.05)


def test_the_optimizer_moves_every_kind_of_parameter_and_resumes():
    def module():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Conv1d(1, 1, 2), torch.nn.LayerNorm(3))

    def run(net, optimizer, steps):
        for _ in range(steps):
            net(torch.ones(1, 1, 4)).square().sum().backward()
            optimizer.step(1e-2)

    whole = module()
    start = {name: p.clone() for name, p in whole.named_parameters()}
    run(whole, MatrixOptimizer(whole.named_parameters()), 4)
    moved = [name for name, p in whole.named_parameters() if not torch.equal(p, start[name])]
    assert {"0.weight", "0.bias", "1.weight", "2.bias"} <= set(moved)

    parts = module()
    first = MatrixOptimizer(parts.named_parameters())
    run(parts, first, 2)
    second = MatrixOptimizer(parts.named_parameters())
    second.load_state(first.state())
    run(parts, second, 2)
    for mine, wanted in zip(parts.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(mine, wanted)
