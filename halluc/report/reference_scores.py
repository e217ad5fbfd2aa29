"""Published scores to hold a result against, each with its source."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rich.table import Table

from halluc.errors import ConfigError, UnknownOptionError

ALL = "all"


@dataclass(frozen=True, slots=True)
class ReferenceScores:
    """Hold what a publication reports about one model.

    Attributes:
        benchmark: Name of the benchmark, as in the config.
        model: As the publication names it.
        source: The publication, and where in it.
        read_in_source: Whether the numbers were read in the source itself, not in a third place.
        note: What to know before comparing.
        scores: Our name to the score, a fraction in [0, 1].
    """

    benchmark: str
    model: str
    source: str
    read_in_source: bool
    note: str
    scores: Mapping[str, float]


@cache
def reference_scores(benchmark: str) -> tuple[ReferenceScores, ...]:
    """Return the shipped scores of a benchmark; empty if there are none."""
    text = files("halluc.report").joinpath("reference_scores.json").read_text(encoding="utf-8")
    rows = [ReferenceScores(**row) for row in json.loads(text)]
    return tuple(row for row in rows if row.benchmark == benchmark)


def references_named(benchmark: str, model: str) -> Sequence[ReferenceScores]:
    """Return the scores of models whose name holds ``model``, in any case; ``all`` returns every one.

    Raises:
        ConfigError: If no published scores of the benchmark are shipped.
        UnknownOptionError: If no name does; lists them.
    """
    every = reference_scores(benchmark)
    if not every:
        raise ConfigError(f"No published scores of {benchmark} are shipped. Leave --against out.")
    found = [row for row in every if model == ALL or model.casefold() in row.model.casefold()]
    if not found:
        raise UnknownOptionError("--against", model, [ALL, *(row.model for row in every)])
    return found


def reference_table(scores: Mapping[str, float], references: Sequence[ReferenceScores]) -> Table:
    """Show a result beside published ones, in percent, under the names that any of them reports."""
    names = list(dict.fromkeys(name for row in references for name in row.scores))
    table = Table(
        title="Published scores (percent)",
        caption="Prompt and answer reader move scores by points: compare only what was asked and read alike. "
        "* not read in the source itself",
    )
    table.add_column("model")
    for name in names:
        table.add_column(name.replace("_", " "), justify="right")
    table.add_column("source")
    table.add_row("this result", *(_percent(scores.get(name)) for name in names), "", end_section=True)
    for row in references:
        note = f" ({row.note})" if row.note else ""
        source = f"{row.source}{'' if row.read_in_source else ' *'}{note}"
        table.add_row(row.model, *(_percent(row.scores.get(name)) for name in names), source)
    return table


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
