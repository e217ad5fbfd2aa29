"""What every shape of row is brought to: a user text, an answer, pictures, a system text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from halluc.errors import RecordError

IMAGE_KEYS = ("images", "image", "image_path")
"""Fields that name pictures; the first that a row has is used, and two of them are an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Hold one question with its answer, before pictures are resolved and labels are read.

    Attributes:
        prompt: User text, in which ``<image>`` may mark the places of pictures.
        answer: The answer as written: text, or a label that is a number or a boolean. None if absent.
        images: Pictures as written: names, data URIs or objects.
        system: System text; may be empty.
    """

    prompt: str
    answer: object = None
    images: tuple[object, ...] = ()
    system: str = ""


def images_of(fields: Mapping[str, Any]) -> tuple[object, ...]:
    """Return the pictures that a row names; a bare string is one picture, not its letters.

    Raises:
        RecordError: If two fields name pictures, or the field is null.
    """
    found = [key for key in IMAGE_KEYS if key in fields]
    if not found:
        return ()
    if len(found) > 1:
        raise RecordError(f"both {found[0]} and {found[1]} are given. Keep one of them.")
    value = fields[found[0]]
    if value is None:
        raise RecordError(
            f"{found[0]} is null. Name the picture, or leave the field away for a row without one."
        )
    return tuple(value) if isinstance(value, list) else (value,)


def text_of(value: object, field: str) -> str:
    """Return a value that must be text.

    Raises:
        RecordError: If it is not, or is blank; names the field.
    """
    if not isinstance(value, str) or not value.strip():
        raise RecordError(f"{field} is {value!r}; expected text.")
    return value
