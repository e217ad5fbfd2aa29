"""Keep the features of a frozen vision tower: in memory up to a bound, and on disk if asked to."""

from collections.abc import Callable

import torch

from halluc.packing.bounded_memory import BoundedMemory
from halluc.packing.tensor_folder import TensorFolder, Tensors

OWNER = "packing.feature_cache"


class FeatureCache:
    """Give back features that were computed before, in this process or by any other.

    Entries are named by content, so a changed picture, processor setting or tower is another entry and
    nothing ever has to be declared stale. An entry on disk that can't be read is computed again.

    Args:
        max_memory_gb: Bound of the memory of this process, in units of 10^9 bytes; 0 keeps none there.
        folder: Where entries are kept across runs; None keeps them in memory only.
        max_disk_gb: Bound of the folder, in units of 10^9 bytes; once it is reached nothing is added.

    Raises:
        ConfigError: If a bound is negative.
    """

    def __init__(
        self, *, max_memory_gb: float = 4.0, folder: str | None = None, max_disk_gb: float = 50.0
    ) -> None:
        self._memory = BoundedMemory[Tensors](OWNER, max_memory_gb, _size)
        self._folder = TensorFolder(OWNER, folder, max_disk_gb)

    def get(self, key: str, compute: Callable[[], Tensors], device: torch.device) -> Tensors:
        """Return the features named ``key``, from memory, from disk, or by computing them.

        Args:
            key: Names pictures, processor settings and tower; letters, digits, ``-`` and ``_`` only.
            compute: Called if they are nowhere yet.
            device: Where the features are wanted.
        """
        features = self._memory.get(key)
        if features is None:
            features = self._stored(key, compute)
            self._memory.put(key, features)
        return {name: tensor.to(device) for name, tensor in features.items()}

    def _stored(self, key: str, compute: Callable[[], Tensors]) -> Tensors:
        """Read features from disk, or compute them and write them there."""
        found = self._folder.read(key)
        if found is not None:
            return found
        features = {name: tensor.detach().cpu().contiguous() for name, tensor in compute().items()}
        self._folder.write(key, features)
        return features


def _size(features: Tensors) -> int:
    return sum(tensor.nbytes for tensor in features.values())
