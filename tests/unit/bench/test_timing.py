"""Ratios and memory of steps whose duration and size are known."""

import sys
import time

import pytest
import torch

from halluc.bench.timing import Timing, peak_memory_mb, time_in_turns

CPU = torch.device("cpu")


def test_median_and_ratio_by_hand():
    """Rounds take 1, 2, 9 s against 2, 8, 9 s: 2, 4 and 1 times, so 2 times in the median."""
    fast, slow = Timing((1.0, 2.0, 9.0)), Timing((2.0, 8.0, 9.0))

    assert fast.median_s == 2.0
    assert fast.ratio(slow) == 2.0
    assert slow.ratio(fast) == 0.5


def test_steps_take_turns():
    called: list[str] = []

    timings = time_in_turns(
        {"a": lambda: called.append("a"), "b": lambda: called.append("b")}, rounds=3, device=CPU
    )

    assert called == ["a", "b"] * 3
    assert all(len(timing.durations_s) == 3 for timing in timings.values())


def test_a_step_is_timed_whole():
    timings = time_in_turns({"sleep": lambda: time.sleep(0.02)}, rounds=2, device=CPU)

    assert timings["sleep"].median_s >= 0.02


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_memory_of_a_step_is_what_it_allocates():
    """25 million float32 are 100 MB, freed again before the step ends."""
    taken = peak_memory_mb(lambda: float(torch.ones(25_000_000).sum()), CPU)
    little = peak_memory_mb(lambda: float(torch.ones(1000).sum()), CPU)

    assert taken == pytest.approx(100, rel=0.1)
    assert little is not None
    assert little < 10
