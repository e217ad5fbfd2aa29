"""Prepare the next batch on the CPU while the model works on this one."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


def prefetched(prepare: Callable[[ItemT], ResultT], items: Iterable[ItemT]) -> Iterator[ResultT]:
    """Apply a function to items in order, one item ahead, in one thread.

    Args:
        prepare: Called from the thread, one item at a time.
        items: Drawn from the caller's thread.

    Yields:
        The results in order; an error of ``prepare`` is raised where its result would have come.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="prefetch") as pool:
        ahead = None
        for item in items:
            current, ahead = ahead, pool.submit(prepare, item)
            if current is not None:
                yield current.result()
        if ahead is not None:
            yield ahead.result()
