"""Every family trains by every method under Lightning, and answers afterwards."""

import math

import pytest
import torch
from lightning.pytorch import Trainer
from transformers import get_scheduler

from halluc.answering.likelihood import LikelihoodAnswerer
from halluc.data.datamodule import TrainingData
from halluc.data.records import Preference, Sample
from halluc.losses.dpo import SigmoidLoss
from halluc.methods.preference import PreferenceFineTuning
from halluc.methods.sft import SupervisedFineTuning
from halluc.models.adapters import LoraAdapter
from halluc.models.tiny.build import FAMILIES
from halluc.packing.plain import PlainScorer
from halluc.tracking.csv_log import csv_logger, read_rows

pytestmark = pytest.mark.filterwarnings("ignore:.*does not have many workers.*")


def constant(**lengths):
    return get_scheduler("constant", **lengths)


def method_for(name, lvlm):
    parts = {
        "optimizer": lambda parameters: torch.optim.AdamW(parameters, lr=5e-3),
        "scheduler": constant,
        "warmup_fraction": 0.0,
    }
    if name == "sft":
        return SupervisedFineTuning(lvlm, PlainScorer(lvlm), **parts)
    return PreferenceFineTuning(lvlm, PlainScorer(lvlm), loss=SigmoidLoss(beta=0.1), **parts)


def records_for(name, questions):
    if name == "sft":
        return [Sample(question=question, answer="Yes") for question in questions]
    return [Preference(question=question, chosen="Yes", rejected="No") for question in questions]


@pytest.mark.parametrize("name", ["sft", "dpo"])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_two_steps_lower_the_loss_of_a_repeated_batch(family, name, tiny_lvlm, ask, pictures, tmp_path):
    lvlm = tiny_lvlm(family)
    LoraAdapter(r=4, lora_alpha=8, lora_dropout=0.0).attach(lvlm)
    frozen = {n: p.clone() for n, p in lvlm.named_parameters() if not p.requires_grad}
    prompts = ("Is there a dog?", "Is there a cat?", "Is it red?")
    questions = [ask(prompt, picture) for prompt, picture in zip(prompts, pictures, strict=True)]
    method = method_for(name, lvlm)
    trainer = Trainer(
        accelerator="cpu",
        max_steps=2,
        logger=csv_logger(str(tmp_path)),
        log_every_n_steps=1,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        use_distributed_sampler=False,
        default_root_dir=tmp_path,
    )
    data = TrainingData(records_for(name, questions), method.collate, batch_size=3, max_group=3)
    trainer.fit(method, datamodule=data)
    batch = method.collate(records_for(name, questions))
    with torch.no_grad():
        outcome = method.outcome(batch)
    losses = [row["train/loss"] for row in read_rows(tmp_path)]
    assert len(losses) == 2
    assert losses[0] > losses[1] > (outcome.loss.total / outcome.loss.weight).item()
    if name == "dpo":
        assert losses[0] == pytest.approx(math.log(2), abs=1e-6)
    for key, parameter in lvlm.named_parameters():
        assert key not in frozen or torch.equal(frozen[key], parameter), key
    answers = list(LikelihoodAnswerer(lvlm, PlainScorer(lvlm)).answer(questions))
    assert all(sum(answer.probabilities.values()) == pytest.approx(1) for answer in answers)
