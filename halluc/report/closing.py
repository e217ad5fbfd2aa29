"""What a training run shows at its end: the table, how many answers flipped, and pictures of some."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from halluc.report.before_after import before_after_table
from halluc.report.flip_pictures import flip_pictures
from halluc.report.flips import Flip, count_changes


def print_closing(results: Mapping[str, Any], found: Sequence[Flip], run_dir: Path) -> None:
    """Print what a run has changed, and draw cured answers into its directory.

    Args:
        results: What ``results.json`` holds.
        found: Answers of the best epoch that differ from the baseline's.
        run_dir: The run directory.
    """
    console = Console()
    console.print(before_after_table(results))
    if results["best"].get("select/score", 0.0) < results["baseline"].get("select/score", 0.0):
        console.print("[yellow]No epoch reached the baseline's select/score: the adapter does harm.[/]")
    changes = ", ".join(f"{count} {kind}" for kind, count in count_changes(found).items())
    console.print(f"{len(found)} answers flipped since the baseline ({changes}).")
    for path in flip_pictures(found, run_dir / "flips"):
        console.print(f"A cured answer: {path}", soft_wrap=True)
    console.print(f"Everything of this run lies in {run_dir}", soft_wrap=True)
