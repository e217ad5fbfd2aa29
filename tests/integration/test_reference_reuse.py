"""A second preference run on the same data and model asks its reference nothing."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from lightning.pytorch import Trainer
from transformers import get_scheduler

from halluc.data.datamodule import TrainingData
from halluc.data.records import Preference, Question
from halluc.losses.dpo import SigmoidLoss
from halluc.methods import preference
from halluc.methods.preference import PreferenceFineTuning
from halluc.models.adapters import LoraAdapter
from halluc.models.lvlm import Lvlm
from halluc.packing.plain import PlainScorer
from halluc.packing.reference_cache import ReferenceCache
from halluc.packing.tree_scorer import TreeScorer
from halluc.tracking.csv_log import csv_logger, read_rows

pytestmark = pytest.mark.filterwarnings("ignore:.*does not have many workers.*")

BATCHES = 2


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every pass of the reference."""
    calls: list[str] = []
    disabled = preference.adapter_disabled

    @contextmanager
    def noting(lvlm: Lvlm) -> Iterator[AbstractContextManager[None]]:
        calls.append("asked")
        with disabled(lvlm) as off:
            yield off

    monkeypatch.setattr(preference, "adapter_disabled", noting)
    return calls


@pytest.fixture
def train(
    tiny_lvlm: Callable[..., Lvlm], ask: Callable[..., Question], pictures: tuple[str, ...], tmp_path: Path
) -> Callable[..., list[float]]:
    """Return a function that trains two epochs on new objects and gives the losses."""
    pairs = [
        Preference(question=ask(f"Is there a {thing}?", pictures[n % 2]), chosen="Yes", rejected="No")
        for n, thing in enumerate(("dog", "cat", "red kite", "door"))
    ]

    def run(
        name: str,
        *,
        scorer: Callable[[Lvlm], Any] = TreeScorer,
        change: float = 0.0,
        records: list[Preference] = pairs,
        precision: Any = "32-true",
    ) -> list[float]:
        lvlm = tiny_lvlm()
        with torch.no_grad():
            lvlm.hf_model.lm_head.weight += change
        torch.manual_seed(0)
        LoraAdapter(r=4, lora_dropout=0.0).attach(lvlm)
        module = PreferenceFineTuning(
            lvlm,
            scorer(lvlm),
            loss=SigmoidLoss(beta=0.1),
            reference_cache=ReferenceCache(folder=str(tmp_path / "cache")),
            optimizer=lambda parameters: torch.optim.SGD(parameters, lr=0.5),
            scheduler=lambda **lengths: get_scheduler("constant", **lengths),
        )
        trainer = Trainer(
            accelerator="cpu",
            precision=precision,
            max_epochs=2,
            logger=csv_logger(str(tmp_path / name)),
            log_every_n_steps=1,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            use_distributed_sampler=False,
            default_root_dir=tmp_path,
        )
        trainer.fit(module, datamodule=TrainingData(records, module.collate, batch_size=2, max_group=2))
        return [row["train/loss"] for row in read_rows(tmp_path / name)]

    run.pairs = pairs
    return run


def test_the_second_run_asks_nothing_and_learns_the_same(train, asked):
    first = train("first")
    assert len(asked) == BATCHES  # the second epoch is served from memory
    asked.clear()

    second = train("second")

    assert asked == []
    assert second == first


def test_ways_of_scoring_share_entries(train, asked):
    train("trees")
    asked.clear()
    train("rows", scorer=PlainScorer)
    assert asked == []


def test_another_base_model_is_another_reference(train, asked):
    train("first")
    asked.clear()
    train("other", change=0.1)
    assert len(asked) == BATCHES


def test_another_number_format_is_another_reference(train, asked):
    train("first")
    asked.clear()
    train("other", precision="bf16-mixed")
    assert len(asked) == BATCHES


def test_a_new_pair_is_the_only_one_that_is_asked(train, asked, ask, pictures):
    train("first")
    asked.clear()
    new = Preference(question=ask("Is there a boat?", pictures[2]), chosen="Yes", rejected="No")
    train("more", records=[*train.pairs, new])
    assert len(asked) == 1
