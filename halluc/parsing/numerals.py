"""English number words and digit runs, as the readers of counts need them."""

_UP_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen twenty"
)
NUMBER_WORDS = {word: value for value, word in enumerate(_UP_TO_TWENTY.split())} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "thousand": 1000,
}

LARGEST = 10**18


def whole_number(digits: str) -> int:
    """Read a run of decimal digits of any length.

    Python refuses to convert thousands of digits, and a model that repeats itself writes them. All
    values from ``LARGEST`` on come out as ``LARGEST``, which is outside every range that is asked for.

    Example:
        >>> whole_number("007")
        7
        >>> whole_number("9" * 5000) == LARGEST
        True
    """
    digits = digits.lstrip("0") or "0"
    return LARGEST if len(digits) > 18 else int(digits)
