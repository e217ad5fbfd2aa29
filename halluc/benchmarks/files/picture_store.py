"""Pictures that come inside a data file, kept as files, each once."""

import hashlib
from pathlib import Path

_SUFFIXES = ((b"\xff\xd8\xff", ".jpg"), (b"\x89PNG", ".png"), (b"GIF8", ".gif"), (b"BM", ".bmp"))


class PictureStore:
    """Write pictures into a folder under the digest of their bytes, so that equal ones are one file.

    Args:
        folder: Made on first use. Files in it are never written over.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, content: bytes) -> str:
        """Keep one picture as it is, not decoded; returns its name in the folder."""
        name = hashlib.sha256(content).hexdigest()[:32] + _suffix(content)
        path = self._folder / name
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(name + ".partial")
            partial.write_bytes(content)
            partial.replace(path)
        return name


def _suffix(content: bytes) -> str:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return ".webp"
    return next((suffix for start, suffix in _SUFFIXES if content.startswith(start)), ".image")
