"""``python -m halluc compare A B …``: paired comparison of answers, of runs or in response files."""

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from halluc.benchmarks.base import Benchmark
from halluc.benchmarks.files.rows import TEXT_FIELDS, Row
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.scoring.intervals import Countable
from halluc.benchmarks.scoring.responses import (
    predictions_of,
    require_same_gold,
    resampled_units,
    responses_of,
)
from halluc.cli.response_rows import benchmark_for, response_rows
from halluc.data.records import AnswerSpace, Question
from halluc.errors import ConfigError, SourceNotFoundError, UnknownOptionError
from halluc.instantiation import make
from halluc.report.compare import Comparison, compare_predictions, comparison_table, shared_benchmarks
from halluc.report.flips import count_changes, flips_between
from halluc.report.results import Rows, prediction_row, rows_by_id

logger = logging.getLogger(__name__)

FULL, FULL_TEXT = "full", "full_text"


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold two models' answers to one benchmark."""

    name: str
    benchmark: Countable
    before: Rows
    after: Rows
    resampled: str = "images"


def compare(  # noqa: PLR0913, PLR0917  # one argument for each option of the command
    answers: Annotated[
        list[str],
        typer.Argument(
            help="Run directories (RUN@baseline, RUN@epoch_2, … instead of RUN@full), or response files; "
            "a quoted pattern, as 'base_*.jsonl', takes several files for one."
        ),
    ],
    benchmark: Annotated[
        str | None, typer.Option(help="Of response files: the benchmark that they answer.")
    ] = None,
    profile: Annotated[str, typer.Option(help="Of response files: how answers are read.")] = "strict",
    root: Annotated[
        Path | None, typer.Option(help="Of response files without gold answers: the question files' folder.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="Of runs: where a benchmark's files are now, as pope.root=DIR. Of response files: an option "
            "of the benchmark, as source=aokvqa; with --root."
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            help="Of runs: compare only the questions of this part, report or select. The best epoch is "
            "chosen by select."
        ),
    ] = None,
    list_flips: Annotated[int, typer.Option("--flips", help="Show so many changed answers.")] = 0,
    resamples: Annotated[int, typer.Option(help="Resamples of the intervals.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Probability that an interval covers.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Compare all answers with the first ones, question by question.

    Differences have intervals that resample images, both models alike. Settings of the benchmarks come
    from the first run; the question files have to be where they were, or where --option says.
    """
    if len(answers) < 2:
        raise ConfigError("There is nothing to compare: give at least two runs or two response files.")
    first, *others = answers
    shown = []
    pairs_with = (
        partial(_pairs_of_runs, first, options=option or [], part=part)
        if benchmark is None
        else _FirstFile(first, benchmark, profile, root, option or []).pairs_with
    )
    for other in others:
        pairs = pairs_with(other)
        found = [
            compare_predictions(
                pair.name,
                pair.benchmark,
                pair.before,
                pair.after,
                confidence=confidence,
                resamples=resamples,
            )
            for pair in pairs
        ]
        shown.append({"before": first, "after": other, "benchmarks": [_as_dict(one) for one in found]})
        if not as_json:
            title = f"{first} against {other}"
            units = next((pair.resampled for pair in pairs), "images")
            Console().print(comparison_table(found, title=title, confidence=confidence, resampled=units))
            _show_flips(pairs, list_flips)
    if as_json:
        typer.echo(json.dumps(shown, indent=1))


class _FirstFile:
    """The response file that others are held against, read once.

    The questions are those that it answers, or those of ``root``.
    """

    def __init__(  # each argument is an option of the command
        self, file: str, name: str, profile: str, root: Path | None, options: list[str]
    ) -> None:
        self._name, self._profile, self._root = name, profile, root
        rows = response_rows(_files(file))
        self._benchmark = benchmark_for(rows, name, profile=profile, root=root, options=options)
        self._units = resampled_units(self._benchmark, rows)
        self._answers = _answered(self._benchmark, rows, file)

    def pairs_with(self, other: str) -> list[Pair]:
        """Read another model's answers to the same questions."""
        rows = response_rows(_files(other))
        if self._root is None:
            benchmark = benchmark_for(rows, self._name, profile=self._profile, root=None, options=[])
            require_same_gold(self._benchmark, benchmark, "the two files")
        answers = _answered(self._benchmark, rows, other)
        return [Pair(self._name, self._benchmark, self._answers, answers, self._units)]


def _files(pattern: str) -> list[Path]:
    path = Path(pattern)
    if path.is_dir():
        raise ConfigError(
            f"{path} is a folder. With --benchmark give response files, or leave it out for runs."
        )
    return [path] if path.is_file() else sorted(path.parent.glob(path.name)) or [path]


def _answered(benchmark: PublishedBenchmark, rows: list[Row], file: str) -> Rows:
    """Return what a predictions file would say; what needed no answer and has none is left out."""
    predictions = predictions_of(benchmark, rows)
    unasked = benchmark.unasked(list(predictions.values()))
    given = {name: prediction for name, prediction in predictions.items() if name not in unasked}
    missing = sum(prediction.text is None for prediction in given.values())
    if missing:
        logger.warning(
            "%s: %d of %d rows have no response; they count as unparsed.", file, missing, len(given)
        )
    questions = _questions(benchmark, rows)
    return {name: prediction_row(questions[name], prediction, None) for name, prediction in given.items()}


def _questions(benchmark: PublishedBenchmark, rows: list[Row]) -> dict[str, Question]:
    """Return the question of each answer, with picture and text from its row where they are told there only.

    Of a question that the benchmark does not know, the id is all there is.
    """
    known = benchmark.published()
    questions = {}
    for row in rows:
        text = next((str(row.record[name]) for name in TEXT_FIELDS if name in row.record), "")
        for name in responses_of(benchmark, row):
            question = known.get(name) or Question(id=name, images=(), prompt="", space=AnswerSpace.text())
            images = question.images or ((question.group,) if question.group else ())
            questions[name] = replace(question, images=images, prompt=question.prompt or text)
    return questions


def _pairs_of_runs(first: str, other: str, options: list[str], part: str | None) -> list[Pair]:
    """Read what two runs both answered."""
    (run, before), (_, after) = _place(first), _place(other)
    benchmarks = _benchmarks(run, options, official=before.name == FULL_TEXT)
    return [
        Pair(
            name,
            _countable(name, benchmarks),
            _rows_of_part(before / f"{name}.jsonl", part),
            _rows_of_part(after / f"{name}.jsonl", part),
        )
        for name in shared_benchmarks(before, after)
    ]


def _rows_of_part(path: Path, part: str | None) -> Rows:
    rows = rows_by_id(path)
    if part is None:
        return rows
    parts = {row["part"] for row in rows.values()}
    if part not in parts:
        raise UnknownOptionError(f"--part, for {path},", part, [name for name in parts if name])
    return {name: row for name, row in rows.items() if row["part"] == part}


def _place(run: str) -> tuple[Path, Path]:
    """Split ``RUN@WHEN`` into the run directory and its folder of predictions."""
    if Path(run).is_file():
        raise ConfigError(f"{run} is a file. Compare response files with --benchmark NAME, as pope.")
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
    return {name: make(node, **extra) for name, node in cfg.benchmark.items()}


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


def _show_flips(pairs: list[Pair], most: int) -> None:
    found = [flip for pair in pairs for flip in flips_between(pair.name, pair.before, pair.after)]
    console = Console()
    counts = ", ".join(f"{count} {kind}" for kind, count in count_changes(found).items())
    console.print(f"{len(found)} answers changed: {counts}", highlight=False)
    for flip in found[:most]:
        console.print(f"{flip.change}: {flip.benchmark} {flip.id} ({', '.join(flip.images)})", markup=False)
        console.print(f"  {flip.prompt!r}: {flip.before} → {flip.after}, gold {flip.gold}", markup=False)
