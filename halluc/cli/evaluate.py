"""``python -m halluc evaluate``: measure a model without training it."""

import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from halluc.callbacks.stop_request import StopRequest
from halluc.cli.configs import compose_config
from halluc.errors import ConfigError, ResumeError
from halluc.evaluation import evaluate as run_evaluation
from halluc.report.evaluation_table import evaluation_tables
from halluc.report.quiet import quiet_libraries
from halluc.report.results import write_results
from halluc.tracking.provenance import provenance

logger = logging.getLogger(__name__)

RESUME = "resume="
CONFIG = "config.yaml"


def evaluate(
    overrides: Annotated[
        list[str] | None,
        typer.Argument(help="As for train.py: model=qwen2vl 'benchmark=\\[pope,phd]', or resume=DIR."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print results.json instead of tables.")] = False,
) -> None:
    """Measure a model: same groups and results as training, without training.

    ``resume=DIR`` goes on with an evaluation that was stopped; its settings come from DIR.
    """
    given = overrides or []
    quiet_libraries()
    cfg, run_dir = _resumed(given) if any(o.startswith(RESUME) for o in given) else _started(given)
    logger.info("Everything of this evaluation is written to %s", run_dir)
    with StopRequest() as stop:
        results = run_evaluation(cfg, run_dir, stop)
    results["provenance"] = provenance(given)
    write_results(run_dir, results)
    if as_json:
        typer.echo(json.dumps(results, indent=1))
    else:
        _show(results, run_dir)


def _started(overrides: list[str]) -> tuple[DictConfig, Path]:
    cfg = compose_config("evaluate", overrides)
    if OmegaConf.is_interpolation(cfg.paths, "run_dir"):  # Hydra's own folder is known in train.py only
        cfg.paths.run_dir = str(
            Path(cfg.paths.runs_dir) / f"{datetime.now(UTC):%Y-%m-%d_%H-%M-%S}_evaluation"
        )
    run_dir = Path(cfg.paths.run_dir)
    if (run_dir / CONFIG).exists():
        raise ConfigError(
            f"{run_dir} holds a run. Go on with it by resume={run_dir}, or name another folder."
        )
    run_dir.mkdir(parents=True, exist_ok=True)
    OmegaConf.save(cfg, run_dir / CONFIG)
    return cfg, run_dir


def _resumed(overrides: list[str]) -> tuple[DictConfig, Path]:
    """Take the stored configuration, changed by single values."""
    run_dir = Path(next(o for o in overrides if o.startswith(RESUME)).removeprefix(RESUME))
    path = run_dir / CONFIG
    if not path.exists():
        raise ResumeError(
            f"No evaluation to go on with: {path} not found. Name the folder that evaluate wrote to."
        )
    cfg = cast("DictConfig", OmegaConf.load(path))
    others = [o for o in overrides if not o.startswith(RESUME)]
    for override in OverridesParser.create().parse_overrides(others):
        if OmegaConf.is_config(OmegaConf.select(cfg, override.key_or_group)):
            raise ResumeError(
                f"{override.input_line}: a group can't be changed while resuming {run_dir}. "
                "Override single values, or start a new evaluation."
            )
        OmegaConf.update(cfg, override.key_or_group, override.value())
    return cfg, run_dir


def _show(results: dict[str, Any], run_dir: Path) -> None:
    console = Console()
    for table in evaluation_tables(results):
        console.print(table)
    console.print(f"Predictions and results.json lie in {run_dir}")
