"""Where a published record's picture is, and which pictures are missing."""

import os
from collections.abc import Iterable
from pathlib import Path

from halluc.errors import ImageError


def inside(root: Path, name: str, where: str) -> str:
    """Join an image root and a name from a file, and refuse what leaves the root.

    The check is on the path as written; a link inside the root may lead wherever its owner made it.

    Args:
        root: Folder of the pictures.
        name: Path relative to it, as published.
        where: File and record, for the message.

    Raises:
        ImageError: If the name is absolute or climbs out of the root.
    """
    base = os.path.abspath(root)
    path = os.path.normpath(os.path.join(base, name))
    if os.path.isabs(name) or not path.startswith(base.rstrip(os.sep) + os.sep):
        raise ImageError(f"{where}: image {name!r} lies outside {base}. Name it relative to the image root.")
    return path


def missing_files(paths: Iterable[str]) -> list[str]:
    """Return which of these are no files, each once, in order."""
    return [path for path in dict.fromkeys(paths) if not os.path.isfile(path)]
