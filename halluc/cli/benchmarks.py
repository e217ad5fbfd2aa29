"""``python -m halluc benchmarks``: what can be measured, and whether its files are there."""

import inspect
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from hydra.errors import InstantiationException
from hydra.utils import get_class
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console
from rich.table import Table

from halluc.benchmarks.published import PublishedBenchmark
from halluc.cli.configs import benchmark_names, compose_config
from halluc.errors import ConfigError
from halluc.instantiation import make
from halluc.report.benchmark_facts import BenchmarkFacts, benchmark_facts


def benchmarks(
    overrides: Annotated[
        list[str] | None, typer.Argument(help="As for train.py: paths.data_dir=DIR benchmark.pope.root=DIR.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the benchmarks, yours too: size, metrics, answer readers, licence, and which files are found."""
    names = benchmark_names()
    cfg = compose_config("evaluate", [f"benchmark=[{','.join(names)}]", *(overrides or [])])
    _require_keys(names, cfg.benchmark)
    facts = [_facts(name, cfg.benchmark[name]) for name in names]
    built = [_build(name, cfg.benchmark[name]) for name in names]
    if as_json:
        rows = [_as_dict(*pair) for pair in zip(facts, built, strict=True)]
        typer.echo(json.dumps(rows, indent=1))
        return
    table = Table(title="Benchmarks", show_lines=True)
    for title in ("name", "questions", "images", "metrics", "profiles", "licence", "where", "files"):
        table.add_column(title, overflow="fold")
    for pair in zip(facts, built, strict=True):
        table.add_row(*_cells(*pair))
    Console().print(table)


def _require_keys(names: list[str], nodes: Mapping[str, Any]) -> None:
    """Refuse a file whose key is not its name: Hydra would merge it into the benchmark of that key."""
    for name in names:
        if name not in nodes:
            raise ConfigError(
                f"conf/benchmark/{name}.yaml declares no benchmark {name}. Rename the key in it to {name}."
            )


def _facts(name: str, node: DictConfig) -> BenchmarkFacts:
    """Return the shipped facts; of a benchmark that a user declared, those of its class, or what it says."""
    known = benchmark_facts()
    if name in known:
        return known[name]
    kind = get_class(node._target_)
    shipped = known.get(str(getattr(kind, "key", "")))
    if shipped is not None:
        return replace(shipped, benchmark=name)
    title, nothing = (inspect.getdoc(kind) or kind.__name__).partition("\n")[0], ""
    return BenchmarkFacts(name, title, nothing, nothing, nothing, (), nothing, str(node._target_), nothing)


def _build(name: str, node: DictConfig) -> object:
    """Build a benchmark; nothing of its files is read yet.

    Raises:
        ConfigError: If an option is wrong or missing.
    """
    try:
        return make(node)
    except (InstantiationException, OmegaConfBaseException) as error:
        raise ConfigError(
            f"The benchmark of conf/benchmark/{name}.yaml can't be built. Correct the file, or set its "
            f"options, as benchmark.{name}.root=DIR: {error}"
        ) from error


def _question_files(benchmark: object) -> tuple[Path, ...]:
    """Return the files of questions; a class of one's own need not name them."""
    return benchmark.question_files() if isinstance(benchmark, PublishedBenchmark) else ()


def _cells(facts: BenchmarkFacts, benchmark: object) -> list[str]:
    files = _question_files(benchmark)
    missing = [path for path in files if not path.is_file()]
    colour = "red" if missing else "green"
    found = f"[{colour}]{len(files) - len(missing)} of {len(files)} found[/{colour}]"
    shown = "" if not missing else f"\nno {missing[0]}" + (" and more" if len(missing) > 1 else "")
    where = facts.source + (f" ({facts.size})" if facts.size else "")
    return [
        *(f"[bold]{facts.benchmark}[/bold]\n{facts.title}", facts.questions, facts.images, facts.metrics),
        *("\n".join(facts.profiles), facts.licence, where, found + shown),
    ]


def _as_dict(facts: BenchmarkFacts, benchmark: object) -> dict[str, Any]:
    files = [{"path": str(path), "found": path.is_file()} for path in _question_files(benchmark)]
    image_root = benchmark.image_root if isinstance(benchmark, PublishedBenchmark) else None
    return {**asdict(facts), "image_root": None if image_root is None else str(image_root), "files": files}
