"""The names of the answer readers, and how one is picked."""

from collections.abc import Mapping
from typing import TypeVar

from halluc.errors import UnknownOptionError

STRICT = "strict"
OFFICIAL = "official"
LMMS_EVAL = "lmms_eval"
VLMEVALKIT = "vlmevalkit"

T = TypeVar("T")


def pick(option: str, name: object, choices: Mapping[str, T]) -> T:
    """Pick one of several named things.

    A bare ``no`` or ``off`` in YAML arrives as a boolean; it is refused like any other wrong name.

    Args:
        option: The config key to blame, as ``benchmark.pope.profile``.
        name: What was found there.
        choices: Name to thing.

    Raises:
        UnknownOptionError: If ``name`` is no text, or none of the choices; the message lists them.
    """
    if not isinstance(name, str) or name not in choices:
        raise UnknownOptionError(option, name, choices)
    return choices[name]
