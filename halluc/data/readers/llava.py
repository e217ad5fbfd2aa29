"""LLaVA's rows: ``conversations`` of ``{from, value}`` turns (ShareGPT names)."""

from collections.abc import Mapping
from typing import Any

from halluc.data.readers.exchange import Exchange, images_of
from halluc.data.readers.turns import exchanges_of

KEYS = "conversations"


def matches(fields: Mapping[str, Any]) -> bool:
    """Say whether a row has this shape."""
    return "conversations" in fields


def read(fields: Mapping[str, Any]) -> list[Exchange]:
    """Normalise a row of this shape; see ``exchanges_of`` for what raises."""
    return exchanges_of(fields["conversations"], images_of(fields), "conversations")
