"""Two sets of answers to the same questions, compared benchmark by benchmark."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from halluc.benchmarks.scoring.intervals import Countable, differences
from halluc.errors import BenchmarkError, SourceNotFoundError
from halluc.metrics.bootstrap import Difference
from halluc.metrics.mcnemar import McNemar, mcnemar
from halluc.report.evaluation_table import SHOWN
from halluc.report.results import Rows, prediction_of

logger = logging.getLogger(__name__)

_DEEPEST = 1  # slashes in a name that is shown


@dataclass(frozen=True, slots=True)
class Comparison:
    """Hold what changed in one benchmark.

    Attributes:
        benchmark: Its name.
        n: Number of questions that both answered.
        left_out: Number of questions that only one of the two answered, although the other was to.
        scores: Score name to difference, with clustered intervals.
        mcnemar: Test of the answers' correctness, unclustered.
    """

    benchmark: str
    n: int
    left_out: int
    scores: Mapping[str, Difference]
    mcnemar: McNemar


def compare_predictions(
    name: str,
    benchmark: Countable,
    before: Rows,
    after: Rows,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Compare two models' answers to one benchmark, on the questions that both answered.

    Scores that gate questions also take those that one model was asked and the other, rightly, was not.

    Args:
        name: Name of the benchmark.
        benchmark: Knows the questions.
        before: Question id to row, as ``write_predictions`` writes it, of the first model.
        after: The same of the second.
        confidence: Probability that an interval shall cover the true difference.
        resamples: Number of resamples.
        seed: Seed of the draw.

    Raises:
        BenchmarkError: If they have no question in common, or the benchmark does not know them.
    """
    answers = [[prediction_of(row) for row in rows.values()] for rows in (before, after)]
    common = [key for key in before if key in after]
    scored = {*common, *benchmark.unasked(answers[0]), *benchmark.unasked(answers[1])}
    left_out = len((before.keys() | after.keys()) - scored)
    if not common:
        raise BenchmarkError(f"{name}: the two have no question in common: {_ids(before)}; {_ids(after)}.")
    if left_out:
        logger.warning("%s: %d questions were answered by one of the two only; left out.", name, left_out)
    scores = differences(
        benchmark,
        *([prediction for prediction in own if prediction.id in scored] for own in answers),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    hits = [[bool(rows[key]["correct"]) for key in common] for rows in (before, after)]
    return Comparison(name, len(common), left_out, scores, mcnemar(*hits))


def shared_benchmarks(before: Path, after: Path) -> list[str]:
    """Return the names of the benchmarks that two folders of predictions both hold.

    Raises:
        SourceNotFoundError: If there is none.
    """
    names = {folder: {path.stem for path in folder.glob("*.jsonl")} for folder in (before, after)}
    shared = sorted(names[before] & names[after])
    if not shared:
        raise SourceNotFoundError(
            f"{before} and {after} hold no predictions of a common benchmark "
            f"({', '.join(sorted(names[before])) or 'none'}; {', '.join(sorted(names[after])) or 'none'})."
        )
    return shared


def comparison_table(
    comparisons: Sequence[Comparison], *, title: str, confidence: float, resampled: str = "images"
) -> Table:
    """Show the main scores before and after, in percent, and McNemar's test of each benchmark."""
    table = Table(
        title=title,
        caption=f"{100 * confidence:g} % interval of the change: {resampled} resampled, both alike; * is "
        "clear of 0. McNemar's p takes every question for independent (unclustered)",
    )
    table.add_column("score", overflow="fold", min_width=22)
    for name in ("before", "after", "change", "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in comparisons:
        table.add_row(f"{one.benchmark} ({one.n} questions)")
        for name, found in one.scores.items():
            if name.rpartition("/")[2] in SHOWN and name.count("/") <= _DEEPEST:
                table.add_row(f"  {name}", *_cells(found))
        table.add_row("  McNemar's p", "", "", "", f"{one.mcnemar.p_value:.2g}")
        table.add_section()
    return table


def _cells(found: Difference) -> list[str]:
    interval = found.interval
    shown = "" if interval is None else f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"
    clear = interval is not None and (interval.low > 0 or interval.high < 0)
    values = [f"{100 * found.before:.1f}", f"{100 * found.after:.1f}", f"{100 * found.change:+.1f}"]
    return [*values, shown + (" *" if clear else "")]


def _ids(rows: Rows) -> str:
    first = next(iter(rows), None)
    return "no questions" if first is None else f"{len(rows)} questions, as {first}"
