"""Keep one checkpoint from which an interrupted run goes on exactly."""

import logging
import os
from pathlib import Path

import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.callbacks import Checkpoint

from halluc.callbacks.stop_request import StopRequest

logger = logging.getLogger(__name__)


def checkpoint_path(run_dir: Path) -> Path:
    """Return where a run keeps the checkpoint that it resumes from."""
    return run_dir / "checkpoints" / "last.ckpt"


def find_checkpoint(run_dir: Path) -> tuple[Path, int] | None:
    """Return the checkpoint of an interrupted run and its optimizer step; None before the first one."""
    path = checkpoint_path(run_dir)
    if not path.exists():
        logger.warning("%s was stopped before its first checkpoint: training starts at step 0.", run_dir)
        return None
    # Memory-mapped: only the step number is read here.
    return path, int(torch.load(path, weights_only=True, mmap=True, map_location="cpu")["global_step"])


class ResumePoint(Checkpoint):
    """Write ``checkpoints/last.ckpt`` between optimizer steps, and stop there when asked to.

    A checkpoint is written every ``every_n_steps`` optimizer steps, after the last step of an epoch
    (before its evaluation, so that a stop during the evaluation costs no training), after the
    evaluation, and before a requested stop. It never lies inside a window of accumulated gradients.

    Args:
        run_dir: Run directory.
        stop: The request to stop.
        every_n_steps: Optimizer steps between checkpoints.
    """

    def __init__(self, run_dir: str, stop: StopRequest, every_n_steps: int = 50) -> None:
        self._run_dir = Path(run_dir)
        self._stop = stop
        self._every_n_steps = every_n_steps

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: object, batch: object, batch_idx: int
    ) -> None:
        """Save where it is due, and stop if asked to."""
        last = trainer.is_last_batch
        if not last and (batch_idx + 1) % trainer.accumulate_grad_batches:
            return
        stop = self._stop.anywhere(pl_module.device)
        if stop or last or trainer.global_step % self._every_n_steps == 0:
            self._save(trainer)
        if stop:
            self._stop.raise_if_requested(pl_module.device, self._way_on(trainer))

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Save the evaluated epoch."""
        self._save(trainer)

    def _save(self, trainer: Trainer) -> None:
        for target in trainer.loggers:
            target.save()
        path = checkpoint_path(self._run_dir)
        partial = path.with_name(path.name + ".partial")  # beside it: a rename is atomic on one disk only
        trainer.save_checkpoint(partial, weights_only=False)  # the optimizer too
        if trainer.is_global_zero:
            os.replace(partial, path)

    def _way_on(self, trainer: Trainer) -> str:
        return f"Step {trainer.global_step} is saved; go on with: python train.py resume={self._run_dir}"
