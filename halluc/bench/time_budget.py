"""Run commands one after another so that all of it surely ends in time.

Each command is a process of its own: one that hangs is ended, one that runs out of memory takes nothing
along, and what it wrote until then is kept.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TAIL_LINES = 12


@dataclass(frozen=True, slots=True)
class Part:
    """Hold one command.

    Attributes:
        name: Of its files.
        command: Program and arguments; ``--json FILE`` is added, where it writes what it found.
        share: Of the time that is left when it begins, beside the shares of the parts that follow. What a
            part does not use is theirs.
        required: Whether the parts that follow mean nothing without it.
    """

    name: str
    command: tuple[str, ...]
    share: float
    required: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold how a part ended.

    Attributes:
        name: Of the part.
        status: ``done``, ``failed``, ``out of time`` or ``left out``.
        seconds: How long it ran.
        limit_s: How long it might have run.
        found: What it wrote, possibly only the beginning; None if nothing.
        tail: The last lines of its output.
    """

    name: str
    status: str
    seconds: float
    limit_s: float
    found: Any
    tail: tuple[str, ...]


def run_parts(parts: Sequence[Part], *, budget_s: float, folder: Path) -> Iterator[Outcome]:
    """Run parts in order.

    Args:
        parts: What to run.
        budget_s: All parts together end within this time, in seconds.
        folder: Made if missing; gets ``NAME.json`` and ``NAME.log`` of each part.

    Yields:
        How each part ended, as soon as it did.
    """
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + budget_s
    stopped = False
    for number, part in enumerate(parts):
        left_s = max(0.0, deadline - time.monotonic())
        limit_s = left_s * part.share / sum(later.share for later in parts[number:])
        if stopped or limit_s < 1:
            yield Outcome(part.name, "left out", 0.0, limit_s, None, ())
            continue
        outcome = _run(part, limit_s, folder)
        stopped = part.required and outcome.status != "done"
        yield outcome


def _run(part: Part, limit_s: float, folder: Path) -> Outcome:
    written, log = folder / f"{part.name}.json", folder / f"{part.name}.log"
    written.unlink(missing_ok=True)
    start = time.monotonic()
    with log.open("w") as output:
        process = subprocess.Popen(
            [*part.command, "--json", str(written)],
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = "done" if process.wait(timeout=limit_s) == 0 else "failed"
        except subprocess.TimeoutExpired:
            status = "out of time"
            os.killpg(process.pid, signal.SIGKILL)  # with the workers that compile kernels
            process.wait()
    found = _read(written)
    tail = tuple(log.read_text(errors="replace").splitlines()[-TAIL_LINES:])
    return Outcome(part.name, status, time.monotonic() - start, limit_s, found, tail)


def _read(path: Path) -> Any:  # noqa: ANN401 - whatever the part wrote
    """Read what a part wrote; None if nothing, or if it was ended in the middle of writing."""
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return None
