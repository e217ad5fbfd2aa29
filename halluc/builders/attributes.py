"""How key attributes are asked about, and which wrong value is the most confusable one."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from halluc.builders.wording import is_plural, number_of, number_word
from halluc.errors import RecordError

_NUMBER_WORDS = {number_word(number): number for number in range(21)}

_COLORS = {
    "red": ("orange", "brown"),
    "orange": ("red", "yellow"),
    "yellow": ("orange", "green"),
    "green": ("blue", "yellow"),
    "blue": ("green", "purple"),
    "purple": ("blue", "pink"),
    "pink": ("purple", "red"),
    "brown": ("red", "black"),
    "black": ("brown", "blue"),
    "white": ("yellow", "gray"),
    "gray": ("blue", "white"),
    "gold": ("brown", "silver"),
    "silver": ("white", "gold"),
    "beige": ("pink", "brown"),
}
_PATTERNS = {
    "striped": ("checkered", "spotted"),
    "checkered": ("striped", "plain"),
    "spotted": ("striped", "floral"),
    "dotted": ("striped", "floral"),
    "floral": ("spotted", "striped"),
    "plain": ("striped", "spotted"),
    "plaid": ("striped", "plain"),
}
_MATERIALS = {
    "wood": ("plastic", "metal"),
    "plastic": ("metal", "glass"),
    "metal": ("plastic", "wood"),
    "glass": ("plastic", "metal"),
    "stone": ("wood", "metal"),
    "leather": ("fabric", "plastic"),
    "fabric": ("leather", "paper"),
    "paper": ("fabric", "plastic"),
}
_SIZES = {"small": ("large",), "large": ("small",), "big": ("small",), "tall": ("short",), "short": ("tall",)}
_SHAPES = {
    "round": ("square", "oval"),
    "oval": ("round", "rectangular"),
    "square": ("rectangular", "round"),
    "rectangular": ("square", "triangular"),
    "triangular": ("rectangular", "round"),
}
_SPELLINGS = {
    "grey": "gray",
    "wooden": "wood",
    "metallic": "metal",
    "checked": "checkered",
    "stripy": "striped",
}
_CONFUSABLE = "17 38 56 09 24 oc ef pr mn uv kx bd gq it sz ay lj hk wv"
"""Characters that are easily taken for each other; a person can still tell them apart."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """Say how one kind of attribute is asked about.

    Attributes:
        ask: Makes the question from subject, value and the number of the picture, from 1.
        hard_values: Wrong values to a right one, the most confusable first; may be empty.
        canonical: Brings a value to the form in which values are compared.
    """

    ask: Callable[[str, str, int], str]
    hard_values: Callable[[str], tuple[str, ...]]
    canonical: Callable[[str], str]


def attribute_of(name: str) -> Attribute:
    """Return the rules of an attribute; one without rules of its own is asked as "is the X …?".

    Rules of their own have colour, number, text, pattern, material, size and shape, in either spelling.
    Any other attribute has no table of confusable values, so its wrong value must come from another
    picture.
    """
    return _ATTRIBUTES.get(attribute_name(name), _OTHER)


def attribute_name(name: str) -> str:
    """Return the one name that an attribute's spellings share: "Colour" is "color"."""
    return _ALIASES.get(_key(name), _key(name))


def read_number(value: str) -> int:
    """Read a whole number written in digits or as a word.

    Raises:
        RecordError: If it is none.
    """
    text = value.strip().casefold()
    number = _NUMBER_WORDS.get(text, int(text) if re.fullmatch(r"[0-9]+", text) else None)
    if number is None:
        raise RecordError(f"number is {value!r}; expected a whole number.")
    return number


def _key(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())


def _plain(value: str) -> str:
    text = _key(value)
    return _SPELLINGS.get(text, text)


def _is_the(subject: str, value: str, picture: int) -> str:
    verb = "Are" if is_plural(subject) else "Is"
    return f"{verb} the {subject} in picture {picture} {value}?"


def _is_made_of(subject: str, value: str, picture: int) -> str:
    return _is_the(subject, f"made of {_plain(value)}", picture)


def _reads(subject: str, value: str, picture: int) -> str:
    verb = "Do" if is_plural(subject) else "Does"
    return f'{verb} the {subject} in picture {picture} read "{value.strip()}"?'


def _are_there(subject: str, value: str, picture: int) -> str:
    verb, rest = number_of(subject, read_number(value)).split(" ", 1)
    return f"{verb.capitalize()} there {rest} in picture {picture}?"


def _near_numbers(value: str) -> tuple[str, ...]:
    number = read_number(value)
    return (str(number + 1), str(number - 1)) if number > 1 else (str(number + 1), str(number + 2))


def _one_character_changed(value: str) -> tuple[str, ...]:
    """Change one character into a confusable one, the last such character first; else drop the last."""
    text = value.strip()
    changed = [
        text[:place] + _like(character, _TWINS[character.lower()]) + text[place + 1 :]
        for place, character in enumerate(text)
        if character.lower() in _TWINS
    ]
    return tuple(reversed(changed)) or (text[:-1] or text * 2,)


def _like(model: str, character: str) -> str:
    return character.upper() if model.isupper() else character


def _twins() -> dict[str, str]:
    table: dict[str, str] = {}
    for one, other in map(tuple, _CONFUSABLE.split(" ")):
        table.setdefault(one, other)
        table.setdefault(other, one)
    return table


def _from_table(table: Mapping[str, tuple[str, ...]]) -> Callable[[str], tuple[str, ...]]:
    return lambda value: table.get(_plain(value), ())


def _letters(value: str) -> str:
    return " ".join(value.casefold().split())


def _digits(value: str) -> str:
    return str(read_number(value))


_TWINS = _twins()
_ALIASES = {"colour": "color", "count": "number", "quantity": "number", "writing": "text"}
_OTHER = Attribute(_is_the, lambda _: (), _plain)
_ATTRIBUTES = {
    "color": Attribute(_is_the, _from_table(_COLORS), _plain),
    "number": Attribute(_are_there, _near_numbers, _digits),
    "text": Attribute(_reads, _one_character_changed, _letters),
    "pattern": Attribute(_is_the, _from_table(_PATTERNS), _plain),
    "material": Attribute(_is_made_of, _from_table(_MATERIALS), _plain),
    "size": Attribute(_is_the, _from_table(_SIZES), _plain),
    "shape": Attribute(_is_the, _from_table(_SHAPES), _plain),
}
