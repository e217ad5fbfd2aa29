"""Keep tensors in a folder, across runs and for several processes at once."""

import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from halluc.errors import ConfigError
from halluc.models.tensor_digest import tensor_digest
from halluc.packing.bounded_memory import GIGABYTE

logger = logging.getLogger(__name__)

BLOCK = 4096
"""Bytes that file systems commonly hand out at a time, so that a small entry counts as what it takes."""

Tensors = Mapping[str, Tensor]


class TensorFolder:
    """Keep named tensors by key, one safetensors file with a checksum an entry.

    An entry is written beside its place and then moved there, so several processes can share the
    folder. An entry that can't be read is none, with a warning.

    Args:
        owner: Config name of the cache that it is part of, for messages.
        folder: Made when the first entry is written; None keeps nothing.
        max_gb: Bound in units of 10^9 bytes; once it is reached nothing is added.

    Raises:
        ConfigError: If the bound is negative.
    """

    def __init__(self, owner: str, folder: str | None, max_gb: float) -> None:
        if max_gb < 0:
            raise ConfigError(f"{owner}.max_disk_gb is {max_gb}. Give a bound of 0 or more.")
        self._owner = owner
        self._folder = None if folder is None else Path(folder)
        self._left = round(max_gb * GIGABYTE) - (_bytes_in(self._folder) if self._folder else 0)

    def read(self, key: str) -> Tensors | None:
        """Return an entry on the CPU; None if there is none, or if it is damaged.

        Args:
            key: Letters, digits, ``-`` and ``_`` only.
        """
        path = self._path(key)
        if path is None or not path.exists():
            return None
        try:
            with safe_open(path, framework="pt") as file:
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no iterator
                if (file.metadata() or {}).get("sha256") == _checksum(tensors):
                    return tensors
            logger.warning("%s: %s is damaged (wrong checksum); computing it again", self._owner, path)
        except (OSError, SafetensorError) as error:
            logger.warning("%s: %s can't be read (%s); computing it again", self._owner, path, error)
        return None

    def write(self, key: str, tensors: Tensors) -> None:
        """Keep tensors, contiguous and on the CPU, unless the bound is reached; replaces an entry."""
        path = self._path(key)
        if path is None:
            return
        content = save(dict(tensors), {"sha256": _checksum(tensors)})
        if _blocks(len(content)) > self._left:
            if self._left > 0:
                logger.warning(
                    "%s: %s has reached its bound; nothing is added any more", self._owner, self._folder
                )
            self._left = 0
            return
        self._left -= _blocks(len(content))
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        Path(file.name).replace(path)

    def _path(self, key: str) -> Path | None:
        return None if self._folder is None else self._folder / key[:2] / f"{key}.safetensors"


def _checksum(tensors: Tensors) -> str:
    return tensor_digest(sorted(tensors.items()))


def _blocks(size: int) -> int:
    """Round a number of bytes up to whole blocks."""
    return -(-size // BLOCK) * BLOCK


def _bytes_in(folder: Path) -> int:
    return sum(_blocks(path.stat().st_size) for path in folder.rglob("*.safetensors"))
