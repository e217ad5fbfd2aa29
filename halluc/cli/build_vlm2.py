"""``python -m halluc build vlm2-gated``: gated sequences from VLM2-Bench and attribute annotations."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from halluc.builders.gated import build_gated
from halluc.builders.vlm2_gated import sequences_of_vlm2
from halluc.data.readers.rows import read_rows
from halluc.data.row_files import write_lines
from halluc.errors import RecordError


def build_vlm2_gated(
    items: Annotated[list[Path], typer.Argument(help="Question files of VLM2-Bench, as oc_cnt.jsonl.")],
    annotations: Annotated[Path, typer.Option(help="JSON Lines of {id: oc_cnt/4, attributes: [...]}.")],
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("gated.jsonl"),
) -> None:
    """Write gated sequences: the items' questions as gates, fine questions from annotated attributes."""
    located = [row for path in items for row in _located(path, subtask=path.stem)]
    rows = sequences_of_vlm2(located, _located(annotations))
    if not rows:
        raise RecordError(f"{annotations} annotates no item of {', '.join(map(str, items))}.")
    records = build_gated((f"sequence {row['sequence_id']}", row) for row in rows)
    write_lines(out, records)
    fine = sum(len(record["fine"]) for record in records)
    Console(soft_wrap=True).print(
        f"{out}: {len(records)} sequences of {len(located)} items, {fine} fine questions", highlight=False
    )


def _located(path: Path, subtask: str | None = None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield rows with their places; a row that names no subtask gets that of its file."""
    rows, problems = read_rows(path)
    if problems:
        raise RecordError(f"{path}: unreadable rows: {len(problems)}", problems)
    for row in rows:
        named = subtask is None or row.fields.keys() & {"subtask", "category"}
        yield f"{path}:{row.number}", row.fields if named else {**row.fields, "subtask": subtask}
