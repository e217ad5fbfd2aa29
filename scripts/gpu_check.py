"""Measure token trees on a GPU in at most eight minutes, after checking that they are right there.

::

    python scripts/gpu_check.py run --out gpu_check            # on the machine with the GPU
    python scripts/gpu_check.py run --out rehearsal --rehearse  # the same on a CPU, with a tiny shape

First versions and hooks are checked: on tiny checkpoints of eleven families, trees give what padded rows
give on the device. Then random weights of the shapes of Qwen2-VL-2B and -7B in bfloat16 do supervised and
preference fine-tuning and evaluation on trees, on padded rows, in TRL and one question at a time; and trees
attend with a dense mask and with flex attention, beside rows that continue from a prefix's keys and values,
after checking that all give the same log-probabilities and gradients there. Nothing is downloaded. Every
part is a process with a share of the time, so the script ends in time whatever happens; what was measured
until then is in ``OUT/gpu_check.json`` and, readable, in ``OUT/gpu_check.txt``.

A machine without network often has a torch that fits its driver, and other packages that are too old.
Collect wheels where there is a network, with the Python version of that machine, and bring the folder along
(a few hundred megabytes)::

    grep -vE '^(torch|torchvision|triton)==|^(nvidia|cuda)-' requirements.lock > light.txt
    pip wheel --no-deps --wheel-dir wheels --requirement light.txt .

and there, which leaves its torch and torchvision alone::

    pip install --no-index --find-links wheels --no-deps --requirement light.txt halluc
    pip check
"""

import json
import logging
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import typer
from rich.console import Console
from rich.table import Table

from halluc.bench.attention_variants import VariantResult, compare_attention
from halluc.bench.device_check import check_attention, check_families, check_versions, peak_tflops
from halluc.bench.model import build_model
from halluc.bench.run import Result
from halluc.bench.time_budget import Outcome, Part, run_parts
from halluc.bench.workload import draw_workload
from halluc.cli.bench import LEGEND, table
from halluc.errors import HallucError
from halluc.models.families.trees.table import TREES

BUDGET_S = 460.0

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=__doc__)
Json = Annotated[Path, typer.Option("--json", help="File to write.")]


@dataclass(frozen=True)
class Scale:
    """Hold what is measured.

    Attributes:
        device: ``cuda`` or ``cpu``.
        dtype: Number format of the weights.
        models: Shapes, a smaller and a larger one.
        image_px: Side of the square picture, in pixels.
        k: Questions a picture.
        k_large_dpo: The same for preference steps of the larger model, whose padded rows fill a GPU.
        rounds: How often every way is timed.
        families: Tiny checkpoints that are checked.
    """

    device: str
    dtype: str
    models: tuple[str, str]
    image_px: int
    k: int
    k_large_dpo: int
    rounds: int
    families: tuple[str, ...]


FULL = Scale("cuda", "bfloat16", ("qwen2_vl_2b", "qwen2_vl_7b"), 784, 6, 3, 5, tuple(sorted(TREES)))
REHEARSAL = Scale("cpu", "bfloat16", ("small", "small"), 56, 2, 1, 1, ("qwen2_vl",))


@app.command()
def run(
    out: Annotated[Path, typer.Option(help="Folder for everything that is found.")],
    rehearse: Annotated[bool, typer.Option("--rehearse", help="On a CPU, with a tiny shape.")] = False,
    budget_s: Annotated[float, typer.Option(help="Seconds for all parts together.")] = BUDGET_S,
) -> None:
    """Run all parts; exits with 1 unless every one is done."""
    console = Console(record=True, width=150)
    scale = REHEARSAL if rehearse else FULL
    gpu = torch.cuda.get_device_name() if scale.device == "cuda" and torch.cuda.is_available() else None
    console.print(
        f"{gpu or 'CPU'}, {scale.dtype}, pictures of {scale.image_px} pixels, {budget_s:.0f} s at most"
    )
    console.print(LEGEND, highlight=False)
    outcomes: list[Outcome] = []
    for outcome in run_parts(plan(scale, peak_tflops(gpu or "")), budget_s=budget_s, folder=out):
        outcomes.append(outcome)
        show(outcome, console)
        document = {"gpu": gpu, "scale": asdict(scale), "parts": [asdict(each) for each in outcomes]}
        (out / "gpu_check.json").write_text(json.dumps(document, indent=2) + "\n")
        (out / "gpu_check.txt").write_text(console.export_text(clear=False))
    if any(outcome.status != "done" for outcome in outcomes):
        raise typer.Exit(1)


