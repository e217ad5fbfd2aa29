"""Training and evaluation under Lightning come out the same on token trees and on padded rows."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from lightning.pytorch import Trainer
from transformers import get_scheduler

from halluc.answering.likelihood import LikelihoodAnswerer
from halluc.data.datamodule import TrainingData
from halluc.data.records import AnswerSpace, Preference, Question, Sample
from halluc.losses.dpo import SigmoidLoss
from halluc.methods.base import FineTune
from halluc.methods.preference import PreferenceFineTuning
from halluc.methods.sft import SupervisedFineTuning
from halluc.models.adapters import LoraAdapter
from halluc.models.lvlm import Lvlm
from halluc.packing.auto_scorer import AutoScorer
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.plain import PlainScorer
from halluc.packing.tree_scorer import TreeScorer

pytestmark = pytest.mark.filterwarnings("ignore:.*does not have many workers.*")

SCORERS = {
    "plain": PlainScorer,
    "tree": lambda lvlm: TreeScorer(lvlm, feature_cache=FeatureCache()),
    "auto": AutoScorer,
}


def questions(pictures: tuple[str, ...]) -> list[Question]:
    """Ask four questions about each of two pictures, and one about both."""
    first, second, _ = pictures
    prompts = [f"Is there a {thing} in the picture?" for thing in ("cat", "dog", "red kite", "door")]
    asked = [((picture,), prompt) for picture in (first, second) for prompt in prompts]
    asked.append(((first, second), "Is the cat in both pictures?"))
    return [
        Question(id=str(n), images=images, prompt=prompt, space=AnswerSpace.yes_no(), group="+".join(images))
        for n, (images, prompt) in enumerate(asked)
    ]


def method(name: str, lvlm: Lvlm, scorer: object) -> FineTune:
    parts = {
        "optimizer": lambda parameters: torch.optim.SGD(parameters, lr=0.5),
        "scheduler": lambda **lengths: get_scheduler("constant", **lengths),
        "warmup_fraction": 0.0,
    }
    if name == "sft":
        return SupervisedFineTuning(lvlm, scorer, **parts)
    return PreferenceFineTuning(lvlm, scorer, loss=SigmoidLoss(beta=0.1), **parts)


@pytest.mark.parametrize("name", ["sft", "dpo"])
@pytest.mark.parametrize("family", ["qwen2_vl", "llava_next", "gemma3"])
def test_two_epochs_give_the_same_adapter_and_the_same_answers(
    family: str, name: str, tiny_lvlm: Callable[..., Lvlm], pictures: tuple[str, ...], tmp_path: Path
):
    asked = questions(pictures)
    records = [
        Sample(question=question, answer="Yes", weight=1.0 + n % 3)
        if name == "sft"
        else Preference(question=question, chosen="Yes", rejected="No, never", weight=1.0 + n % 3)
        for n, question in enumerate(asked)
    ]
    adapters, answers = {}, {}
    for packing, build in SCORERS.items():
        lvlm = tiny_lvlm(family)
        torch.manual_seed(0)
        LoraAdapter(r=4, lora_alpha=8, lora_dropout=0.0).attach(lvlm)
        scorer = build(lvlm)
        module = method(name, lvlm, scorer)
        trainer = Trainer(
            accelerator="cpu",
            max_epochs=2,
            accumulate_grad_batches=2,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            use_distributed_sampler=False,
            default_root_dir=tmp_path,
        )
        trainer.fit(module, datamodule=TrainingData(records, module.collate, batch_size=4, max_group=4))
        adapters[packing] = {n: p.detach() for n, p in lvlm.named_parameters() if p.requires_grad}
        answers[packing] = list(LikelihoodAnswerer(lvlm, scorer).answer(asked))

    untrained = [weight for key, weight in adapters["plain"].items() if "lora_B" in key and not weight.any()]
    assert not untrained
    for packing in ("tree", "auto"):
        for key, weight in adapters["plain"].items():
            torch.testing.assert_close(adapters[packing][key], weight, rtol=1e-4, atol=5e-6)
        for mine, plain in zip(answers[packing], answers["plain"], strict=True):
            assert mine.parsed == plain.parsed
            assert mine.probabilities == pytest.approx(plain.probabilities, abs=1e-5)
            assert mine.mass == pytest.approx(plain.mass, rel=1e-4)
