"""``python -m halluc build tiny``: a random checkpoint of a real architecture, without any download."""

from pathlib import Path
from typing import Annotated

import typer

from halluc.models.tiny.build import FAMILIES, build_tiny


def build_tiny_checkpoint(
    family: Annotated[str, typer.Argument(help=f"One of {', '.join(FAMILIES)}.")],
    out: Annotated[Path, typer.Argument(help="Folder to write; use it as model.path.")],
    seed: Annotated[int, typer.Option(help="Seed of the random weights.")] = 0,
) -> None:
    """Write a tiny random checkpoint, to try the whole program on (use model.dtype=float32 with it)."""
    build_tiny(family, out, seed)
