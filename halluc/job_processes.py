"""Keep the processes of one job apart from those of the next job of a sweep."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import read_write

from halluc.errors import ConfigError

RANK_VARIABLES = ("LOCAL_RANK", "NODE_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""What Lightning's launcher writes into the environment, and takes for an outer launcher's the next time."""


def check_launch() -> None:
    """Refuse ranks that an outer launcher started without one run directory for all of them.

    Raises:
        ConfigError: If torchrun, srun, … launched this process and ``hydra.run.dir`` was left to the clock.
    """
    given = any(line.startswith(("hydra.run.dir=", "resume=")) for line in sys.argv[1:])
    if "LOCAL_RANK" in os.environ and os.environ.get("WORLD_SIZE", "1") != "1" and not given:
        raise ConfigError(
            "Several ranks were launched from outside, and each would make a run directory of its own. "
            "Give all of them one: hydra.run.dir=runs/NAME. Or leave launching to trainer=ddp."
        )


def exit_status(status: int) -> int:
    """Return how this process ends after a stop: further ranks quietly, or Lightning kills the first."""
    return status if os.environ.get("LOCAL_RANK", "0") == "0" else 0


@contextmanager
def job_processes() -> Iterator[None]:
    """Let further ranks repeat the current job alone, and end its process group afterwards.

    Lightning starts ranks by repeating ``sys.argv``; inside ``--multirun`` each of them would start the
    whole sweep again, in a directory of its own.
    """
    command = sys.argv
    environment = {name: os.environ.get(name) for name in RANK_VARIABLES}
    config = HydraConfig.get()
    if config.mode == RunMode.MULTIRUN:
        sys.argv = [command[0], *config.overrides.task]
        with read_write(config):  # type: ignore[arg-type]  # at run time it is a DictConfig
            config.run.dir = config.runtime.output_dir
    try:
        yield
    finally:
        sys.argv = command
        _end_process_group(environment)


def _end_process_group(environment: dict[str, str | None]) -> None:
    if environment["LOCAL_RANK"] is not None or not torch.distributed.is_initialized():
        return  # somebody outside launched the ranks, or there is one process only
    torch.distributed.destroy_process_group()
    for name, value in environment.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
