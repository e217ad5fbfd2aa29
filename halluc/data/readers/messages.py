"""Rows with ``messages`` of ``{role, content}`` turns; content is text or a list of parts."""

from collections.abc import Mapping
from typing import Any

from halluc.data.readers.exchange import Exchange, images_of
from halluc.data.readers.turns import exchanges_of

KEYS = "messages"


def matches(fields: Mapping[str, Any]) -> bool:
    """Say whether a row has this shape."""
    return "messages" in fields


def read(fields: Mapping[str, Any]) -> list[Exchange]:
    """Normalise a row of this shape; see ``exchanges_of`` for what raises."""
    return exchanges_of(fields["messages"], images_of(fields), "messages")
