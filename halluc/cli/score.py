"""``python -m halluc score``: score responses that any other tool has written."""

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from hydra.utils import get_class
from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.table import Table

import halluc
from halluc.benchmarks.responses import ResponseScores, holds_gold, score_responses
from halluc.benchmarks.rows import Row, read_rows
from halluc.errors import BenchmarkError, ConfigError, UnknownOptionError

LEFT_TO_THE_COMMAND = ("_target_", "root", "image_root", "profile")


def score(
    benchmark: Annotated[str, typer.Argument(help="Name of the benchmark, as pope, phd or vlm2.")],
    files: Annotated[list[Path], typer.Argument(help="Response files: JSON Lines or a JSON array.")],
    profile: Annotated[
        str, typer.Option(help="How answers are read: strict, official, lmms_eval or vlmevalkit.")
    ] = "strict",
    root: Annotated[
        Path | None, typer.Option(help="Folder of the question files, for responses without gold answers.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="An option of the benchmark, as source=aokvqa; with --root.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Score the responses in FILES.

    A row is a whole published record with a response, or just an id and a response; the latter need
    --root. A question without a response counts as unparsed.
    """
    result = score_files(benchmark, files, profile=profile, root=root, options=option or [])
    if as_json:
        typer.echo(json.dumps(_summary(benchmark, profile, result), indent=2))
    else:
        Console().print(_table(benchmark, profile, result))


def score_files(
    benchmark: str, files: list[Path], *, profile: str, root: Path | None, options: list[str]
) -> ResponseScores:
    """Read the files, build the benchmark from them or from ``root``, and score.

    Raises:
        HallucError: If anything is missing, unreadable, or does not fit together.
    """
    entry = _entry(benchmark)
    kind: Any = get_class(entry["_target_"])
    rows = [row for file in files for row in read_rows(file, "the FILES argument")]
    if not rows:
        raise BenchmarkError(f"There is nothing to score in {', '.join(map(str, files))}.")
    if root is not None:
        plain = {name: entry[name] for name in entry if name not in LEFT_TO_THE_COMMAND}
        arguments = OmegaConf.merge(plain, OmegaConf.from_dotlist(options))
        built = kind(root, profile=profile, **{str(name): value for name, value in arguments.items()})
    else:
        _require_gold(rows)
        built = kind.from_rows(rows, profile)
    return score_responses(built, rows)


def _require_gold(rows: list[Row]) -> None:
    bare = [row for row in rows if not holds_gold(row)]
    if bare:
        raise ConfigError(
            f"{len(bare)} of {len(rows)} rows hold no gold answer, first: {bare[0].where}. "
            f"Give --root with the folder of the published questions, or whole records with their gold."
        )


def _entry(benchmark: str) -> DictConfig:
    """Return the benchmark's entry in the config; its ``_target_`` names the class."""
    package = Path(halluc.__file__).parent
    folder = next(path for path in (package / "conf", package.parent / "conf") if path.is_dir()) / "benchmark"
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    if benchmark not in names:
        raise UnknownOptionError("BENCHMARK", benchmark, names)
    entries = OmegaConf.load(folder / f"{benchmark}.yaml")
    assert isinstance(entries, DictConfig)
    (entry,) = entries.values()
    return cast(DictConfig, entry)


def _summary(benchmark: str, profile: str, result: ResponseScores) -> dict[str, object]:
    return {
        "benchmark": benchmark,
        "profile": profile,
        "questions": result.questions,
        "missing_responses": result.missing,
        "unparsed_responses": result.unparsed,
        "scores": result.scores,
    }


def _table(benchmark: str, profile: str, result: ResponseScores) -> Table:
    """Lay the scores out: one row for each group, one column for each metric."""
    groups: dict[str, dict[str, float]] = {}
    for name, value in result.scores.items():
        group, _, metric = name.rpartition("/")
        groups.setdefault(group, {})[metric] = value
    metrics = list(dict.fromkeys(metric for scores in groups.values() for metric in scores))
    counts = f"{result.questions} questions, {result.missing} without response, {result.unparsed} unparsed"
    table = Table(title=f"{benchmark}, profile {profile}", caption=counts)
    table.add_column("", no_wrap=True)
    for metric in metrics:
        table.add_column(metric.replace("_", " "), justify="right")
    for group, scores in groups.items():
        table.add_row(group or "all", *(_cell(scores.get(metric)) for metric in metrics))
    return table


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value == int(value) and value > 1 else f"{value:.4f}"
