"""The reference is asked once an answer, in this run and, with a folder, in the next."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from halluc.errors import ConfigError
from halluc.packing.reference_cache import ENTRY_BYTES, ReferenceCache

CPU = torch.device("cpu")


class Reference:
    """Say two numbers, others with each call, and count the calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Tensor:
        self.calls += 1
        return torch.tensor([-0.1, -1e-3], requires_grad=True) * self.calls


def sums(cache: ReferenceCache, keys: list[str], reference: Reference, weights: str = "w") -> Tensor:
    return cache.sums(keys, reference, CPU, lambda: weights)


def test_known_answers_are_not_computed_again_in_any_order():
    reference, cache = Reference(), ReferenceCache()

    first = sums(cache, ["a", "b"], reference)
    again = sums(cache, ["b", "a", "b"], reference)

    assert reference.calls == 1
    assert torch.equal(first[[1, 0, 1]], again)  # to the last bit
    assert not first.requires_grad
    assert first.dtype == again.dtype == torch.float32


def test_one_unknown_answer_computes_the_batch_and_changes_no_known_number():
    reference, cache = Reference(), ReferenceCache()

    first = sums(cache, ["a", "b"], reference)
    second = sums(cache, ["a", "c"], reference)

    assert reference.calls == 2
    assert second[0] == first[0]


def test_no_answers():
    assert sums(ReferenceCache(), [], Reference()).shape == (0,)


def test_a_checkpoint_carries_what_is_known():
    reference, cache, resumed = Reference(), ReferenceCache(), ReferenceCache()
    first = sums(cache, ["a", "b"], reference)

    resumed.load_state_dict(cache.state_dict())

    assert torch.equal(sums(resumed, ["a", "b"], reference), first)
    assert reference.calls == 1


def test_the_memory_bound_drops_what_was_used_longest_ago():
    reference, cache = Reference(), ReferenceCache(max_memory_gb=2 * ENTRY_BYTES / 1e9)

    for keys in (["a", "b"], ["c", "d"], ["c", "d"]):
        sums(cache, keys, reference)
    assert reference.calls == 2
    sums(cache, ["a", "b"], reference)
    assert reference.calls == 3


def test_no_memory_still_answers():
    reference, cache = Reference(), ReferenceCache(max_memory_gb=0)

    for calls in (1, 2):
        assert torch.equal(sums(cache, ["a", "b"], reference), torch.tensor([-0.1, -1e-3]) * calls)


class TestFolder:
    def test_a_second_run_asks_nothing(self, tmp_path: Path):
        reference = Reference()
        first = sums(ReferenceCache(folder=str(tmp_path)), ["a", "b"], reference)

        again = sums(ReferenceCache(folder=str(tmp_path)), ["b", "a"], reference)

        assert reference.calls == 1
        assert torch.equal(first.flip(0), again)

    def test_what_memory_dropped_is_read(self, tmp_path: Path):
        reference, cache = Reference(), ReferenceCache(max_memory_gb=0, folder=str(tmp_path))

        first, again = (sums(cache, ["a", "b"], reference) for _ in range(2))

        assert reference.calls == 1
        assert torch.equal(first, again)

    def test_another_reference_has_entries_of_its_own(self, tmp_path: Path):
        reference = Reference()

        for weights in ("w", "v", "w", "v"):
            sums(ReferenceCache(folder=str(tmp_path)), ["a", "b"], reference, weights)

        assert reference.calls == 2

    def test_a_damaged_entry_is_computed_again_with_a_warning(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ):
        reference = Reference()
        sums(ReferenceCache(folder=str(tmp_path)), ["a", "b"], reference)
        damaged = min(tmp_path.rglob("*.safetensors"))
        damaged.write_bytes(damaged.read_bytes()[:-1])

        for _ in range(2):
            sums(ReferenceCache(folder=str(tmp_path)), ["a", "b"], reference)

        assert reference.calls == 2
        assert caplog.text.count(str(damaged)) == 1

    def test_the_reference_is_named_only_if_entries_are_on_disk(self):
        def refuse() -> str:
            raise AssertionError

        ReferenceCache().sums(["a", "b"], Reference(), CPU, refuse)


@pytest.mark.parametrize("bounds", [{"max_memory_gb": -1}, {"max_disk_gb": -1}])
def test_negative_bounds_are_refused(bounds: dict[str, float]):
    with pytest.raises(ConfigError, match=r"method\.reference_cache.*0 or more"):
        ReferenceCache(**bounds)
