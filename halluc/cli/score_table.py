"""Scores of a benchmark as a table: one row for each group, one column for each metric."""

from collections.abc import Mapping

from rich.table import Table

from halluc.metrics.bootstrap import Interval, is_count


def score_table(
    scores: Mapping[str, float], intervals: Mapping[str, Interval], *, title: str, caption: str
) -> Table:
    """Lay scores out; where there is an interval, it stands below the score.

    Args:
        scores: Name to value; what stands before the last ``/`` is the group.
        intervals: Of some of the scores, by the same names.
        title: Above the table.
        caption: Below it.
    """
    groups: dict[str, list[str]] = {}
    for name in scores:
        groups.setdefault(name.rpartition("/")[0], []).append(name)
    metrics = list(dict.fromkeys(name.rpartition("/")[2] for name in scores))
    table = Table(title=title, caption=caption, show_lines=bool(intervals))
    table.add_column("", no_wrap=True)
    for metric in metrics:
        table.add_column(metric.replace("_", " "), justify="right")
    for group, names in groups.items():
        cells = {name.rpartition("/")[2]: _cell(name, scores[name], intervals.get(name)) for name in names}
        table.add_row(group or "all", *(cells.get(metric, "") for metric in metrics))
    return table


def _cell(name: str, value: float, interval: Interval | None) -> str:
    if is_count(name):
        return f"{value:.0f}"
    shown = f"{value:.4f}" if value <= 1 else f"{value:.2f}"
    return shown if interval is None else f"{shown}\n[dim]{interval.low:.2f}–{interval.high:.2f}[/dim]"
