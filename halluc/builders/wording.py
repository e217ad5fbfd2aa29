"""English of the questions: articles, plurals, number words. Enough for object names, no more."""

_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)

_IRREGULAR = {
    "person": "people",
    "man": "men",
    "woman": "women",
    "child": "children",
    "mouse": "mice",
    "tooth": "teeth",
    "foot": "feet",
    "goose": "geese",
    "knife": "knives",
    "leaf": "leaves",
    "shelf": "shelves",
    "loaf": "loaves",
    "calf": "calves",
    "scarf": "scarves",
    "wolf": "wolves",
    "potato": "potatoes",
    "tomato": "tomatoes",
    "bus": "buses",
    "cookie": "cookies",
}
_UNCHANGED = {"sheep", "fish", "deer"}
_PLURAL_ONLY = {"skis", "scissors", "trousers", "pants", "shorts", "jeans"}
_MASS = {"broccoli", "snow", "water", "grass", "sand", "food"}
_SINGULAR = {plural: singular for singular, plural in _IRREGULAR.items()}


def article(noun: str) -> str:
    """Return "a" or "an", by the first letter alone as POPE's questions do.

    Example:
        >>> article("umbrella")
        'an'
    """
    return "an" if noun[:1].lower() in tuple("aeiou") else "a"


def plural(noun: str) -> str:
    """Return the plural of an object name; the last word carries it.

    Example:
        >>> plural("wine glass"), plural("mouse"), plural("sheep")
        ('wine glasses', 'mice', 'sheep')
    """
    head, last = _split(noun)
    if last in _IRREGULAR:
        return head + _IRREGULAR[last]
    if last in _UNCHANGED | _PLURAL_ONLY | _MASS or last in _SINGULAR:
        return noun
    if last.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if last.endswith("y") and last[-2:-1] not in tuple("aeiou"):
        return noun[:-1] + "ies"
    return noun + "s"


def singular(noun: str) -> str:
    """Return the singular of an object name given in either number.

    Example:
        >>> singular("people"), singular("horses"), singular("bus")
        ('person', 'horse', 'bus')
    """
    head, last = _split(noun)
    if last in _SINGULAR:
        return head + _SINGULAR[last]
    if last in _UNCHANGED | _PLURAL_ONLY | _MASS or last in _IRREGULAR:
        return noun
    if not last.endswith("s") or last.endswith("ss"):
        return noun
    if last.endswith("ies") and len(last) > 4:
        return noun[:-3] + "y"
    if last.endswith(("sses", "xes", "zes", "ches", "shes")):
        return noun[:-2]
    return noun[:-1]


def is_plural(noun: str) -> bool:
    """Say whether a name is given in the plural, so that it needs "are" rather than "is"."""
    last = _split(noun)[1]
    return last in _PLURAL_ONLY or singular(noun) != noun


def is_countable(noun: str) -> bool:
    """Say whether single pieces of it can be counted in a sentence: not of skis, nor of broccoli."""
    return _split(noun)[1] not in _PLURAL_ONLY | _MASS


def number_word(number: int) -> str:
    """Return a number as text: words up to twenty, digits above."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def number_of(noun: str, number: int) -> str:
    """Return a counted name with its verb: "is exactly 1 horse", "are exactly 4 horses".

    The name may be given in either number.
    """
    base = singular(noun)
    return f"is exactly 1 {base}" if number == 1 else f"are exactly {number} {plural(base)}"


def _split(noun: str) -> tuple[str, str]:
    words = noun.rsplit(" ", 1)
    last = words[-1].lower()
    return noun[: len(noun) - len(last)], last
