"""The table at the end of a run: what was measured before training, and what after."""

import re
from collections.abc import Mapping
from typing import Any

from rich.table import Table

HEADLINES = (
    "val/pope/random/accuracy",
    "val/pope/popular/accuracy",
    "val/pope/adversarial/accuracy",
    "val/pope/adversarial/yes_ratio",
    "val/pope/adversarial/auroc",
    "val/phd/index",
    "val/phd/base/index",
    "val/phd/sec/index",
    "val/phd/icc/index",
    "val/phd/ccs/index",
    "val/vlm2/gated_mean",
    "val/vlm2/gate_open_rate",
    "val/vlm2/fine_accuracy",
    "val/vlm2/oc_cpr/paired_accuracy",
    "val/vlm2/oc_cnt/score",
    "val/vlm2/oc_grp/accuracy",
    "val/longhalqa/lhqa_discrim_object_binary/accuracy",
    "val/longhalqa/lhqa_discrim_description_binary/accuracy",
    "val/longhalqa/lhqa_discrim_conversation_binary/accuracy",
    "val/longhalqa/lhqa_discrim_description_choice/accuracy",
    "val/longhalqa/lhqa_discrim_conversation_choice/accuracy",
    "val/longhalqa/lhqa_complete_description/accuracy",
    "val/longhalqa/lhqa_complete_conversation/accuracy",
    "val/vstar/direct_attributes/accuracy",
    "val/vstar/relative_position/accuracy",
    "val/vstar/accuracy",
    "val/own/accuracy",
    "select/score",
)
NAME_WIDTH = 28
"""Columns for the name of a score; the table then fits a terminal of 80."""

BIAS = "yes_ratio"
"""A score of which more is not better, so that guessing is no bar to it."""


def before_after_table(results: Mapping[str, Any]) -> Table:
    """Show the headline scores of the baseline, the best epoch and the full sets, in percent.

    A score of the best epoch whose interval reaches down to what guessing scores is marked "at chance".

    Args:
        results: What ``results.json`` holds. A score that was not measured shows as a dash.
    """
    before, best = results.get("baseline", {}), results.get("best", {})
    epoch = f"epoch {best['epoch']}" if "epoch" in best else "best"
    full = results.get("full", {})
    asked_for_text = any(key.startswith("text/") for key in full)
    everything = "full, as text" if asked_for_text else "full"
    table = Table(
        title="Before and after (percent)",
        caption=f"before, epoch: report part of the sample; {everything}: all questions, best adapter",
    )
    table.add_column("score", min_width=NAME_WIDTH)
    for name in ("before", epoch, "change", "full", "as text")[: 5 if asked_for_text else 4]:
        table.add_column(name, justify="right")
    for key in HEADLINES:
        if key not in before and key not in full:
            continue
        text_key = key.replace("val/", "text/", 1)
        cells = [
            _broken(key.removeprefix("val/")),
            _percent(before.get(key)),
            _percent(best.get(key)) + (" at chance" if _is_chance(results, key) else ""),
            _change(before.get(key), best.get(key)),
            _percent(full.get(key)),
            _percent(full.get(text_key)) if text_key != key else "",
        ]
        table.add_row(*cells[: len(table.columns)])
    return table


def _broken(key: str) -> str:
    """Break a long key into lines, after a slash or an underscore."""
    lines = [""]
    for piece in re.findall(r"[^/_]*[/_]?", key):
        if len(lines[-1]) + len(piece) > NAME_WIDTH:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _is_chance(results: Mapping[str, Any], key: str) -> bool:
    """Tell whether guessing may score as well as the best epoch."""
    best, chance = results.get("best", {}), results.get("chance", {}).get(key)
    if chance is None or key not in best or key.endswith(BIAS):
        return False
    low, _ = results.get("intervals", {}).get(f"epoch_{best.get('epoch')}", {}).get(key, (best[key], None))
    return bool(low <= chance)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _change(before: float | None, after: float | None) -> str:
    return "" if before is None or after is None else f"{100 * (after - before):+.1f}"
