"""``python -m halluc benchmarks``: what can be measured, and whether its files are there."""

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from hydra.errors import InstantiationException
from hydra.utils import get_class
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from halluc.benchmarks.published import PublishedBenchmark
from halluc.cli.configs import benchmark_names, compose_config
from halluc.errors import ConfigError
from halluc.instantiation import make
from halluc.report.benchmark_facts import BenchmarkFacts, benchmark_facts


def benchmarks(
    overrides: Annotated[
        list[str] | None, typer.Argument(help="As for train.py: paths.data_dir=DIR benchmark.pope.root=DIR.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
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
    console = Console()
    for pair in zip(facts, built, strict=True):
        console.print(_block(*pair))


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


def _block(facts: BenchmarkFacts, benchmark: object) -> Group:
    """Lay a benchmark out as its name and title, then a line for each fact: it fits 80 columns."""
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(no_wrap=True, style="dim")
    lines.add_column(overflow="fold")
    known = {
        "questions": facts.questions,
        "images": facts.images,
        "metrics": facts.metrics,
        "profiles": ", ".join(facts.profiles),
        "licence": facts.licence,
        "where": facts.source,
        "download": facts.size,
    }
    for name, value in known.items():
        if value:
            lines.add_row(name, Text(value))
    files = _question_files(benchmark)
    if files:
        lines.add_row("files", _found(files))
    heading = Text.assemble((facts.benchmark, "bold"), "  ", facts.title)
    return Group(heading, Padding(lines, (0, 0, 1, 2), expand=False))


def _found(files: Sequence[Path]) -> Text:
    """Count the files that are there, and name the first that is not."""
    missing = [path for path in files if not path.is_file()]
    found = Text(f"{len(files) - len(missing)} of {len(files)} found", "red" if missing else "green")
    if missing:
        more = f"\nand {len(missing) - 1} more" if len(missing) > 1 else ""
        found.append(f"\nno {missing[0]}{more}", "default")
    return found


def _as_dict(facts: BenchmarkFacts, benchmark: object) -> dict[str, Any]:
    files = [{"path": str(path), "found": path.is_file()} for path in _question_files(benchmark)]
    image_root = benchmark.image_root if isinstance(benchmark, PublishedBenchmark) else None
    return {**asdict(facts), "image_root": None if image_root is None else str(image_root), "files": files}
