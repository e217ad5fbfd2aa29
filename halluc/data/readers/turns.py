"""From the turns of a conversation to exchanges of one question and one answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from halluc.data.readers.exchange import Exchange, text_of
from halluc.data.readers.placeholders import PLACEHOLDER
from halluc.errors import RecordError

_ROLES = {
    "system": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "model": "assistant",
}


def exchanges_of(turns: object, images: Sequence[object], field: str) -> list[Exchange]:
    """Pair each user turn with the assistant turn behind it.

    A turn is ``{role, content}`` or ``{from, value}``. Its content is text or a list of parts; a part of
    type ``image`` marks a picture's place and may hold the picture itself. User turns in a row are
    joined by a newline. The last user turn may lack an answer, as in a preference's prompt.

    Args:
        turns: The conversation.
        images: Pictures that the row names outside the conversation; they belong to every exchange.
        field: Name of the field, for messages.

    Returns:
        At least one exchange; a system turn's text is in each.

    Raises:
        RecordError: If the conversation begins with the assistant, holds another role, two assistant
            turns in a row, a system turn behind the first place, or pictures both inside and outside.
    """
    if not isinstance(turns, list) or not turns:
        raise RecordError(f"{field} is {turns!r}; expected a list of turns.")
    system = ""
    pairs: list[tuple[list[str], list[object], str | None]] = []
    for number, turn in enumerate(turns, start=1):
        role, text, inside = _read_turn(turn, f"{field}[{number}]")
        if role == "system":
            if number > 1:
                raise RecordError(f"{field}[{number}] is a system turn; it may only stand first.")
            system = text
        elif role == "user":
            if not pairs or pairs[-1][2] is not None:
                pairs.append(([], [], None))
            pairs[-1][0].append(text)
            pairs[-1][1].extend(inside)
        else:
            _close(pairs, text, f"{field}[{number}]")
    if not pairs:
        raise RecordError(f"{field} has no user turn.")
    return [
        Exchange(prompt=_joined(texts), answer=answer, images=_pictures(images, inside), system=system)
        for texts, inside, answer in pairs
    ]


def reply_of(value: object, field: str) -> object:
    """Return an answer that may be given as text, as one turn, or as turns that end with the assistant's.

    Raises:
        RecordError: If turns are given and the last one is not the assistant's text.
    """
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, list):
        return value
    if not value:
        raise RecordError(f"{field} is an empty list; expected the assistant's turn.")
    role, text, inside = _read_turn(value[-1], field)
    if role != "assistant" or inside:
        raise RecordError(f"{field} does not end with the assistant's text.")
    return text


def _close(pairs: list[tuple[list[str], list[object], str | None]], answer: str, where: str) -> None:
    if not pairs:
        raise RecordError(f"{where}: the conversation begins with the assistant. Remove that turn.")
    texts, inside, before = pairs[-1]
    if before is not None:
        raise RecordError(f"{where}: two assistant turns in a row. Join them, or remove one.")
    pairs[-1] = (texts, inside, answer)


def _read_turn(turn: object, where: str) -> tuple[str, str, list[object]]:
    if not isinstance(turn, dict):
        raise RecordError(f"{where} is {turn!r}; expected a turn with role and content.")
    name = turn.get("role", turn.get("from"))
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise RecordError(f"{where} has the role {name!r}; expected one of {', '.join(_ROLES)}.")
    content = turn.get("content", turn.get("value"))
    if not isinstance(content, list):
        return role, text_of(content, where), []
    texts, pictures = [], []
    for part in content:
        text, picture = _read_part(part, where)
        texts.append(text)
        pictures.extend(picture)
    return role, "".join(texts), pictures


def _read_part(part: object, where: str) -> tuple[str, list[object]]:
    fields: Mapping[str, Any] = part if isinstance(part, dict) else {"type": "text", "text": part}
    kind = fields.get("type")
    if kind == "text" and isinstance(fields.get("text"), str):
        return fields["text"], []
    if kind in ("image", "image_url"):
        picture = next(
            (fields[key] for key in ("image", "image_url", "url", "path") if fields.get(key)), None
        )
        if isinstance(picture, dict) and "url" in picture:
            picture = picture["url"]
        return PLACEHOLDER, [] if picture is None else [picture]
    raise RecordError(f"{where} holds a part {part!r}; expected type text or image.")


def _pictures(outside: Sequence[object], inside: Sequence[object]) -> tuple[object, ...]:
    if outside and inside:
        raise RecordError("pictures are given both beside and inside the conversation. Keep one place.")
    return tuple(outside or inside)


def _joined(texts: list[str]) -> str:
    return "\n".join(texts)
