"""Reading of answers as lmms-eval does it, faults included."""

import re

_LETTER_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"^([A-D])",
        r"(?:ANSWER|CHOICE|OPTION)(?:\s+IS)?[\s:]+([A-D])",
        r"\(([A-D])\)",
        r"([A-D])\s*[.)\]]",
        r"(?:^|\s)([A-D])(?:\s|$)",
    )
)
_LETTER = re.compile(r"[A-D]")


def normalize(text: str | None) -> str:
    """Lower and strip a response: what the harness stores as its prediction (``tasks/pope``)."""
    return (text or "").lower().strip()


def read_yes_no(text: str | None) -> str | None:
    """Read "yes" or "no" by equality (lmms-eval ``tasks/pope/utils.py``).

    "Yes." with a full stop, "No, there is none" and everything else is unparsed, hence wrong.

    Example:
        >>> read_yes_no(" YES "), read_yes_no("Yes.")
        ('yes', None)
    """
    prediction = normalize(text)
    return prediction if prediction in {"yes", "no"} else None


def read_choice(text: str | None) -> str | None:
    """Read a letter from A to D (lmms-eval ``tasks/vstar_bench/utils.py``).

    On the upper-cased text the first pattern that matches wins, and the first one asks only for the
    first character. So "Answer: B" is A, "Choice A" is C, "Based on it, D" is B, "Dog" is D. The
    second has no word boundary: "The answer is blue" is B.

    Example:
        >>> read_choice("The answer is D"), read_choice("Answer: B"), read_choice("it is b")
        ('D', 'A', 'B')
    """
    upper = (text or "").strip().upper()
    for pattern in _LETTER_PATTERNS:
        if found := pattern.search(upper):
            return found[1]
    letters = _LETTER.findall(upper)
    return letters[0] if len(letters) == 1 else None
