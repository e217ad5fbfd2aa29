"""Gather pictures below one folder without copying them."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path


def link_pictures(names: Iterable[str], image_root: Path, folder: Path) -> None:
    """Make each picture appear below ``folder`` under its own name.

    Symbolic links are made where the system allows it, copies elsewhere. What is there already stays.

    Args:
        names: File names relative to ``image_root``.
        image_root: Where the pictures are.
        folder: Where they shall appear; made if missing.
    """
    for name in names:
        place = folder / name
        if place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        source = (image_root / name).resolve()
        try:
            os.symlink(source, place)
        except (OSError, NotImplementedError):
            shutil.copyfile(source, place)
