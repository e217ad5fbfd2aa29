"""``python -m halluc score``: score responses that any other tool has written."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from halluc.benchmarks.scoring.responses import ResponseScores, score_responses
from halluc.cli.response_rows import benchmark_for, response_rows
from halluc.cli.score_table import score_table
from halluc.report.reference_scores import reference_table, references_named

UNKNOWN = "unknown"


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
    prompt_profile: Annotated[
        str, typer.Option(help="How the questions were put, as a label: responses do not tell.")
    ] = UNKNOWN,
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
    rows = response_rows(files)
    built = benchmark_for(rows, benchmark, profile=profile, root=root, options=option or [])
    result = score_responses(built, rows, resamples=resamples, confidence=confidence)
    profiles = {"profile": profile, "prompt_profile": prompt_profile}
    if as_json:
        summary = _summary(benchmark, profiles, result) | {"confidence": confidence, "resamples": resamples}
        published = [asdict(row) for row in references]
        typer.echo(json.dumps(summary | ({"published": published} if published else {}), indent=2))
        return
    console = Console()
    console.print(_table(benchmark, profiles, result, confidence))
    if references:
        console.print(reference_table(result.scores, references))


def _summary(benchmark: str, profiles: Mapping[str, str], result: ResponseScores) -> dict[str, object]:
    return {
        "benchmark": benchmark,
        **profiles,
        "questions": result.questions,
        "missing_responses": result.missing,
        "unasked_questions": result.unasked,
        "unparsed_responses": result.unparsed,
        "answers_by_likelihood": result.likelihoods,
        "resampled": result.resampled,
        "scores": result.scores,
        "intervals": {name: [found.low, found.high] for name, found in result.intervals.items()},
    }


def _table(benchmark: str, profiles: Mapping[str, str], result: ResponseScores, confidence: float) -> Table:
    counts = f"{result.questions} questions, {result.missing} without response, {result.unparsed} unparsed"
    if result.likelihoods:
        counts += f"; {result.likelihoods} answered by likelihood, which no profile reads"
    if result.unasked:
        counts += f", {result.unasked} more behind closed gates not asked"
    if result.intervals:
        counts += f"; {100 * confidence:g} % intervals, {result.resampled} resampled"
    title = f"{benchmark}, profile {profiles['profile']}, prompts {profiles['prompt_profile']}"
    return score_table(result.scores, result.intervals, title=title, caption=counts)
