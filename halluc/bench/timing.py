"""Time several ways to do the same work in turns, so that a slow moment of the machine hits all alike."""

import ctypes
import gc
import re
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Timing:
    """Hold the durations of one way, in seconds, one a round."""

    durations_s: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """The median duration."""
        return statistics.median(self.durations_s)

    def ratio(self, other: "Timing") -> float:
        """Say how many times faster this is than another: the median over rounds."""
        pairs = zip(other.durations_s, self.durations_s, strict=True)
        return statistics.median(theirs / ours for theirs, ours in pairs)


def time_in_turns(
    steps: Mapping[str, Callable[[], object]], *, rounds: int, device: torch.device
) -> dict[str, Timing]:
    """Call every step once a round, for some rounds.

    Args:
        steps: What to time, by name; each was called before, so nothing is set up now.
        rounds: Number of rounds.
        device: Waited for before each clock reading.
    """
    durations: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            _wait(device)
            start = time.perf_counter()
            step()
            _wait(device)
            durations[name].append(time.perf_counter() - start)
    return {name: Timing(tuple(values)) for name, values in durations.items()}


def peak_memory_mb(step: Callable[[], object], device: torch.device) -> float | None:
    """Measure how much memory a step takes on top of what was in use before, in units of 10^6 bytes.

    Returns:
        The peak of PyTorch's allocations on a GPU; of the resident memory of the process on a CPU
        under Linux; None elsewhere, where it can't be measured.
    """
    gc.collect()
    if device.type == "cuda":
        before = torch.cuda.memory_allocated(device)
        torch.cuda.reset_peak_memory_stats(device)
        step()
        _wait(device)
        return (torch.cuda.max_memory_allocated(device) - before) / MEGABYTE
    if sys.platform != "linux":
        return None
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # give free memory back, or a later peak would hide in it
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before_mb = _resident_mb("VmRSS")
    step()
    return _resident_mb("VmHWM") - before_mb


def _resident_mb(field: str) -> float:
    found = re.search(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / MEGABYTE


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
