"""The shapes of rows that are understood. A new one is a module with ``KEYS``, ``matches`` and ``read``."""

from collections.abc import Mapping
from typing import Any, Protocol

from halluc.data.readers import alpaca, flat, llava, messages, query_response
from halluc.data.readers.exchange import Exchange
from halluc.errors import RecordError


class Shape(Protocol):
    """Recognise one shape of row by its keys, and normalise it.

    Attributes:
        KEYS: The keys that tell it, for messages.
    """

    KEYS: str

    def matches(self, fields: Mapping[str, Any], /) -> bool:
        """Say whether a row has this shape."""
        ...

    def read(self, fields: Mapping[str, Any], /) -> list[Exchange]:
        """Normalise a row; raises ``RecordError`` if it is unusable."""
        ...


SHAPES: tuple[Shape, ...] = (llava, messages, query_response, alpaca, flat)
"""Tried in this order; the first that matches reads the row."""


def normalise(fields: Mapping[str, Any]) -> list[Exchange]:
    """Bring a row of any known shape to exchanges.

    Raises:
        RecordError: If no shape matches (the message lists them), or the row is unusable.
    """
    if fields.get("videos") or fields.get("video"):
        raise RecordError("it has a video; only pictures are read. Extract frames and name them as images.")
    for shape in SHAPES:
        if shape.matches(fields):
            return shape.read(fields)
    known = "; ".join(shape.KEYS for shape in SHAPES)
    raise RecordError(f"its keys are {', '.join(fields) or 'none'}; expected those of one shape: {known}.")
