"""Features come back as they went in, whatever happened to memory or disk in between."""

from pathlib import Path

import pytest
import torch

from halluc.errors import ConfigError
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.tensor_folder import Tensors

CPU = torch.device("cpu")


class Tower:
    """Compute features that tell how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Tensors:
        self.calls += 1
        return {"tokens": torch.full((3, 2), float(self.calls)), "deepstack_0": torch.ones(3, 2).bfloat16()}


def test_second_request_comes_from_memory():
    tower, cache = Tower(), FeatureCache()

    first, second = (cache.get("a", tower, CPU) for _ in range(2))

    assert tower.calls == 1
    assert torch.equal(first["tokens"], second["tokens"])
    assert second["deepstack_0"].dtype == torch.bfloat16
    cache.get("b", tower, CPU)
    assert tower.calls == 2


def test_memory_bound_drops_what_was_used_longest_ago():
    """An entry is 3 * 2 * (4 + 2) = 36 bytes, so 80 bytes hold two."""
    tower, cache = Tower(), FeatureCache(max_memory_gb=80e-9)

    for key in ("a", "b", "a", "c"):
        cache.get(key, tower, CPU)
    assert tower.calls == 3
    cache.get("a", tower, CPU)
    assert tower.calls == 3
    cache.get("b", tower, CPU)
    assert tower.calls == 4


def test_no_memory_keeps_nothing():
    tower, cache = Tower(), FeatureCache(max_memory_gb=0)

    for _ in range(2):
        cache.get("a", tower, CPU)

    assert tower.calls == 2


def test_stored_features_carry_no_graph():
    weight = torch.ones(3, requires_grad=True)

    found = FeatureCache().get("a", lambda: {"tokens": weight * 2}, CPU)

    assert not found["tokens"].requires_grad


def test_another_process_reads_the_folder(tmp_path: Path):
    tower = Tower()
    wrote = FeatureCache(folder=str(tmp_path)).get("a1", tower, CPU)

    read = FeatureCache(folder=str(tmp_path)).get("a1", tower, CPU)

    assert tower.calls == 1
    assert all(torch.equal(wrote[name], read[name]) for name in wrote)


def test_a_damaged_entry_is_computed_again_and_mended(tmp_path: Path):
    tower = Tower()
    FeatureCache(folder=str(tmp_path)).get("a1", tower, CPU)
    (entry,) = tmp_path.rglob("*.safetensors")
    entry.write_bytes(b"")

    for _ in range(2):
        found = FeatureCache(folder=str(tmp_path)).get("a1", tower, CPU)

    assert tower.calls == 2
    assert float(found["tokens"][0, 0]) == 2.0


@pytest.mark.parametrize("bounds", [{"max_memory_gb": -1}, {"max_disk_gb": -1}])
def test_negative_bounds_are_refused(bounds: dict[str, float]):
    with pytest.raises(ConfigError, match="0 or more"):
        FeatureCache(**bounds)
