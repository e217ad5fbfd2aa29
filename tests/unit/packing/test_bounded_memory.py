"""What is held stays within the bound, and what was used last stays longest."""

import pytest

from halluc.errors import ConfigError
from halluc.packing.bounded_memory import BoundedMemory


def memory(max_bytes: int) -> BoundedMemory[str]:
    return BoundedMemory[str]("some.cache", max_bytes / 1e9, size=len)


def test_what_was_used_longest_ago_goes_first():
    held = memory(4)
    held.put("a", "AA")
    held.put("b", "BB")
    assert held.get("a") == "AA"
    held.put("c", "CC")

    assert held.get("b") is None
    assert list(held.items()) == [("a", "AA"), ("c", "CC")]


def test_a_value_put_again_counts_once():
    held = memory(4)
    for value in ("AAAA", "A", "AA"):
        held.put("a", value)
    held.put("b", "BB")

    assert list(held.items()) == [("a", "AA"), ("b", "BB")]


def test_what_is_larger_than_the_bound_is_not_held():
    held = memory(2)
    held.put("a", "AAA")

    assert held.get("a") is None
    held.put("b", "BB")
    assert held.get("b") == "BB"


def test_a_negative_bound_is_refused():
    with pytest.raises(ConfigError, match=r"some\.cache\.max_memory_gb is .*0 or more"):
        memory(-1)
