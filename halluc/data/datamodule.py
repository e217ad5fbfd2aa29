"""Hand training records to Lightning, in batches that keep the samples of one image together."""

from collections.abc import Callable, Sequence
from typing import Any

from lightning.pytorch import LightningDataModule
from torch.utils.data import DataLoader

from halluc.data.grouping import GroupedBatchSampler
from halluc.data.records import Preference, Sample

Record = Sample | Preference


class TrainingData(LightningDataModule):
    """Load training records in grouped, seeded, resumable batches.

    Args:
        records: Samples or preferences.
        collate: Turns the records of one rank's share into a batch; runs in the loading workers.
        batch_size: Samples in a batch over all ranks; times ``trainer.accumulate_grad_batches`` gives
            the samples behind one optimizer step.
        max_group: Most samples of one image in a batch.
        num_workers: Loading processes a rank; 0 loads in the training process.
        seed: Seed of the order.
        grouped: Whether the samples of one image stay together.
    """

    def __init__(
        self,
        records: Sequence[Record],
        collate: Callable[[Sequence[Record]], Any],
        *,
        batch_size: int,
        max_group: int,
        num_workers: int = 0,
        seed: int = 0,
        grouped: bool = True,
    ) -> None:
        super().__init__()
        self._records = records
        self._collate = collate
        self._batch_size = batch_size
        self._max_group = max_group
        self._num_workers = num_workers
        self._seed = seed
        self._grouped = grouped
        self._position = (0, 0)

    def train_dataloader(self) -> "DataLoader[Record]":
        """Build this rank's loader, continuing where a restored run stopped."""
        trainer = self.trainer
        sampler = GroupedBatchSampler(
            [record.question.group or record.question.id for record in self._records],
            batch_size=self._batch_size,
            max_group=self._max_group,
            seed=self._seed,
            rank=trainer.global_rank if trainer else 0,
            world_size=trainer.world_size if trainer else 1,
            grouped=self._grouped,
            reshuffle=not getattr(trainer, "overfit_batches", 0),
        )
        epoch, batch = self._position
        if batch >= len(sampler):
            epoch, batch = epoch + 1, 0
        sampler.resume_at(epoch, batch)
        return _ResumableLoader(
            self._records,  # type: ignore[arg-type]  # a sequence is a map-style dataset
            batch_sampler=sampler,
            collate_fn=self._collate,
            num_workers=self._num_workers,
            # Forked workers share the model's memory; others would be sent a copy of the weights each.
            multiprocessing_context="fork" if self._num_workers else None,
        )

    def state_dict(self) -> dict[str, int]:
        """Return the position in the training data: epoch, and batches of it that are done."""
        if self.trainer is None:
            return {"epoch": 0, "batch": 0}
        done = self.trainer.fit_loop.epoch_loop.batch_progress.current
        batch = done.processed  # type: ignore[attr-defined]  # the batch loop tracks it, the base class not
        return {"epoch": self.trainer.current_epoch, "batch": batch}

    def load_state_dict(self, state_dict: dict[str, int]) -> None:
        """Continue from a position that ``state_dict`` returned."""
        self._position = (state_dict["epoch"], state_dict["batch"])


class _ResumableLoader(DataLoader[Record]):
    """Tell Lightning that this loader resumes; the position itself is kept by ``TrainingData``."""

    def state_dict(self) -> dict[str, int]:
        return {}

    def load_state_dict(self, state_dict: dict[str, int]) -> None:
        pass
