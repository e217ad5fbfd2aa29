"""Name tensors by their content."""

import hashlib
from collections.abc import Iterable

import torch
from torch import Tensor


def tensor_digest(named: Iterable[tuple[str, Tensor]]) -> str:
    """Hash names, number formats, shapes and values of tensors, whatever device they are on.

    Args:
        named: Names with their tensors; the order counts.

    Returns:
        A hexadecimal SHA-256.
    """
    digest = hashlib.sha256()
    for name, tensor in named:
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)};".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
