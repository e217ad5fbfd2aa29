"""Rows with ``query``, ``response`` and an optional ``history`` of earlier pairs (ms-swift)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from halluc.data.readers.exchange import Exchange, images_of, text_of
from halluc.errors import RecordError

KEYS = "query, response"


def matches(fields: Mapping[str, Any]) -> bool:
    """Say whether a row has this shape."""
    return "query" in fields


def read(fields: Mapping[str, Any]) -> list[Exchange]:
    """Normalise a row of this shape.

    Raises:
        RecordError: If the query is no text, or the history no list of pairs.
    """
    last = Exchange(
        prompt=text_of(fields["query"], "query"),
        answer=fields.get("response"),
        images=images_of(fields),
        system=fields.get("system") or "",
    )
    history = fields.get("history") or []
    if not isinstance(history, list) or any(not isinstance(pair, list) or len(pair) != 2 for pair in history):
        raise RecordError(f"history is {history!r}; expected a list of [query, response].")
    earlier = [
        replace(last, prompt=text_of(query, "history"), answer=response) for query, response in history
    ]
    return [*earlier, last]
