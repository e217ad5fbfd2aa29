"""Bring the samples of one image together, and give every rank the same number of steps."""

from collections.abc import Iterator, Sequence

import numpy as np
from torch.utils.data import Sampler

from halluc.errors import ConfigError


class GroupedBatchSampler(Sampler[list[int]]):
    """Yield this rank's share of each global batch, samples of one group side by side.

    A global batch is the same whatever the number of ranks: groups in a seeded order, cut after
    every ``batch_size`` samples, so that each epoch has the same number of batches. It is then dealt
    out to the ranks, larger groups first, each to the rank that has least. A rank may get an empty
    list, so that all take the same number of steps. The order is a function of the seed and the
    epoch alone, which makes resuming exact.

    Args:
        groups: Group name of each sample; samples with equal names share their images.
        batch_size: Samples in a global batch, over all ranks; the last batch may hold fewer.
        max_group: Largest number of samples of one group in a batch; a longer group is split.
        seed: Seed of the shuffling of groups (and of the samples inside one).
        rank: This process.
        world_size: Number of processes.
        grouped: False shuffles single samples instead, as if each were a group of its own.
        reshuffle: False keeps the first epoch's order for all, to overfit one batch.

    Raises:
        ConfigError: If there are no samples or a size is not positive.
    """

    def __init__(
        self,
        groups: Sequence[str],
        *,
        batch_size: int,
        max_group: int,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
        grouped: bool = True,
        reshuffle: bool = True,
    ) -> None:
        if not groups:
            raise ConfigError(
                "There is no training sample. Check data.* and what was left out, listed above."
            )
        if batch_size < 1 or max_group < 1:
            raise ConfigError(
                f"data.batch_size={batch_size} and data.max_group={max_group} must be at least 1."
            )
        self._groups = groups
        self._batch_size = batch_size
        self._max_group = min(max_group, batch_size)
        self._seed = seed
        self._rank = rank
        self._world_size = world_size
        self._grouped = grouped
        self._reshuffle = reshuffle
        self._epoch = 0
        self._resume = (-1, 0)
        self._batches: tuple[int, list[list[list[int]]]] | None = None

    @property
    def sampler(self) -> "GroupedBatchSampler":
        """Return itself: Lightning calls ``set_epoch`` on a batch sampler's ``sampler``, not on it."""
        return self

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose order is yielded next; Lightning calls it."""
        if self._reshuffle:
            self._epoch = epoch

    def resume_at(self, epoch: int, batch: int) -> None:
        """Start at this epoch, and leave out its first ``batch`` batches."""
        self._epoch = epoch
        self._resume = (epoch, batch)

    def __len__(self) -> int:
        """Count the batches of the epoch, those left out by resuming included."""
        return len(self._epoch_batches())

    def __iter__(self) -> Iterator[list[int]]:
        """Yield lists of sample indices, one a step."""
        resume_epoch, skipped = self._resume
        first = skipped if self._epoch == resume_epoch else 0
        for batch in self._epoch_batches()[first:]:
            yield self._share(batch)

    def _epoch_batches(self) -> list[list[list[int]]]:
        """Return the batches of the epoch, each a list of chunks of one group."""
        if self._batches is None or self._batches[0] != self._epoch:
            self._batches = (self._epoch, self._fill(self._chunks()))
        return self._batches[1]

    def _chunks(self) -> list[list[int]]:
        rng = np.random.default_rng([self._seed, self._epoch])
        if not self._grouped:
            return [[int(i)] for i in rng.permutation(len(self._groups))]
        members: dict[str, list[int]] = {}
        for index, name in enumerate(self._groups):
            members.setdefault(name, []).append(index)
        chunks = []
        for indices in members.values():
            shuffled = [int(i) for i in rng.permutation(indices)]
            chunks += [shuffled[i : i + self._max_group] for i in range(0, len(shuffled), self._max_group)]
        return [chunks[i] for i in rng.permutation(len(chunks))]

    def _fill(self, chunks: list[list[int]]) -> list[list[list[int]]]:
        """Cut the chunks into batches of exactly ``batch_size`` samples; the last may be smaller."""
        batches: list[list[list[int]]] = [[]]
        room = self._batch_size
        for chunk in chunks:
            rest = chunk
            while rest:
                if room == 0:
                    batches.append([])
                    room = self._batch_size
                piece, rest = rest[:room], rest[room:]
                batches[-1].append(piece)
                room -= len(piece)
        return batches

    def _share(self, batch: list[list[int]]) -> list[int]:
        shares: list[list[int]] = [[] for _ in range(self._world_size)]
        for chunk in sorted(batch, key=len, reverse=True):
            min(shares, key=len).extend(chunk)
        return shares[self._rank]
