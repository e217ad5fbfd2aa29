"""``python -m halluc score``: score responses that any other tool has written."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from hydra.utils import get_class
from omegaconf import OmegaConf
from rich.console import Console
from rich.table import Table

from halluc.benchmarks.response_files import read_responses
from halluc.benchmarks.responses import ResponseScores, holds_gold, score_responses
from halluc.benchmarks.rows import Row
from halluc.cli.configs import benchmark_entry
from halluc.cli.score_table import score_table
from halluc.errors import BenchmarkError, ConfigError
from halluc.report.reference_scores import reference_table, references_named

LEFT_TO_THE_COMMAND = ("_target_", "root", "image_root", "profile")


def score(  # noqa: PLR0913, PLR0917  # one argument for each option of the command
    benchmark: Annotated[str, typer.Argument(help="Name of the benchmark, as pope, phd or vlm2.")],
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Response files: JSON, JSON Lines, lmms-eval's samples, VLMEvalKit's xlsx or tsv."
        ),
    ],
    profile: Annotated[
        str, typer.Option(help="How answers are read: strict, official, lmms_eval or vlmevalkit.")
    ] = "strict",
    root: Annotated[
        Path | None, typer.Option(help="Folder of the question files, for responses without gold answers.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="An option of the benchmark, as source=aokvqa; with --root.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Show published scores too: part of a model's name, or all.")
    ] = None,
    resamples: Annotated[int, typer.Option(help="Resamples of the intervals; 0 leaves them out.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Probability that an interval covers the score.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Score the responses in FILES.

    A row is a whole published record with a response, or just an id and a response; the latter need
    --root. A question without a response counts as unparsed. Intervals resample images, not questions.
    """
    references = [] if against is None else references_named(benchmark, against)
    result = score_files(
        benchmark,
        files,
        profile=profile,
        root=root,
        options=option or [],
        resamples=resamples,
        confidence=confidence,
    )
    if as_json:
        summary = _summary(benchmark, profile, result) | {"confidence": confidence, "resamples": resamples}
        published = [asdict(row) for row in references]
        typer.echo(json.dumps(summary | ({"published": published} if published else {}), indent=2))
        return
    console = Console()
    console.print(_table(benchmark, profile, result, confidence))
    if references:
        console.print(reference_table(result.scores, references))


def score_files(
    benchmark: str,
    files: list[Path],
    *,
    profile: str,
    root: Path | None,
    options: list[str],
    resamples: int = 0,
    confidence: float = 0.95,
) -> ResponseScores:
    """Read the files, build the benchmark from them or from ``root``, and score.

    Raises:
        HallucError: If anything is missing, unreadable, or does not fit together.
    """
    entry = benchmark_entry(benchmark)
    kind: Any = get_class(entry["_target_"])
    rows = [row for file in files for row in read_responses(file)]
    if not rows:
        raise BenchmarkError(f"There is nothing to score in {', '.join(map(str, files))}.")
    if root is not None:
        plain = {name: entry[name] for name in entry if name not in LEFT_TO_THE_COMMAND}
        arguments = OmegaConf.merge(plain, OmegaConf.from_dotlist(options))
        built = kind(root, profile=profile, **{str(name): value for name, value in arguments.items()})
    else:
        _require_gold(rows)
        built = kind.from_rows(rows, profile)
    return score_responses(built, rows, resamples=resamples, confidence=confidence)


def _require_gold(rows: list[Row]) -> None:
    bare = [row for row in rows if not holds_gold(row)]
    if bare:
        raise ConfigError(
            f"{len(bare)} of {len(rows)} rows hold no gold answer, first: {bare[0].where}. "
            f"Give --root with the folder of the published questions, or whole records with their gold."
        )


def _summary(benchmark: str, profile: str, result: ResponseScores) -> dict[str, object]:
    return {
        "benchmark": benchmark,
        "profile": profile,
        "questions": result.questions,
        "missing_responses": result.missing,
        "unasked_questions": result.unasked,
        "unparsed_responses": result.unparsed,
        "scores": result.scores,
        "intervals": {name: [found.low, found.high] for name, found in result.intervals.items()},
    }


def _table(benchmark: str, profile: str, result: ResponseScores, confidence: float) -> Table:
    counts = f"{result.questions} questions, {result.missing} without response, {result.unparsed} unparsed"
    if result.unasked:
        counts += f", {result.unasked} more behind closed gates not asked"
    if result.intervals:
        counts += f"; {100 * confidence:g} % intervals, images resampled"
    return score_table(
        result.scores, result.intervals, title=f"{benchmark}, profile {profile}", caption=counts
    )
