"""Gold yes/no labels in the forms that people write them."""

from halluc.parsing import strict

_TRUE = frozenset({"true", "t", "y"})
_FALSE = frozenset({"false", "f", "n"})


def read_yes_no_label(value: object) -> str | None:
    """Read a gold label as "yes" or "no"; None if it is neither beyond doubt.

    Booleans (a bare ``no`` in YAML is one), the numbers 1 and 0, the words true and false, their
    initials, and every text that the strict reader takes for yes or no. Other languages are None.

    Example:
        >>> read_yes_no_label(True), read_yes_no_label("No, there is not."), read_yes_no_label("maybe")
        ('yes', 'no', None)
    """
    if isinstance(value, (bool, int)) and value in (0, 1):
        return "yes" if value else "no"
    if not isinstance(value, str):
        return None
    word = value.strip().rstrip(".").casefold()
    if word in _TRUE:
        return "yes"
    if word in _FALSE:
        return "no"
    return strict.read_yes_no(value)
