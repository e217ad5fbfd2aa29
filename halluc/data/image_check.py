"""Find the pictures that can't be decoded before the first training step, not in the middle of an epoch."""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from halluc.data.images import load_image
from halluc.errors import ImageError


def find_broken(sources: Iterable[str], workers: int | None = None) -> dict[str, str]:
    """Decode every distinct picture once.

    Args:
        sources: Absolute paths or data URIs; repeats are decoded once.
        workers: Threads (decoding releases the interpreter lock); None takes one a core.

    Returns:
        Source to what is wrong with it, in the order given; empty if every picture loads.
    """
    distinct = list(dict.fromkeys(sources))
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        faults = pool.map(_fault, distinct)
        return {source: fault for source, fault in zip(distinct, faults, strict=True) if fault is not None}


def _fault(source: str) -> str | None:
    try:
        load_image(source)
    except ImageError as error:
        return str(error)
    return None
