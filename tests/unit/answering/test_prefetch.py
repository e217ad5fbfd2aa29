import threading

import pytest
import torch

from halluc.answering.prefetch import prefetched

GPU = torch.device("cuda")


def test_results_come_in_order():
    assert list(prefetched(lambda n: n * n, range(5), GPU)) == [0, 1, 4, 9, 16]


def test_nothing_comes_of_nothing():
    assert list(prefetched(lambda n: n, [], GPU)) == []


def test_one_item_is_prepared_ahead_and_no_more():
    started = [threading.Event() for _ in range(4)]

    def prepare(n):
        started[n].set()
        return n

    results = prefetched(prepare, range(4), GPU)
    assert next(results) == 0
    assert started[1].wait(5)
    assert not started[2].is_set()
    assert list(results) == [1, 2, 3]


def test_an_error_is_raised_in_its_place():
    def prepare(n):
        if n == 1:
            raise ValueError("item 1")
        return n

    results = prefetched(prepare, range(3), GPU)
    assert next(results) == 0
    with pytest.raises(ValueError, match="item 1"):
        next(results)


def test_stopping_early_ends_the_thread():
    results = prefetched(lambda n: n, iter(range(1000)), GPU)
    next(results)
    results.close()
    assert not any(thread.name.startswith("prefetch") for thread in threading.enumerate())


def test_nothing_is_prepared_ahead_of_a_model_on_the_cpu():
    prepared = []
    results = prefetched(prepared.append, range(3), torch.device("cpu"))
    for number in range(3):
        next(results)
        assert prepared == list(range(number + 1))
