"""Published scores to hold a result against, each with its source."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from rich.console import Group
from rich.table import Table
from rich.text import Text

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
        question_set: Which of the benchmark's sets of questions they are about; empty if it has one only.
        without_counterpart: The publication's name to a score that none of ours compares with, a fraction
            in [0, 1]; ``note`` says why.
    """

    benchmark: str
    model: str
    source: str
    read_in_source: bool
    note: str
    scores: Mapping[str, float]
    question_set: str = ""
    without_counterpart: Mapping[str, float] = field(default_factory=dict)


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
        UnknownOptionError: If no name does; lists them in quotes, since some hold a comma.
    """
    every = reference_scores(benchmark)
    if not every:
        raise ConfigError(f"No published scores of {benchmark} are shipped. Leave --against out.")
    found = [row for row in every if model == ALL or model.casefold() in row.model.casefold()]
    if not found:
        raise UnknownOptionError("--against", model, map(repr, [ALL, *(row.model for row in every)]))
    return found


def reference_table(scores: Mapping[str, float], references: Sequence[ReferenceScores]) -> Group:
    """Show a result beside published ones, in percent: score by score, one row for each model.

    A model that reports no such score has no row there. Notes and numbered sources follow the table.

    Args:
        scores: Those of the result, by name.
        references: Published ones. What has no counterpart among our scores is shown as ``(theirs)``; the
            set of questions stands behind the model where there are several.
    """
    names = list(dict.fromkeys(name for row in references for name in row.scores))
    theirs = list(dict.fromkeys(name for row in references for name in row.without_counterpart))
    sources = list(dict.fromkeys(map(_source, references)))
    table = Table(title="Published scores (percent)")
    table.add_column("score", overflow="fold")
    table.add_column("model", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("source", justify="right", no_wrap=True)
    for name in names:
        own = ("this result", scores.get(name), "")
        published = [(row, row.scores.get(name)) for row in references]
        _add_section(table, name, [own, *_reported(published, sources)])
    for name in theirs:
        published = [(row, row.without_counterpart.get(name)) for row in references]
        _add_section(table, f"{name} (theirs)", _reported(published, sources))
    numbered = (f"[{number}] {source}" for number, source in enumerate(sources, 1))
    return Group(table, *map(Text, (*numbered, *_notes(scores, names, references))))


def _reported(
    published: Sequence[tuple[ReferenceScores, float | None]], sources: Sequence[str]
) -> list[tuple[str, float | None, str]]:
    """Return model, value and number of the source, of each that reports a value."""
    return [
        (_model(row), value, f"[{sources.index(_source(row)) + 1}]")
        for row, value in published
        if value is not None
    ]


def _add_section(table: Table, name: str, rows: Sequence[tuple[str, float | None, str]]) -> None:
    """Add the rows of one score, and a line below them."""
    for place, (model, value, source) in enumerate(rows):
        table.add_row("" if place else name, Text(model), _percent(value), Text(source))
    table.add_section()


def _notes(
    scores: Mapping[str, float], names: Sequence[str], references: Sequence[ReferenceScores]
) -> list[str]:
    """Say what to mind, and which published scores have nothing beside them."""
    lines = ["Prompt and answer reader move scores by points: compare only what was asked and read alike."]
    sets = sorted({row.question_set for row in references} - {""})
    if sets:
        about = f"The published ones are about {', '.join(sets)} questions"
        lines.append(f"{about}: hold no result about other questions against them.")
    missing = [name for name in names if name not in scores]
    if missing:
        lines.append(f"This result has no {', '.join(missing)}.")
    if any(row.without_counterpart for row in references):
        lines.append("(theirs) is a score that none of ours compares with.")
    if not all(row.read_in_source for row in references):
        lines.append("* not read in the source itself.")
    return lines


def _model(row: ReferenceScores) -> str:
    return f"{row.model}, {row.question_set} questions" if row.question_set else row.model


def _source(row: ReferenceScores) -> str:
    note = f" ({row.note})" if row.note else ""
    return f"{row.source}{'' if row.read_in_source else ' *'}{note}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
