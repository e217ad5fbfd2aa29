"""``python -m halluc build miniworld``: write MiniWorld to disk, to be looked at."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from halluc.miniworld.source import MiniWorld


def build_miniworld(
    out: Annotated[Path, typer.Argument(help="Folder to write to.")],
    level: Annotated[str, typer.Option(help="normal or hard.")] = "normal",
    seed: Annotated[int, typer.Option(help="Seed of scenes, drawings and questions.")] = 0,
) -> None:
    """Write pictures, benchmark files, training rows and contact sheets of MiniWorld."""
    MiniWorld(out, level, seed=seed).prepare()
    for sheet in sorted(out.glob("*/contact_sheet.png")):
        count = sum(p.suffix in (".png", ".jpg") and p != sheet for p in sheet.parent.rglob("*"))
        Console().print(f"{sheet.parent}: {count} pictures, see {sheet}", soft_wrap=True)
