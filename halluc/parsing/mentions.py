"""Which known objects a free description mentions."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from halluc.errors import RecordError, SourceNotFoundError

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
_IRREGULAR = {
    **{"people": "person", "men": "man", "women": "woman", "children": "child", "mice": "mouse"},
    **{"geese": "goose", "feet": "foot", "teeth": "tooth", "knives": "knife", "wolves": "wolf"},
    **{"leaves": "leaf", "shelves": "shelf", "loaves": "loaf", "calves": "calf", "wives": "wife"},
}
_KEPT = ("ss", "us", "is")  # glass, bus, tennis


def singular_word(word: str) -> str:
    """Return the singular of a lower-case English noun by its ending.

    Example:
        >>> [singular_word(word) for word in ("cups", "benches", "puppies", "glasses", "bus", "skis")]
        ['cup', 'bench', 'puppy', 'glass', 'bus', 'skis']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word.endswith(_KEPT) or not word.endswith("s") or word == "skis":
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "buses")):
        return word[:-2]
    return word[:-1]


class ObjectMentions:
    """Find mentions of known objects in a text, the longest phrase first.

    A phrase is found in either number and any case, as whole words; where "hot dog" is known, it is no
    dog. Words that are no synonyms of a known object are no mention, so nothing is guessed.

    Args:
        synonyms: Object name to the other words for it; the name itself counts.

    Raises:
        RecordError: If one phrase stands for two objects.
    """

    def __init__(self, synonyms: Mapping[str, Iterable[str]]) -> None:
        self._objects: dict[tuple[str, ...], str] = {}
        for name, others in synonyms.items():
            for phrase in (name, *others):
                key = _words(phrase)
                if self._objects.setdefault(key, name) != name:
                    raise RecordError(f"{phrase!r} stands for {self._objects[key]!r} and for {name!r}.")
        self._longest = max(map(len, self._objects), default=0)

    def find(self, text: str) -> list[str]:
        """Return the objects mentioned, in order, as often as they are mentioned."""
        words = _words(text)
        found = []
        place = 0
        while place < len(words):
            length = next(
                (n for n in range(self._longest, 0, -1) if words[place : place + n] in self._objects), 0
            )
            if length:
                found.append(self._objects[words[place : place + length]])
            place += length or 1
        return found


def read_synonyms(path: Path) -> dict[str, tuple[str, ...]]:
    """Read a synonym file: one object a line, its name first, separated by commas.

    Returns:
        Object name to the other words for it.

    Raises:
        SourceNotFoundError: If there is no such file.
    """
    if not path.is_file():
        raise SourceNotFoundError(
            f"No synonym file {path}: one object a line, its name first, commas between."
        )
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    rows = [[cell.strip() for cell in line.split(",") if cell.strip()] for line in lines]
    return {name: tuple(others) for name, *others in filter(None, rows)}


def _words(text: str) -> tuple[str, ...]:
    return tuple(map(singular_word, _WORD.findall(text.casefold())))
