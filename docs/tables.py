"""Write the tables of ``token-trees.md``: what families share, and what the bench measured.

::

    python docs/tables.py    # rewrites the tables in place
"""

import json
from pathlib import Path

from halluc.models.families.pictures import PICTURES
from halluc.models.families.table import family_for
from halluc.models.families.trees.table import tree_hooks_for

DOCS = Path(__file__).parent
PAGE = DOCS / "token-trees.md"
FAMILIES = [
    "| `model_type` | prefix shared | vision features shared | trees about different pictures in a forward "
    "| attention | goes on from a prefix's keys and values |",
    "|---|---|---|---|---|---|",
]
MEASURED = [
    "| | way | × rows | FLOP bound | of bound | × TRL, × one forward a question | MB |",
    "|---|---|---|---|---|---|---|",
]
TASKS = {"sft": "SFT", "dpo": "DPO", "evaluation": "evaluation"}


def family_table() -> str:
    """Say for each family what it shares."""
    rows = list(FAMILIES)
    for model_type in sorted(PICTURES):
        hooks = tree_hooks_for(model_type, family_for(model_type))
        if hooks is None:
            rows.append(f"| `{model_type}` | no: padded rows | yes | | | no |")
            continue
        attention = " + ".join(sorted(kind.removesuffix("_attention") for kind in hooks.layer_types))
        mixes, continues = yes(hooks.mixes_pictures), yes(hooks.continues_from_cache)
        rows.append(f"| `{model_type}` | yes | yes | {mixes} | {attention} | {continues} |")
    rows.append("| any other | no: padded rows | no | | | no |")
    return "\n".join(rows)


def bench_table(file: Path) -> str:
    """Show what the bench measured and wrote to a file."""
    rows = list(MEASURED)
    for row in json.loads(file.read_text())["results"]:
        bound = row["flop_bound"]
        bounds = f"{bound:.1f} | {row['times_rows'] / bound:.0%}" if bound else " | "
        ratios = f"{row['times_rows']:.1f} | {bounds} | {row['times_baseline']:.1f}"
        rows.append(f"| {TASKS[row['task']]} | {row['way']} | {ratios} | {row['peak_memory_mb']:.0f} |")
    return "\n".join(rows)


def fill(page: str) -> str:
    """Return the page with its tables written anew, between their marks."""
    for name, table in {"families": family_table(), "bench": bench_table(DOCS / "bench" / "k6.json")}.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, rest = page.split(begin)
        _, after = rest.split(end)
        page = f"{before}{begin}\n{table}\n{end}{after}"
    return page


def yes(value: bool) -> str:
    """Say yes or no."""
    return "yes" if value else "no"


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text()))
