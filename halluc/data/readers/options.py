"""Options of a multiple-choice row, and which of them its answer names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from halluc.errors import RecordError

_LINE = re.compile(r"^\s*\(?([A-Z])[.):]\s+(\S.*?)\s*$")
_LETTER = re.compile(r"[(\[]?\s*([A-Za-z])\s*[)\]]?[.:]?")
_LETTER_TEXT = re.compile(r"[(\[]?([A-Z])[)\].:]+\s*(\S.*)")


@dataclass(frozen=True, slots=True)
class Options:
    """Hold option texts in the order of their letters.

    Attributes:
        texts: At least two texts.
        in_prompt: Whether the user text shows them already.
    """

    texts: tuple[str, ...]
    in_prompt: bool


def find_options(fields: Mapping[str, Any], prompt: str) -> Options | None:
    """Find options in ``choices`` or ``options`` (a list, or letter to text), in columns, or in the text.

    Args:
        fields: The row.
        prompt: Its user text; lines ``A. …``, ``B. …`` from A on are options.

    Returns:
        The options, or None if the row is no multiple-choice row.

    Raises:
        RecordError: If an option is missing or no text, or there are fewer than 2 or more than 26.
    """
    shown = _in_text(prompt)
    given = fields.get("choices", fields.get("options"))
    if given is None:
        given = _in_columns(fields)
    if given is None:
        return Options(shown, in_prompt=True) if len(shown) >= 2 else None
    texts = _checked(given)
    return Options(texts, in_prompt=shown == texts)


def gold_index(answer: object, options: Sequence[str], index_base: int = 0) -> int:
    """Read which option an answer names.

    Understood are a letter in any case ("B", "(b)", "B."), a letter with its text ("B. circle"), the
    text alone, and an integer index. A digit in quotes is never an index.

    Args:
        answer: The answer as written.
        options: Option texts.
        index_base: What the first option's index is, 0 or 1.

    Returns:
        Index of the option, from 0.

    Raises:
        RecordError: If the answer names no option, or may mean several.
    """
    found = _readings(answer, options, index_base)
    if len(found) == 1:
        return found.pop()
    shown = ", ".join(f"{letter}. {text}" for letter, text in zip(ascii_uppercase, options, strict=False))
    if found:
        letters = " or ".join(ascii_uppercase[index] for index in sorted(found))
        raise RecordError(f"answer {answer!r} may mean {letters} of {shown}. Write the letter with its text.")
    hint = " A digit in quotes is not taken for an index." if _is_digits(answer) else ""
    raise RecordError(f"answer {answer!r} names none of the options {shown}.{hint}")


def is_letter(answer: object) -> bool:
    """Say whether an answer looks like an option's letter, of this question or not."""
    return isinstance(answer, str) and _LETTER.fullmatch(answer.strip()) is not None


def _readings(answer: object, options: Sequence[str], index_base: int) -> set[int]:
    if type(answer) is int:
        found = {answer - index_base} & set(range(len(options)))
        return found | {index for index, text in enumerate(options) if text == str(answer)}
    if not isinstance(answer, str):
        return set()
    text = answer.strip()
    found = {index for index, option in enumerate(options) if option.strip() == text}
    found = found or {i for i, option in enumerate(options) if option.strip().casefold() == text.casefold()}
    letter = _LETTER.fullmatch(text)
    if letter:
        found |= {ascii_uppercase.index(letter[1].upper())} & set(range(len(options)))
    both = _LETTER_TEXT.fullmatch(text)
    if both:
        index = ascii_uppercase.index(both[1])
        if index < len(options) and options[index].strip().casefold() == both[2].strip().casefold():
            found.add(index)
    return found


def _checked(given: object) -> tuple[str, ...]:
    if isinstance(given, dict):
        letters = list(ascii_uppercase[: len(given)])
        if sorted(given) != letters:
            raise RecordError(
                f"options have the letters {', '.join(sorted(map(str, given)))}; expected A, B, …."
            )
        given = [given[letter] for letter in letters]
    if not isinstance(given, list) or not 2 <= len(given) <= len(ascii_uppercase):
        raise RecordError(f"options are {given!r}; expected 2 to {len(ascii_uppercase)} texts.")
    for option in given:
        if isinstance(option, bool) or not isinstance(option, str | int | float) or not str(option).strip():
            raise RecordError(f"an option is {option!r}; expected text.")
    return tuple(str(option) for option in given)


def _in_columns(fields: Mapping[str, Any]) -> dict[str, Any] | None:
    letters = {key for key in fields if len(key) == 1 and key in ascii_uppercase}
    filled = {key: fields[key] for key in letters if fields[key] not in ("", None)}
    return filled if "A" in filled and len(filled) > 1 else None


def _in_text(prompt: str) -> tuple[str, ...]:
    texts: list[str] = []
    for line in prompt.split("\n"):
        found = _LINE.match(line)
        if found and len(texts) < len(ascii_uppercase) and found[1] == ascii_uppercase[len(texts)]:
            texts.append(found[2])
    return tuple(texts)


def _is_digits(answer: object) -> bool:
    return isinstance(answer, str) and answer.strip().isdigit()
