"""Alpaca's rows: ``instruction``, an optional ``input`` below it, ``output``."""

from collections.abc import Mapping
from typing import Any

from halluc.data.readers.exchange import Exchange, images_of, text_of

KEYS = "instruction, output"


def matches(fields: Mapping[str, Any]) -> bool:
    """Say whether a row has this shape."""
    return "instruction" in fields


def read(fields: Mapping[str, Any]) -> list[Exchange]:
    """Normalise a row of this shape.

    Raises:
        RecordError: If instruction, or an input that is given, is no text.
    """
    texts = [text_of(fields["instruction"], "instruction")]
    if fields.get("input"):
        texts.append(text_of(fields["input"], "input"))
    system = fields.get("system") or ""
    return [
        Exchange(
            prompt="\n".join(texts), answer=fields.get("output"), images=images_of(fields), system=system
        )
    ]
