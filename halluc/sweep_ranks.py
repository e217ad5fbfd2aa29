"""Let the processes of a multi-process job inside a sweep repeat that job alone."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import open_dict


@contextmanager
def job_command() -> Iterator[None]:
    """Make this process's command line that of the current job instead of the whole sweep.

    Lightning starts further ranks by repeating ``sys.argv``; inside ``--multirun`` each of them would
    start the sweep again, in a directory of its own.
    """
    config = HydraConfig.get()
    if config.mode != RunMode.MULTIRUN:
        yield
        return
    whole = sys.argv
    sys.argv = [whole[0], *config.overrides.task]
    with open_dict(config):
        config.run.dir = config.runtime.output_dir
    try:
        yield
    finally:
        sys.argv = whole
