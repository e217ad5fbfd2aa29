"""The table at the end of a sweep: its jobs, ranked by their selection score."""

from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.table import Table

from halluc.report.results import read_results


class SweepTable(Callback):
    """Print one row a job when a multirun ends; Hydra calls it."""

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:  # noqa: ANN401  # Hydra's signature
        """Read the run directories of the sweep and print the table."""
        Console().print(sweep_table(Path(config.hydra.sweep.dir)))


def sweep_table(sweep_dir: Path) -> Table:
    """Rank the jobs of a sweep by ``select/score`` of their best epoch.

    A job without a score stands at the end, with a dash.
    """
    rows = []
    for overrides in sweep_dir.glob("*/overrides.yaml"):
        run_dir = overrides.parent
        best = read_results(run_dir).get("best", {})
        score = best.get("select/score")
        rows.append((score, run_dir, best.get("epoch"), " ".join(OmegaConf.load(overrides))))
    table = Table(title=f"Sweep {sweep_dir}")
    for name, justify in (("rank", "right"), ("select/score", "right"), ("epoch", "right"), ("job", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]  # a literal, seen as str
    table.add_column("overrides")
    ranked = sorted(rows, key=lambda row: (row[0] is None, -(row[0] or 0.0), str(row[1])))
    for rank, (score, run_dir, epoch, text) in enumerate(ranked, start=1):
        shown = "–" if score is None else f"{score:.4f}"
        table.add_row(str(rank), shown, str(epoch or "–"), run_dir.name, text)
    return table
