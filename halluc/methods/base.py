"""The one LightningModule: right normalisation, exact resuming, adapter-only checkpoints."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from lightning.fabric.utilities import move_data_to_device
from lightning.pytorch import LightningModule
from lightning.pytorch.utilities.types import OptimizerLRScheduler
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from halluc.data.records import Preference, Sample
from halluc.losses.cross_entropy import LossSum
from halluc.models.lvlm import Lvlm
from halluc.packing.sequence import SequenceScorer


class TrainingSource(Protocol):
    """Give training records; implemented by readers and builders."""

    def prepare(self) -> None:
        """Write the files that the source makes, where it makes any; may be called again."""
        ...

    def samples(self) -> Sequence[Sample]:
        """Return records for supervised fine-tuning."""
        ...

    def preferences(self) -> Sequence[Preference]:
        """Return records for preference fine-tuning."""
        ...


OptimizerFactory = Callable[[Iterator[nn.Parameter]], Optimizer]


class SchedulerFactory(Protocol):
    """Build a learning-rate schedule, as ``transformers.get_scheduler`` does once its name is set."""

    def __call__(
        self, *, optimizer: Optimizer, num_warmup_steps: int, num_training_steps: int
    ) -> LRScheduler:
        """Build the schedule; lengths are in optimizer steps."""
        ...


@dataclass(frozen=True, slots=True)
class MethodBatch:
    """Hold one rank's share of a batch.

    Attributes:
        scoring: What the scorer's ``collate`` returned.
        weights: Weight of each record, shape ``[B]``; B may be 0 on a rank without a share.
        keys: Names of the scored answers, where something about them is kept from step to step.
    """

    scoring: Any
    weights: Tensor
    keys: tuple[str, ...] = ()

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "MethodBatch":
        """Return a copy on another device, as Lightning asks for."""
        scoring = move_data_to_device(self.scoring, device)
        return MethodBatch(scoring, self.weights.to(device, non_blocking=non_blocking), self.keys)


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """Hold the loss of a batch and, for the log, sums of other quantities over the same targets."""

    loss: LossSum
    sums: Mapping[str, Tensor] = field(default_factory=dict)


class FineTune(LightningModule):
    """Train an adapter with the gradient of (sum of losses) / (sum of target weights).

    Both sums run over all ranks and all accumulated batches, so neither the number of processes nor
    the way samples fall into batches changes the step. Random numbers of a step (adapter dropout) are
    seeded from the seed, the epoch, the batch and the rank alone: an interrupted and resumed run
    repeats them without any saved generator state.

    Args:
        lvlm: Model with its adapter attached.
        scorer: Computes answer log-probabilities with that model.
        optimizer: Builds the optimizer from the trainable parameters.
        scheduler: Builds the learning-rate schedule.
        warmup_fraction: Share of the optimizer steps that warm up, in [0, 1).
        seed: Seed of the random numbers of each step.
    """

    strict_loading = False

    def __init__(
        self,
        lvlm: Lvlm,
        scorer: SequenceScorer[Any],
        *,
        optimizer: OptimizerFactory,
        scheduler: SchedulerFactory,
        warmup_fraction: float = 0.03,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.lvlm = lvlm
        self.scorer = scorer
        self._optimizer = optimizer
        self._scheduler = scheduler
        self._warmup_fraction = warmup_fraction
        self._seed = seed
        self._window: list[StepOutcome] = []
        self.lvlm.train()

    @staticmethod
    @abstractmethod
    def records(source: TrainingSource) -> Sequence[Sample] | Sequence[Preference]:
        """Take from the source the kind of records that this method learns from."""

    @abstractmethod
    def collate(self, records: Sequence[Any]) -> MethodBatch:
        """Turn one rank's share of records (possibly none) into a batch; runs in loading workers."""

    @abstractmethod
    def outcome(self, batch: MethodBatch) -> StepOutcome:
        """Compute the loss of a batch."""

    def training_step(self, batch: MethodBatch, batch_idx: int) -> Tensor:
        """Return this rank's loss sum; it is divided in ``on_before_optimizer_step``."""
        outcome = self.outcome(batch)
        self._window.append(
            StepOutcome(
                LossSum(outcome.loss.total.detach(), outcome.loss.weight.detach()),
                {key: value.detach() for key, value in outcome.sums.items()},
            )
        )
        touched = sum((p.sum() for p in self._trainable()), start=outcome.loss.total.new_zeros(()))
        # Lightning divides by the number of accumulated batches, which may be smaller in the last window.
        # The zero keeps every parameter in the graph, so that a rank without a share still takes part.
        return (outcome.loss.total + 0.0 * touched) * self.trainer.accumulate_grad_batches

    def on_train_batch_start(self, batch: MethodBatch, batch_idx: int) -> None:
        """Seed this step's random numbers."""
        words = np.random.SeedSequence([self._seed, self.current_epoch, batch_idx, self.global_rank])
        torch.manual_seed(int(words.generate_state(1)[0]))

    def on_before_optimizer_step(self, optimizer: Optimizer) -> None:
        """Divide the gradients by the target weight of all ranks and accumulated batches, and log."""
        names = sorted({key for outcome in self._window for key in outcome.sums})
        columns = [[o.loss.total, o.loss.weight, *(o.sums[name] for name in names)] for o in self._window]
        totals = torch.tensor(columns, dtype=torch.float64).sum(0).to(self.device, torch.float32)
        if self.trainer.world_size > 1:
            torch.distributed.all_reduce(totals)
        self._window.clear()
        loss, weight, *sums = totals.unbind()
        for parameter in self._trainable():
            if parameter.grad is not None:
                parameter.grad.mul_(self.trainer.world_size / weight)  # DDP averages over ranks
        logged = {"loss": loss / weight, "targets": weight, "lr": optimizer.param_groups[0]["lr"]}
        logged |= {name: value / weight for name, value in zip(names, sums, strict=True)}
        uses_trees = getattr(self.scorer, "uses_trees", None)
        if uses_trees is not None:  # what packing=auto decided
            logged["packing_tree"] = float(uses_trees)
        self._log_step({f"train/{name}": float(value) for name, value in logged.items()})

    def _log_step(self, logged: dict[str, float]) -> None:
        """Hand the step's row to the loggers at once, so that a checkpoint never runs ahead of the log."""
        self.log("train/loss", logged["train/loss"], prog_bar=True, logger=False)
        every = self.trainer.log_every_n_steps  # type: ignore[attr-defined]  # set by Lightning's connector
        if self.global_step % every == 0:
            for target in self.trainer.loggers:
                target.log_metrics(logged | {"epoch": self.current_epoch}, step=self.global_step)

    def configure_optimizers(self) -> OptimizerLRScheduler:
        """Build the optimizer and a schedule that advances every optimizer step."""
        optimizer = self._optimizer(self._trainable())
        steps = int(self.trainer.estimated_stepping_batches)
        schedule = self._scheduler(
            optimizer=optimizer,
            num_warmup_steps=round(self._warmup_fraction * steps),
            num_training_steps=steps,
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep only what is trained; the base model's weights stay where they came from."""
        trained = {name for name, parameter in self.named_parameters() if parameter.requires_grad}
        checkpoint["state_dict"] = {k: v for k, v in checkpoint["state_dict"].items() if k in trained}

    def _trainable(self) -> Iterator[nn.Parameter]:
        return (parameter for parameter in self.parameters() if parameter.requires_grad)
