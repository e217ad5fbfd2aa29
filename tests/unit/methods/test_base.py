"""The step is the gradient of one global mean, however samples fall into batches."""

import warnings

import pytest
import torch
from lightning.pytorch import Trainer
from torch import nn

from halluc.data.datamodule import TrainingData
from halluc.data.records import AnswerSpace, Question, Sample
from halluc.methods.sft import SupervisedFineTuning
from halluc.packing.sequence import AnswerLogps
from halluc.tracking.csv_log import csv_logger, read_rows


class OneWeight(nn.Module):
    """Stand in for a model: every answer token has log-probability -(weight - token)²."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(()))
        self.frozen = nn.Parameter(torch.ones(()), requires_grad=False)


class CharacterScorer:
    """Stand in for a scorer: an answer's characters are its tokens."""

    def __init__(self, model):
        self.model = model

    def collate(self, sequences, max_pixels=None):
        tokens = [(index, float(digit)) for index, s in enumerate(sequences) for digit in s.answer]
        return {
            "tokens": torch.tensor([t for _, t in tokens]),
            "index": torch.tensor([i for i, _ in tokens], dtype=torch.long),
            "count": len(sequences),
        }

    def __call__(self, batch):
        return AnswerLogps(-((self.model.weight - batch["tokens"]) ** 2), batch["index"], batch["count"])


ANSWERS = ["1", "234", "5", "67", "8", "999", "1", "2", "31"]
SAMPLES = [
    Sample(
        question=Question(id=str(i), images=(), prompt="?", space=AnswerSpace.text(), group=str(i // 2)),
        answer=answer,
        weight=1.0 if i % 3 else 0.5,
    )
    for i, answer in enumerate(ANSWERS)
]


def constant(*, optimizer, num_warmup_steps, num_training_steps):
    return torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)


def trained(batch_size, accumulate, epochs=1, scorer=CharacterScorer, logger=False, **trainer_options):
    model = OneWeight()
    method = SupervisedFineTuning(
        model,
        scorer(model),
        optimizer=lambda parameters: torch.optim.SGD(parameters, lr=0.1),
        scheduler=constant,
        warmup_fraction=0.0,
    )
    data = TrainingData(SAMPLES, method.collate, batch_size=batch_size, max_group=4)
    trainer = Trainer(
        accelerator="cpu",
        max_epochs=epochs,
        accumulate_grad_batches=accumulate,
        logger=logger,
        log_every_n_steps=1,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        use_distributed_sampler=False,
        **trainer_options,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        trainer.fit(method, datamodule=data)
    return method, trainer


def mean_gradient_step(weight=0.0, lr=0.1):
    tokens = [(s.weight, float(d)) for s in SAMPLES for d in s.answer]
    gradient = sum(w * 2 * (weight - t) for w, t in tokens) / sum(w for w, _ in tokens)
    return weight - lr * gradient


@pytest.mark.parametrize(("batch_size", "accumulate"), [(9, 1), (5, 2), (4, 3), (2, 5), (1, 9)])
def test_one_step_is_the_weighted_mean_over_all_tokens(batch_size, accumulate):
    method, trainer = trained(batch_size, accumulate)
    assert trainer.global_step == 1
    assert method.lvlm.weight.item() == pytest.approx(mean_gradient_step(), rel=1e-5)


def test_the_last_smaller_window_is_divided_by_its_own_targets():
    method, trainer = trained(4, 2)  # windows of 8 samples and of 1
    assert trainer.global_step == 2
    weight = method.lvlm.weight.item()
    order = [
        i
        for batch in TrainingData(SAMPLES, list, batch_size=4, max_group=4).train_dataloader()
        for i in batch
    ]
    tokens = [(s.weight, float(d)) for s in order[:8] for d in s.answer]
    first = 0.1 * sum(w * 2 * t for w, t in tokens) / sum(w for w, _ in tokens)
    last = order[8]
    second = first - 0.1 * sum(2 * (first - float(d)) for d in last.answer) / len(last.answer)
    assert weight == pytest.approx(second, rel=1e-5)


def test_the_logged_loss_is_that_mean(tmp_path):
    _, trainer = trained(4, 3, logger=csv_logger(str(tmp_path)))
    tokens = [(s.weight, float(d)) for s in SAMPLES for d in s.answer]
    mean = sum(w * t * t for w, t in tokens) / sum(w for w, _ in tokens)
    assert trainer.callback_metrics["train/loss"].item() == pytest.approx(mean, rel=1e-5)
    (row,) = read_rows(tmp_path)
    assert row["train/loss"] == pytest.approx(mean, rel=1e-5)
    assert row["train/targets"] == pytest.approx(sum(w for w, _ in tokens))


def test_each_epoch_has_its_own_order():
    seen = []

    class Recorder(CharacterScorer):
        def collate(self, sequences, max_pixels=None):
            seen.append([s.question.id for s in sequences])
            return super().collate(sequences)

    trained(9, 1, epochs=3, scorer=Recorder)
    assert len(seen) == 3
    assert seen[0] != seen[1] != seen[2]


def test_checkpoints_hold_trained_weights_only(tmp_path):
    _, trainer = trained(9, 1)
    trainer.save_checkpoint(tmp_path / "x.ckpt", weights_only=False)
    state = torch.load(tmp_path / "x.ckpt", weights_only=True)["state_dict"]
    assert state.keys() == {"lvlm.weight"}


def test_clipping_sees_the_divided_gradient():
    free, _ = trained(9, 1)
    clipped, _ = trained(9, 1, gradient_clip_val=1.0)
    assert abs(free.lvlm.weight.item()) > 0.1
    assert abs(clipped.lvlm.weight.item()) == pytest.approx(0.1, rel=1e-4)
