"""``python -m halluc pretrain``: make the MiniWorld checkpoint."""

import json
import platform
import sys
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

import halluc
from halluc.data.row_files import write_text
from halluc.miniworld.lessons.curriculum import lessons_digest
from halluc.miniworld.measurement import measure
from halluc.miniworld.pretrained import RECORD_FILE
from halluc.miniworld.pretraining import run
from halluc.miniworld.pretraining.run import PretrainingPlan
from halluc.miniworld.source import MiniWorld

DEFAULTS = PretrainingPlan()
HEADLINES: tuple[str, ...] = (
    "pope/random/accuracy",
    "pope/popular/accuracy",
    "pope/adversarial/accuracy",
    "pope/pooled/recall",
    "pope/pooled/yes_ratio",
    "pope/pooled/auroc",
    "pope/pooled/best_threshold_accuracy",
    "phd/index",
    "phd/base/index",
    "phd/sec/index",
    "phd/icc/index",
    "phd/ccs/index",
    "vlm2/gated_mean",
    "vlm2/gate_open_rate",
    "vlm2/fine_accuracy",
    "longhalqa/lhqa_discrim_object_binary/accuracy",
    "longhalqa/lhqa_discrim_description_binary/accuracy",
    "longhalqa/lhqa_discrim_conversation_binary/accuracy",
    "vstar/accuracy",
    "own/accuracy",
)


def pretrain(
    out: Annotated[Path, typer.Argument(help="Folder for the checkpoint; a stopped run goes on from it.")],
    seed: Annotated[
        int, typer.Option(help="Seed of weights, scenes, drawings and questions.")
    ] = DEFAULTS.seed,
    vision_steps: Annotated[
        int, typer.Option(help="Steps that align the vision tower with the words.")
    ] = DEFAULTS.vision_steps,
    steps: Annotated[int, typer.Option(help="Steps of the language stage.")] = DEFAULTS.steps,
    rows: Annotated[int, typer.Option(help="Pictures a step, each with some 20 questions.")] = DEFAULTS.rows,
    threads: Annotated[int, typer.Option(help="Threads of torch.")] = DEFAULTS.threads,
) -> None:
    """Pretrain MiniWorld's small LVLM on biased data, measure it, and write the checkpoint with a record.

    The result follows from the options alone, on one machine. About half an hour on two CPU cores.
    """
    plan = PretrainingPlan(seed=seed, vision_steps=vision_steps, steps=steps, rows=rows, threads=threads)
    with _progress() as progress:
        validation = run.pretrain(plan, out, _Bars(progress))
    with tempfile.TemporaryDirectory() as folder:
        scores = {}
        for level in ("normal", "hard"):
            MiniWorld(Path(folder) / level, level).prepare()
            scores[level] = measure(out, Path(folder) / level)
    write_text(out / RECORD_FILE, json.dumps(_record(plan, out, validation, scores), indent=1) + "\n")
    Console().print(_table(scores))


class _Bars:
    """Show one progress bar a stage, and each validation as a line."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, now: run.Progress) -> None:
        if now.stage not in self._tasks:
            self._tasks[now.stage] = self._progress.add_task(now.stage, total=now.total, loss=now.loss)
        self._progress.update(self._tasks[now.stage], completed=now.step, loss=now.loss)
        if now.accuracy:
            shown = "  ".join(f"{name} {value:.2f}" for name, value in now.accuracy.items())
            self._progress.console.print(f"{now.stage} {now.step}: {shown}")


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("loss {task.fields[loss]:.3f}"),
    )


def _record(
    plan: PretrainingPlan, out: Path, validation: dict[str, float], scores: dict[str, dict[str, float]]
) -> dict[str, object]:
    """Say how the checkpoint came about, and what it scores."""
    named = {"seed", "vision_steps", "steps", "rows", "threads"}
    given = [f"--{name.replace('_', '-')} {value}" for name, value in asdict(plan).items() if name in named]
    packages = ("torch", "transformers", "tokenizers", "numpy", "pillow")
    return {
        "command": " ".join(["python -m halluc pretrain", out.name, *given]),
        "plan": asdict(plan),
        "lessons": lessons_digest(plan.seed),
        "versions": {"halluc": halluc.__version__, **{name: version(name) for name in packages}},
        "python": sys.version.split()[0],
        "machine": platform.processor() or platform.machine(),
        "validation_accuracy": {name: round(value, 4) for name, value in validation.items()},
        "scores": {
            level: {name: round(value, 4) for name, value in found.items()} for level, found in scores.items()
        },
    }


def _table(scores: dict[str, dict[str, float]]) -> Table:
    table = Table("score", *scores)
    for name in HEADLINES:
        table.add_row(name, *(f"{found[name]:.3f}" for found in scores.values()))
    return table
