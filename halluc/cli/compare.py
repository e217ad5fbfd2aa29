"""``python -m halluc compare RUN RUN …``: paired comparison of answers."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from halluc.benchmarks.base import Benchmark
from halluc.benchmarks.intervals import Countable
from halluc.errors import ConfigError, SourceNotFoundError
from halluc.report.compare import Comparison, compare_predictions, comparison_table, shared_benchmarks
from halluc.report.flips import count_changes, flips

FULL, FULL_TEXT = "full", "full_text"


def compare(
    runs: Annotated[
        list[str], typer.Argument(help="Run directories; RUN@baseline, RUN@epoch_2, … instead of RUN@full.")
    ],
    option: Annotated[
        list[str] | None, typer.Option(help="Where a benchmark's files are now, as pope.root=DIR.")
    ] = None,
    list_flips: Annotated[int, typer.Option("--flips", help="Show so many changed answers.")] = 0,
    resamples: Annotated[int, typer.Option(help="Resamples of the intervals.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Probability that an interval covers.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Compare the answers of each run with those of the first, question by question.

    Differences have intervals that resample images, both runs alike. Settings of the benchmarks come
    from the first run; the question files have to be where they were, or where --option says.
    """
    if len(runs) < 2:
        raise ConfigError("There is nothing to compare: give at least two runs.")
    (first, before), *others = [_place(run) for run in runs]
    shown = []
    for run, (_, after) in zip(runs[1:], others, strict=True):
        benchmarks = _benchmarks(first, option or [], official=before.name == FULL_TEXT)
        found = [
            compare_predictions(
                name,
                _countable(name, benchmarks),
                before / f"{name}.jsonl",
                after / f"{name}.jsonl",
                confidence=confidence,
                resamples=resamples,
            )
            for name in shared_benchmarks(before, after)
        ]
        shown.append({"before": runs[0], "after": run, "benchmarks": [_as_dict(one) for one in found]})
        if not as_json:
            title = f"{runs[0]} against {run}"
            Console().print(comparison_table(found, title=title, confidence=confidence))
            _show_flips(before, after, list_flips)
    if as_json:
        typer.echo(json.dumps(shown, indent=1))


def _place(run: str) -> tuple[Path, Path]:
    """Split ``RUN@WHEN`` into the run directory and its folder of predictions."""
    name, _, when = run.partition("@")
    folder = Path(name) / "predictions" / (when or FULL)
    if not folder.is_dir():
        there = sorted(path.name for path in folder.parent.glob("*") if path.is_dir())
        raise SourceNotFoundError(
            f"No predictions in {folder}. {name} has {', '.join(there) or 'none'}: write {name}@WHEN."
        )
    return Path(name), folder


def _benchmarks(run_dir: Path, options: list[str], *, official: bool) -> Mapping[str, Benchmark]:
    """Build the benchmarks of a run again; nothing of them is read yet."""
    path = run_dir / "config.yaml"
    if not path.is_file():
        raise SourceNotFoundError(f"No {path}, which tells how the benchmarks were set.")
    cfg = cast("DictConfig", OmegaConf.load(path))
    cfg.paths.run_dir = str(run_dir.absolute())
    cfg.benchmark = OmegaConf.merge(cfg.benchmark, OmegaConf.from_dotlist(options))
    extra = {"profile": "official"} if official else {}
    return {name: instantiate(node, _convert_="all", **extra) for name, node in cfg.benchmark.items()}


def _countable(name: str, benchmarks: Mapping[str, Benchmark]) -> Countable:
    benchmark = benchmarks.get(name)
    if not isinstance(benchmark, Countable):
        raise ConfigError(f"The first run's config has no benchmark {name} whose answers can be counted.")
    return benchmark


def _as_dict(one: Comparison) -> dict[str, Any]:
    scores = {
        name: {
            "before": found.before,
            "after": found.after,
            "change": found.change,
            "interval": None if found.interval is None else [found.interval.low, found.interval.high],
        }
        for name, found in one.scores.items()
    }
    test = asdict(one.mcnemar) | {"clustered": False}
    plain = {"benchmark": one.benchmark, "n": one.n, "left_out": one.left_out}
    return plain | {"scores": scores, "mcnemar": test}


def _show_flips(before: Path, after: Path, most: int) -> None:
    found = flips(before, after)
    console = Console()
    counts = ", ".join(f"{count} {kind}" for kind, count in count_changes(found).items())
    console.print(f"{len(found)} answers changed: {counts}", highlight=False)
    for flip in found[:most]:
        console.print(f"{flip.change}: {flip.benchmark} {flip.id} ({', '.join(flip.images)})", markup=False)
        console.print(f"  {flip.prompt!r}: {flip.before} → {flip.after}, gold {flip.gold}", markup=False)
