"""Where the configuration lies, in a checkout and in an installed package, and its benchmarks."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

import halluc
from halluc.errors import UnknownOptionError


def config_folder() -> Path:
    """Return the folder ``conf``: in the package, or beside it in a checkout."""
    package = Path(halluc.__file__).parent
    return next(path for path in (package / "conf", package.parent / "conf") if path.is_dir())


def compose_config(name: str, overrides: Sequence[str]) -> DictConfig:
    """Compose a file of the configuration with overrides, as Hydra does for ``train.py``."""
    with initialize_config_dir(config_dir=str(config_folder()), version_base="1.3"):
        return compose(name, list(overrides))


def benchmark_names() -> list[str]:
    """Return the names of all benchmarks that have a config, sorted."""
    return sorted(path.stem for path in (config_folder() / "benchmark").glob("*.yaml"))


def benchmark_entry(name: str) -> DictConfig:
    """Return a benchmark's entry in the config; its ``_target_`` names the class.

    Raises:
        UnknownOptionError: If there is none of that name; lists them.
    """
    if name not in benchmark_names():
        raise UnknownOptionError("BENCHMARK", name, benchmark_names())
    entries = cast(DictConfig, OmegaConf.load(config_folder() / "benchmark" / f"{name}.yaml"))
    (entry,) = entries.values()
    return cast(DictConfig, entry)
