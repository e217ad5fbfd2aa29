"""Find the configuration of a run that is to go on."""

import logging
from pathlib import Path
from typing import cast

from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig, OmegaConf

from halluc.errors import ResumeError

logger = logging.getLogger(__name__)

CONFIG_NAME = "config.yaml"
OVERRIDES_NAME = "overrides.yaml"

# A run directory is the one to be resumed, if one is given, or else a new one.
OmegaConf.register_new_resolver(
    "first_of", lambda *values: next(v for v in values if v is not None), replace=True
)


def save_config(cfg: DictConfig, run_dir: Path) -> None:
    """Write the composed configuration, and what the command line said, into the run directory."""
    run_dir.mkdir(parents=True, exist_ok=True)
    OmegaConf.save(cfg, run_dir / CONFIG_NAME)
    if not (run_dir / OVERRIDES_NAME).exists():  # a resumed run keeps those of its start
        OmegaConf.save(OmegaConf.create(_command_line()), run_dir / OVERRIDES_NAME)


def read_overrides(run_dir: Path) -> list[str]:
    """Return what the command line of a run said; empty where there is no run."""
    path = run_dir / OVERRIDES_NAME
    return [str(line) for line in OmegaConf.load(path)] if path.exists() else []


def resumed_config(run_dir: Path) -> DictConfig:
    """Take the configuration of the run in ``run_dir``, changed by this command's further values.

    Overrides that the run was started with may be repeated.

    Raises:
        ResumeError: If the directory holds no run, or a whole group is changed.
    """
    path = run_dir / CONFIG_NAME
    if not path.exists():
        raise ResumeError(
            f"No run to resume: {path} not found. Set resume= to a run directory that train.py made "
            "(the folder with config.yaml, not a checkpoint file)."
        )
    stored = cast("DictConfig", OmegaConf.load(path))
    repeated = {*read_overrides(run_dir), *(line for line in _command_line() if line.startswith("resume="))}
    further = [line for line in _command_line() if line not in repeated]
    for override in OverridesParser.create().parse_overrides(further):
        key = override.key_or_group
        if key in HydraConfig.get().runtime.choices:
            raise ResumeError(
                f"{override.input_line}: a group can't be changed while resuming {run_dir}. "
                "Override single values, or start a new run."
            )
        OmegaConf.update(stored, key, override.value())
        logger.warning(
            "Resuming with %s: the result is not that of an uninterrupted run.", override.input_line
        )
    stored.resume = str(run_dir)
    return stored


def _command_line() -> list[str]:
    return list(HydraConfig.get().overrides.task)
