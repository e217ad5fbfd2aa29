"""The tables at the end of an evaluation: scores by likelihood and as text, bias, agreement."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

SHOWN = (
    *("accuracy", "f1", "index", "yes_ratio", "yes_recall", "recall", "no_recall", "auroc"),
    *("gated_mean", "gate_open_rate", "fine_accuracy", "average", "mean_accuracy", "chair_i", "chair_s"),
    *("unparsed_rate", "paired_accuracy", "score"),
)
_NUMBER = 6  # characters of the widest number
_DEEPEST = 2  # slashes in a name that is shown; tasks within modes are in results.json


def evaluation_tables(results: Mapping[str, Any]) -> list[Table]:
    """Show the main scores with their intervals, and what stands beside them, in percent."""
    tables = [_score_table(results)]
    if results.get("calibration"):
        tables += [_calibration_table(results["calibration"]), _reliability_table(results["calibration"])]
    if results.get("agreement"):
        tables.append(_agreement_table(results["agreement"]))
    if results.get("profiles"):
        tables.append(_profile_table(results["profiles"]))
    return tables


def _score_table(results: Mapping[str, Any]) -> Table:
    full, found = results.get("full", {}), results.get("intervals", {})
    table = Table(title="Scores (percent, with intervals)", caption="all of them are in results.json")
    table.add_column("score", overflow="fold", min_width=26)
    for name in ("likelihood", "as text"):
        table.add_column(name, justify="right")
    keys = dict.fromkeys(key.partition("/")[2] for key in full)
    for key in keys:
        if key.rpartition("/")[2] in SHOWN and key.count("/") <= _DEEPEST:
            cells = [_cell(full.get(f"{p}/{key}"), found.get(f"{p}/{key}")) for p in ("val", "text")]
            table.add_row(key, *cells)
    return table


def _calibration_table(calibration: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(
        title="Yes/no by likelihood: bias and calibration (percent)",
        caption="the threshold is fitted on one half of the images and tried on the other; never applied",
    )
    names = ("benchmark", "said yes", "AUROC", "calibration error", "at 0", "at the fitted threshold")
    _add_columns(table, names)
    for name, found in calibration.items():
        threshold = found.get("threshold", {})
        table.add_row(
            name,
            _cell(found.get("yes_ratio")),
            _cell(found.get("auroc")),
            _cell(found.get("expected_calibration_error")),
            _cell(threshold.get("accuracy_at_0")),
            _cell(threshold.get("accuracy")),
        )
    return table


def _reliability_table(calibration: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title="Reliability: how often an answer of some confidence is right (percent)")
    _add_columns(table, ("benchmark", "confidence", "its mean", "right", "answers"))
    for name, found in calibration.items():
        for bounds in found.get("reliability", ()):
            confidence = f"{100 * bounds['low']:.0f}–{100 * bounds['high']:.0f}"
            means = (_cell(bounds["confidence"]), _cell(bounds["accuracy"]))
            table.add_row(name, confidence, *means, str(bounds["n"]))
    return table


def _agreement_table(agreement: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title="Likelihood and text on the same questions")
    columns = ("n", "same", "first_only_right", "second_only_right", "both_wrong_apart", "second_unparsed")
    titles = (
        "questions",
        "same answer",
        "only likelihood right",
        "only text right",
        "both wrong",
        "no text read",
    )
    _add_columns(table, ("benchmark", *titles))
    for name, counts in agreement.items():
        table.add_row(name, *(str(counts[column]) for column in columns))
    return table


def _profile_table(profiles: Mapping[str, Mapping[str, str]]) -> Table:
    table = Table(title="How it was asked and read")
    for title in ("scores", "answers read by", "prompt", "pictures"):
        table.add_column(title, overflow="fold")
    for name, used in profiles.items():
        table.add_row(name, used["profile"], used["prompt_profile"], used["pictures"])
    return table


def _add_columns(table: Table, titles: Sequence[str]) -> None:
    """Add columns as narrow as the longest word of their titles, so that a terminal shows all of them."""
    for title in titles:
        if title == "benchmark":
            table.add_column(title, overflow="fold", min_width=len(title))
        else:
            table.add_column(title, justify="right", width=max(_NUMBER, *map(len, title.split())))


def _cell(value: float | None, interval: Sequence[float] | None = None) -> str:
    if value is None:
        return "–"
    shown = f"{100 * value:.1f}"
    return shown if interval is None else f"{shown} [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"
