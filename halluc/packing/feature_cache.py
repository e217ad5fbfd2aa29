"""Keep the features of a frozen vision tower: in memory up to a bound, and on disk if asked to."""

import logging
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from halluc.errors import ConfigError
from halluc.models.tensor_digest import tensor_digest

logger = logging.getLogger(__name__)

GIGABYTE = 1_000_000_000
Features = Mapping[str, Tensor]


class FeatureCache:
    """Give back features that were computed before, in this process or by any other.

    Entries are named by content, so a changed picture, processor setting or tower is another entry and
    nothing ever has to be declared stale. In memory the entry used longest ago goes first. On disk an
    entry is one safetensors file with a checksum, written beside its place and then moved there, so
    several processes can share a folder; an entry that can't be read is computed again.

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
        if max_memory_gb < 0 or max_disk_gb < 0:
            raise ConfigError(
                f"feature_cache has max_memory_gb={max_memory_gb}, max_disk_gb={max_disk_gb}. Give bounds of "
                "0 or more."
            )
        self._memory: OrderedDict[str, Features] = OrderedDict()
        self._memory_left = int(max_memory_gb * GIGABYTE)
        self._folder = Path(folder) if folder is not None else None
        self._disk_left = int(max_disk_gb * GIGABYTE) - _bytes_in(self._folder)

    def get(self, key: str, compute: Callable[[], Features], device: torch.device) -> Features:
        """Return the features named ``key``, from memory, from disk, or by computing them.

        Args:
            key: Names pictures, processor settings and tower; letters, digits, ``-`` and ``_`` only.
            compute: Called if they are nowhere yet.
            device: Where the features are wanted.
        """
        if key in self._memory:
            self._memory.move_to_end(key)
            return _on(self._memory[key], device)
        stored = self._read(key)
        if stored is None:
            features = compute()
            stored = {name: tensor.detach().cpu().contiguous() for name, tensor in features.items()}
            self._write(key, stored)
        self._remember(key, stored)
        return _on(stored, device)

    def _remember(self, key: str, features: Features) -> None:
        self._memory[key] = features
        self._memory_left -= _size(features)
        while self._memory_left < 0:
            _, oldest = self._memory.popitem(last=False)
            self._memory_left += _size(oldest)

    def _path(self, key: str) -> Path | None:
        return None if self._folder is None else self._folder / key[:2] / f"{key}.safetensors"

    def _read(self, key: str) -> Features | None:
        path = self._path(key)
        if path is None or not path.exists():
            return None
        try:
            with safe_open(path, framework="pt") as file:
                features = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no iterator
                if (file.metadata() or {}).get("sha256") == _checksum(features):
                    return features
            logger.warning("feature cache entry %s is damaged (wrong checksum); computing it again", path)
        except (OSError, SafetensorError) as error:
            logger.warning("feature cache entry %s can't be read (%s); computing it again", path, error)
        return None

    def _write(self, key: str, features: Features) -> None:
        path = self._path(key)
        if path is None:
            return
        content = save(dict(features), {"sha256": _checksum(features)})
        if len(content) > self._disk_left:
            if self._disk_left > 0:
                logger.warning(
                    "feature cache %s has reached its bound; nothing is added any more", self._folder
                )
            self._disk_left = 0
            return
        self._disk_left -= len(content)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        Path(file.name).replace(path)


def _checksum(features: Features) -> str:
    return tensor_digest(sorted(features.items()))


def _size(features: Features) -> int:
    return sum(tensor.nbytes for tensor in features.values())


def _on(features: Features, device: torch.device) -> Features:
    return {name: tensor.to(device) for name, tensor in features.items()}


def _bytes_in(folder: Path | None) -> int:
    if folder is None or not folder.exists():
        return 0
    return sum(path.stat().st_size for path in folder.rglob("*.safetensors"))
