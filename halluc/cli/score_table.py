"""Scores of a benchmark as a table, one row for each: it fits any terminal."""

from collections.abc import Mapping

from rich.table import Table

from halluc.metrics.bootstrap import Interval, is_count


def score_table(
    scores: Mapping[str, float], intervals: Mapping[str, Interval], *, title: str, caption: str
) -> Table:
    """Lay scores out with their intervals; a line ends each group.

    Args:
        scores: Name to value; what stands before the last ``/`` is the group.
        intervals: Of some of the scores, by the same names.
        title: Above the table.
        caption: Below it.
    """
    table = Table(title=title, caption=caption)
    table.add_column("score", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    if intervals:
        table.add_column("interval", justify="right", no_wrap=True)
    names = list(scores)
    for name, following in zip(names, [*names[1:], ""], strict=True):
        cells = [name, _value(name, scores[name]), _interval(intervals.get(name))]
        table.add_row(*cells[: len(table.columns)], end_section=_group(name) != _group(following))
    return table


def _group(name: str) -> str:
    return name.rpartition("/")[0]


def _value(name: str, value: float) -> str:
    return f"{value:.0f}" if is_count(name) else _number(value)


def _number(value: float) -> str:
    return f"{value:.4f}" if value <= 1 else f"{value:.2f}"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{_number(interval.low)}–{_number(interval.high)}"
