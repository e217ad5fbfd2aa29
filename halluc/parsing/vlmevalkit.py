"""Reading of answers as VLMEvalKit does it without a judge model, faults included."""

import re
from collections.abc import Mapping

from halluc.parsing import official

_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_DIGIT_COMMA_DIGIT = re.compile(r"\d,\d")
_FULL_STOP = re.compile(r"\.(?!\d)")
_FULL_STOPS_REMOVED = 32
_OPTION_PUNCTUATION = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_LAST_WORDS = 4
_STATED = re.compile(r"answer\s+is\s+\**([ABCD])", re.IGNORECASE)
_API_FAILURE = "Failed to obtain answer via API"
_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)


def remove_punctuation(text: str) -> str:
    """Take punctuation out of a response.

    A mark that touches a space anywhere in the text is deleted everywhere, otherwise it becomes a
    space. A colon and an asterisk are not in its list. A full stop is deleted, so "No.There" is one
    word; and only the first 32 full stops are, since a flag is passed where a count belongs.

    Example:
        >>> remove_punctuation("no, it's (not) there."), remove_punctuation("yes/no")
        ("no it's not there", 'yes no')
    """
    delete_all = _DIGIT_COMMA_DIGIT.search(text) is not None
    cleaned = text
    for mark in _PUNCTUATION:
        touches_space = f"{mark} " in text or f" {mark}" in text
        cleaned = cleaned.replace(mark, "" if delete_all or touches_space else " ")
    return _FULL_STOP.sub("", cleaned, count=_FULL_STOPS_REMOVED)


def read_yes_no(text: str | None) -> str | None:
    """Read "yes" or "no" if exactly one of the two words occurs (``YOrN_Extraction``).

    "No: nothing" and "**No**" are unparsed, because the colon and the asterisk stay.

    Example:
        >>> read_yes_no("Yes, it is not hidden"), read_yes_no("Yes, no doubt"), read_yes_no("**No**")
        ('yes', None, None)
    """
    found = set(remove_punctuation((text or "").lower()).split()) & {"yes", "no"}
    return found.pop() if len(found) == 1 else None


def read_true_false(text: str | None) -> str | None:
    """Read "T" or "F": VLM2-Bench's comparison rule on the stripped, upper-cased text.

    Example:
        >>> read_true_false("true."), read_true_false("t or f")
        ('T', None)
    """
    return official.read_vlm2_true_false((text or "").strip().upper())


def read_choice(text: str | None, options: Mapping[str, str]) -> str | None:
    """Read the letter of an option (``can_infer``).

    The only option letter among the words, if it stands among the last four. Otherwise the letter
    after "answer is", which has no word boundary: "The answer is beagle" is B. Otherwise the only
    option whose text is contained in the answer, if the answer is at most twice as long as all
    options together. An "A" that is an article counts as a letter.

    Args:
        text: The response.
        options: Letter to option text.

    Example:
        >>> options = {"A": "red", "B": "blue"}
        >>> read_choice("I think B is right", options), read_choice("Blue", options)
        ('B', 'B')
    """
    text = text or ""
    if any(refusal in text for refusal in _REFUSALS):
        return None
    if _API_FAILURE not in text:
        found = text.translate(_OPTION_PUNCTUATION).split()
        letters = [letter for letter in options if letter in found]
        if len(letters) == 1 and found.index(letters[0]) >= len(found) - _LAST_WORDS:
            return letters[0]
        if not letters and "Z" in found:
            return None
        stated = _STATED.search(text)
        if stated and stated[1].upper() in options:
            return stated[1].upper()
    return _read_option_text(text.lower(), options)


def _read_option_text(lowered: str, options: Mapping[str, str]) -> str | None:
    """Find the only option whose text the answer contains."""
    if len(lowered) > 2 * sum(len(option) for option in options.values()):
        return None
    found = [letter for letter, option in options.items() if option.lower() in lowered]
    return found[0] if len(found) == 1 else None
