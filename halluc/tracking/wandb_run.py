"""The Weights & Biases run of a run directory."""

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from lightning.pytorch.loggers import WandbLogger
from lightning.pytorch.utilities import rank_zero_only

from halluc.errors import UnknownOptionError
from halluc.report.flips import Flip

logger = logging.getLogger(__name__)

MODES = ("auto", "online", "offline", "disabled")
FLIP_COLUMNS = ["benchmark", "id", "change", "prompt", "gold", "before", "after", "images"]


def wandb_logger(
    run_dir: str,
    *,
    project: str,
    group: str | None = None,
    name: str | None = None,
    entity: str | None = None,
    tags: Sequence[str] = (),
    mode: Literal["auto", "online", "offline", "disabled"] = "auto",
) -> WandbLogger:
    """Build Lightning's W&B logger; the run's id is kept in the run directory, so resuming finds it.

    Args:
        run_dir: Run directory; offline files lie in its ``wandb`` folder.
        project: W&B project.
        group: W&B group; None takes the parent folder's name inside a sweep, else no group.
        name: Run name; None takes the run directory's.
        entity: W&B user or team; None takes the login's default.
        tags: Tags of the run.
        mode: ``auto`` is online where somebody is logged in, else offline; ``WANDB_MODE`` wins over it.

    Raises:
        UnknownOptionError: If the mode is none of the four.
    """
    if mode not in MODES:
        raise UnknownOptionError("logger.wandb.mode", mode, MODES)
    import wandb  # noqa: PLC0415  # slow to import, and needed by nobody who logs to CSV alone

    folder = Path(run_dir)
    return WandbLogger(
        save_dir=run_dir,
        project=project,
        group=group or _sweep_name(folder),
        name=name or folder.name,
        entity=entity,
        tags=list(tags),
        id=_run_id(folder),
        mode=_resolve_mode(mode, run_dir),
        settings=wandb.Settings(quiet=True),  # its recap of 400 numbers would push our table off the screen
    )


def log_flips(run: WandbLogger, flips: Sequence[Flip]) -> None:
    """Log the questions whose answer flipped since the baseline as the table ``flips``."""
    rows = [
        [f.benchmark, f.id, f.change, f.prompt, f.gold, f.before, f.after, ", ".join(f.images)] for f in flips
    ]
    run.log_table("flips", columns=FLIP_COLUMNS, data=rows)


def finish_wandb(*, failed: bool) -> None:
    """End the W&B run of this process, if it has one."""
    wandb = sys.modules.get("wandb")  # not imported where nothing is logged there
    if wandb is not None:
        wandb.finish(exit_code=int(failed))


def _resolve_mode(mode: str, run_dir: str) -> str:
    chosen = os.environ.get("WANDB_MODE") or mode
    if chosen != "auto":
        return chosen
    import wandb  # noqa: PLC0415  # slow to import, and needed by nobody who logs to CSV alone

    if wandb.login(prompt=False, verify=False):
        return "online"
    _say_offline(run_dir)
    return "offline"


@rank_zero_only
def _say_offline(run_dir: str) -> None:
    logger.info(
        "W&B: nobody is logged in, so this run is kept offline. `wandb login` before a run sends it; "
        "`wandb sync %s/wandb/offline-run-*` sends this one.",
        run_dir,
    )


def _sweep_name(folder: Path) -> str | None:
    """Name the sweep that this run directory is a job of; Hydra marks a sweep's folder by a file."""
    return folder.parent.name if (folder.parent / "multirun.yaml").exists() else None


def _run_id(folder: Path) -> str:
    """Read this run directory's W&B id, or make one and keep it; an agent's own id comes first."""
    path = folder / "wandb_id.txt"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(os.environ.get("WANDB_RUN_ID") or os.urandom(4).hex(), encoding="utf-8")
    return path.read_text(encoding="utf-8").strip()
