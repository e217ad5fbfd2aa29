"""The project's own rows: ``question`` (or ``prompt``), ``answer``, and pictures beside them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from halluc.data.readers.exchange import Exchange, images_of, text_of
from halluc.data.readers.turns import exchanges_of
from halluc.errors import RecordError

KEYS = "question (or prompt), answer"


def matches(fields: Mapping[str, Any]) -> bool:
    """Say whether a row has this shape."""
    return "question" in fields or "prompt" in fields


def read(fields: Mapping[str, Any]) -> list[Exchange]:
    """Normalise a row of this shape; a prompt may be given as turns, too.

    Raises:
        RecordError: If both question and prompt are given, or what is given is neither text nor turns.
    """
    if "question" in fields and "prompt" in fields:
        raise RecordError("both question and prompt are given. Keep one of them.")
    field = "question" if "question" in fields else "prompt"
    answer = fields.get("answer")
    if isinstance(fields[field], list):
        *earlier, last = exchanges_of(fields[field], images_of(fields), field)
        return [*earlier, replace(last, answer=answer)]
    system = fields.get("system") or ""
    return [
        Exchange(prompt=text_of(fields[field], field), answer=answer, images=images_of(fields), system=system)
    ]
