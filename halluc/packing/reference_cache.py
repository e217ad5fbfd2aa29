"""Remember what the frozen reference says about an answer, so that it is asked once."""

import hashlib
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from halluc.packing.bounded_memory import BoundedMemory
from halluc.packing.tensor_folder import TensorFolder

OWNER = "method.reference_cache"

ENTRY_BYTES = 230
"""What a name with its number takes in memory, measured."""


class ReferenceCache:
    """Keep summed log-probabilities of answers under a model that does not change.

    A number an answer is all that preference losses need. Memory serves one reference in one run; on
    disk an entry's name also tells the reference, so that a second run on the same data starts with
    what the first found. An entry on disk that can't be read is computed again.

    Args:
        max_memory_gb: Bound of the memory of this process, in units of 10^9 bytes; 0 keeps none there.
        folder: Where entries are kept across runs, one small file an answer; None keeps them in memory
            only.
        max_disk_gb: Bound of the folder, in units of 10^9 bytes; once it is reached nothing is added.

    Raises:
        ConfigError: If a bound is negative.

    Example:
        >>> cache, cpu = ReferenceCache(), torch.device("cpu")
        >>> cache.sums(["a", "b"], lambda: torch.tensor([-1.0, -2.0]), cpu, lambda: "weights")
        tensor([-1., -2.])
        >>> cache.sums(["b"], lambda: torch.tensor([0.0]), cpu, lambda: "weights")
        tensor([-2.])
    """

    def __init__(
        self, *, max_memory_gb: float = 1.0, folder: str | None = None, max_disk_gb: float = 10.0
    ) -> None:
        self._memory = BoundedMemory[float](OWNER, max_memory_gb, size=lambda _: ENTRY_BYTES)
        self._folder = TensorFolder(OWNER, folder, max_disk_gb)
        self._on_disk = folder is not None

    def state_dict(self) -> dict[str, float]:
        """Return what is in memory, for a checkpoint."""
        return dict(self._memory.items())

    def load_state_dict(self, state_dict: Mapping[str, float]) -> None:
        """Know what a checkpoint knew."""
        for key, value in state_dict.items():
            self._memory.put(key, value)

    def sums(
        self,
        keys: Sequence[str],
        compute: Callable[[], Tensor],
        device: torch.device,
        reference: Callable[[], str],
    ) -> Tensor:
        """Return one log-probability an answer, shape ``[S]``, float32, without gradient.

        Args:
            keys: Name of each answer, from ``ReferenceKeys``.
            compute: Gives all of them, in the order of ``keys``; called if any is not known yet.
            device: Where they are wanted.
            reference: Names the model that does not change; called only if entries are kept on disk.
        """
        known = {key: value for key in keys if (value := self._find(key, reference)) is not None}
        if not known.keys() >= set(keys):
            with torch.no_grad():
                computed = zip(keys, compute().tolist(), strict=True)
            for key, value in computed:
                if key not in known:  # the first value stays, so that a number does not change within a run
                    known[key] = value
                    self._keep(key, value, reference)
        return torch.tensor([known[key] for key in keys], dtype=torch.float32, device=device)

    def _find(self, key: str, reference: Callable[[], str]) -> float | None:
        value = self._memory.get(key)
        if value is None and self._on_disk:
            stored = self._folder.read(_entry(key, reference()))
            if stored is not None:
                value = float(stored["logp"])
                self._memory.put(key, value)
        return value

    def _keep(self, key: str, value: float, reference: Callable[[], str]) -> None:
        self._memory.put(key, value)
        if self._on_disk:
            self._folder.write(_entry(key, reference()), {"logp": torch.tensor(value, dtype=torch.float32)})


def _entry(key: str, reference: str) -> str:
    return hashlib.sha256(f"{key} {reference}".encode()).hexdigest()
