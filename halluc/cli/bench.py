"""``python -m halluc bench``: measure what token trees are worth on this machine."""

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any, cast

import peft
import torch
import transformers
import typer
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import halluc
from halluc.bench.run import BenchSettings, Result, run_bench
from halluc.errors import ConfigError

TITLES = {
    "sft": "Supervised fine-tuning step",
    "dpo": "Preference fine-tuning (DPO) step",
    "evaluation": "Evaluation by likelihood",
}
BASELINES = {"sft": "× TRL", "dpo": "× TRL", "evaluation": "× one by one"}

LEGEND = """\
How to read the tables. All ways compute the same on the same weights; packing=auto, the default of training,
trains like "token tree, features cached" from the second epoch on (and "and reference cached" with DPO).
  ms, questions/s  median step about one picture; with DPO a question is a pair of answers
  × rows           times faster than padded rows: one row of the batch for each question with its answer
  FLOP bound       times fewer operations than padded rows, so what × rows could be if arithmetic were all
  of bound         × rows as a share of that
  × TRL            times faster than TRL's trainer on the same data
  × one by one     times faster than one forward for each question
  MB               memory that the step adds
  differs          largest difference from padded rows, of the loss or a log-probability, in nats: rounding
  tokens/s         tokens of all sequences, a shared one counted as often as it occurs
  utilisation      needed operations a second over peak_tflops
docs/token-trees.md says more."""


def bench(
    overrides: Annotated[
        list[str] | None,
        typer.Argument(help="KEY=VALUE: model, device, dtype, threads, image_px, k, tasks, rounds, trl, …"),
    ] = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Also write everything that was measured to this file.")
    ] = None,
) -> None:
    """Time training steps and evaluation on token trees beside padded rows, TRL, and one question at a time.

    Without OVERRIDES one fixed configuration is measured: Qwen2-VL of width 256 and 6 layers, pictures of
    392 pixels (196 tokens), float32, one CPU thread, 2, 6 and 12 questions a picture. Ratios are medians
    over rounds in which all ways take turns.
    """
    settings = read_settings(overrides or [])
    console = Console()
    console.print(_headline(settings), highlight=False)
    results: list[Result] = []
    for measured in run_bench(settings):
        results += measured
        console.print(table(measured))
        if json_path is not None:
            json_path.write_text(json.dumps(_document(settings, results), indent=2) + "\n")
    console.print(LEGEND, highlight=False)
    if json_path is not None:
        console.print(f"Everything that was measured is in {json_path}", soft_wrap=True)


def read_settings(overrides: Sequence[str]) -> BenchSettings:
    """Read KEY=VALUE settings over the defaults.

    Raises:
        ConfigError: If a key is unknown or a value is wrong.
    """
    try:
        given = OmegaConf.from_dotlist(list(overrides))
        merged = OmegaConf.merge(OmegaConf.structured(BenchSettings), given)
        settings = OmegaConf.to_object(merged)
    except OmegaConfBaseException as error:
        keys = ", ".join(entry.name for entry in fields(BenchSettings))
        reason = str(error).splitlines()[0].rstrip(".")
        raise ConfigError(
            f"bench does not understand {' '.join(overrides)}: {reason}. Settings are KEY=VALUE, such as "
            f"model=qwen2_vl_2b k=[6,12]; the keys are {keys}."
        ) from error
    return cast(BenchSettings, settings)


def _headline(settings: BenchSettings) -> str:
    """Say what is going to be measured."""
    side = settings.image_px
    return (
        f"Model {settings.model} in {settings.dtype} on {settings.device} (CPU threads: {settings.threads}), "
        f"pictures of {side} x {side} pixels; each way is timed {settings.rounds} times, in turns. "
        "Let the machine do nothing else meanwhile."
    )


def table(results: Sequence[Result]) -> Table:
    """Lay out the results of all ways for one task and number of questions.

    Args:
        results: At least one, all of the same task and number.
    """
    task, k = results[0].task, results[0].k
    with_utilisation = any(result.utilisation is not None for result in results)
    asked = "pairs of answers" if task == "dpo" else "questions"
    shown = Table(
        title=f"{TITLES[task]}, {k} {asked} a picture",
        title_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    shown.add_column("way", min_width=12)
    columns = ["ms", "questions/s", "× rows", "FLOP bound", "of bound", BASELINES[task], "MB", "differs"]
    columns += ["tokens/s", "utilisation"] if with_utilisation else []
    rows = [_cells(result)[: len(columns)] for result in results]
    for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
        header = column.replace("questions/s", "questions\n/s").replace(" b", "\nb")
        shown.add_column(header, justify="right", min_width=max(map(len, (*header.splitlines(), *cells))))
    for result, row in zip(results, rows, strict=True):
        shown.add_row(result.way, *row)
    return shown


def _cells(result: Result) -> list[str]:
    of_bound = result.times_rows / result.flop_bound if result.flop_bound else None
    return [
        f"{result.median_s * 1000:.0f}",
        f"{result.questions_per_s:.1f}",
        f"{result.times_rows:.2f}",
        _number(result.flop_bound, ".2f"),
        _number(of_bound, ".0%"),
        _number(result.times_baseline, ".2f"),
        _number(result.peak_memory_mb, ".0f"),
        f"{result.max_difference:.0e}",
        _number(result.tokens_per_s, ".0f"),
        _number(result.utilisation, ".0%"),
    ]


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _document(settings: BenchSettings, results: Sequence[Result]) -> dict[str, Any]:
    return {
        "settings": asdict(settings),
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "gpu": torch.cuda.get_device_name() if settings.device == "cuda" else None,
            "versions": {
                module.__name__: module.__version__ for module in (halluc, torch, transformers, peft)
            },
        },
        "results": [asdict(result) for result in results],
    }