@app.command()
def hooks(json_path: Json, device: str, families: list[str]) -> None:
    """Check versions, and that token trees are right on the device."""
    found: dict[str, Any] = {"versions": check_versions(device)}
    found["families"] = check_families(families, device)
    json_path.write_text(json.dumps(found, indent=2) + "\n")


@app.command()
def attention(
    json_path: Json, model: str, device: str, dtype: str, image_px: int, k: int, rounds: int
) -> None:
    """Check that all ways to attend are right on the device, and measure them."""
    differences = check_attention(device)
    lvlm = build_model(model, dtype=dtype, device=device, image_px=image_px)
    with tempfile.TemporaryDirectory() as folder:
        workload = draw_workload(Path(folder), k=k, image_px=image_px)
        found = compare_attention(lvlm, workload, rounds=rounds)
    rows = [asdict(each) for each in found]
    json_path.write_text(json.dumps({"differences": differences, "variants": rows}, indent=2) + "\n")


def plan(scale: Scale, peak: float | None) -> list[Part]:
    """List the parts, the most telling first.

    Args:
        scale: What is measured.
        peak: Of the GPU, for the utilisation; None leaves it out.
    """
    smaller, larger = scale.models

    def own(command: str, *arguments: object) -> tuple[str, ...]:
        return (sys.executable, __file__, command, *map(str, arguments))

    def bench(model: str, k: int, tasks: str) -> tuple[str, ...]:
        settings = {
            "model": model,
            "device": scale.device,
            "dtype": scale.dtype,
            "image_px": scale.image_px,
            "k": f"[{k}]",
            "tasks": tasks,
            "rounds": scale.rounds,
            "peak_tflops": "null" if peak is None else peak,
        }
        return (
            sys.executable,
            "-m",
            "halluc",
            "bench",
            *(f"{key}={value}" for key, value in settings.items()),
        )

    variants = (smaller, scale.device, scale.dtype, scale.image_px, scale.k, scale.rounds)
    return [
        Part("hooks", own("hooks", scale.device, *scale.families), share=90, required=True),
        Part("smaller", bench(smaller, scale.k, "[sft,evaluation,dpo]"), share=120),
        Part("larger", bench(larger, scale.k, "[sft,evaluation]"), share=120),
        Part("larger_dpo", bench(larger, scale.k_large_dpo, "[dpo]"), share=80),
        Part("attention", own("attention", *variants), share=80),
    ]


def show(outcome: Outcome, console: Console) -> None:
    """Print how a part ended, with its tables."""
    console.print(
        f"\n{outcome.name}: {outcome.status} after {outcome.seconds:.0f} of {outcome.limit_s:.0f} s"
    )
    found = outcome.found or {}
    results = [Result(**row) for row in found.get("results", [])]
    for task, k in dict.fromkeys((result.task, result.k) for result in results):
        console.print(table([result for result in results if (result.task, result.k) == (task, k)]))
    variants = [VariantResult(**row) for row in found.get("variants", [])]
    for task in dict.fromkeys(variant.task for variant in variants):
        console.print(variants_table([variant for variant in variants if variant.task == task]))
    for family, said in found.get("families", {}).items():
        console.print(f"  {family}: {said}")
    if outcome.status in {"failed", "out of time"}:
        console.print("\n".join(outcome.tail), markup=False)


def variants_table(results: Sequence[VariantResult]) -> Table:
    """Lay out the ways to attend of one task."""
    shown = Table(title=f"Attention, {results[0].task}: {results[0].work}", title_justify="left")
    for column in ("attention", "ms", "× dense", "MB", "log-probabilities", "gradients"):
        shown.add_column(column, justify="left" if column == "attention" else "right")
    for result in results:
        memory = "" if result.peak_memory_mb is None else f"{result.peak_memory_mb:.0f}"
        gradients = "" if result.gradient_difference is None else f"{result.gradient_difference:.0e}"
        shown.add_row(
            result.variant,
            f"{result.median_s * 1000:.1f}",
            f"{result.times_dense:.2f}",
            memory,
            f"{result.logp_difference:.0e}",
            gradients,
        )
    return shown


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        app()
    except HallucError as error:
        typer.secho(f"{type(error).__name__}: {error}", err=True, fg="red")
        sys.exit(1)
