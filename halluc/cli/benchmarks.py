"""``python -m halluc benchmarks``: what can be measured, and whether its files are there."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer
from hydra.utils import instantiate
from rich.console import Console
from rich.table import Table

from halluc.benchmarks.published import PublishedBenchmark
from halluc.cli.configs import benchmark_names, compose_config
from halluc.report.benchmark_facts import BenchmarkFacts, benchmark_facts


def benchmarks(
    overrides: Annotated[
        list[str] | None, typer.Argument(help="As for train.py: paths.data_dir=DIR benchmark.pope.root=DIR.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the benchmarks: size, metrics, answer readers, licence, and which files are found."""
    known = benchmark_facts()
    names = [name for name in benchmark_names() if name in known]
    cfg = compose_config("evaluate", [f"benchmark=[{','.join(names)}]", *(overrides or [])])
    built = {name: instantiate(cfg.benchmark[name], _convert_="all") for name in names}
    if as_json:
        typer.echo(json.dumps([_as_dict(known[name], built[name]) for name in names], indent=1))
        return
    table = Table(title="Benchmarks", show_lines=True)
    for title in ("name", "questions", "images", "metrics", "profiles", "licence", "where", "files"):
        table.add_column(title, overflow="fold")
    for name in names:
        table.add_row(*_cells(known[name], built[name]))
    Console().print(table)


def _cells(facts: BenchmarkFacts, benchmark: PublishedBenchmark) -> list[str]:
    files = benchmark.question_files()
    missing = [path for path in files if not path.is_file()]
    colour = "red" if missing else "green"
    found = f"[{colour}]{len(files) - len(missing)} of {len(files)} found[/{colour}]"
    shown = "" if not missing else f"\nno {missing[0]}" + (" and more" if len(missing) > 1 else "")
    where = facts.source + (f" ({facts.size})" if facts.size else "")
    return [
        *(f"[bold]{facts.benchmark}[/bold]\n{facts.title}", facts.questions, facts.images, facts.metrics),
        *("\n".join(facts.profiles), facts.licence, where, found + shown),
    ]


def _as_dict(facts: BenchmarkFacts, benchmark: PublishedBenchmark) -> dict[str, Any]:
    files = [{"path": str(path), "found": path.is_file()} for path in benchmark.question_files()]
    return {**asdict(facts), "image_root": str(benchmark.image_root), "files": files}
