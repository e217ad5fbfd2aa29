"""Strict reading of answers: the project's own rules, which never guess.

What the rules do not settle is unparsed (None). The scores then count it as wrong, never as "yes",
and report its share. No public harness reads like this; the rules have no upstream counterpart.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from halluc.parsing.numerals import NUMBER_WORDS, whole_number

YES_WORDS = frozenset({"yes", "yeah", "yep", "yup"})
NO_WORDS = frozenset({"no", "nope", "nah"})
TRUTH_WORDS = {"t": "T", "true": "T", "f": "F", "false": "F"}

_THINKING = re.compile(r"<think>.*?</think>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
_NUMBER = re.compile(r"([0-9]+)(?:\.([0-9]+))?")
_APOSTROPHES = str.maketrans("‘’", "''")
_EMPHASIS = str.maketrans("", "", '*_`"“”')


def clean(text: str | None) -> str:
    """Prepare a response for all strict readers.

    A missing text is empty. The text is normalised to NFKC, curly apostrophes become straight, every
    ``<think>…</think>`` block is deleted and every other tag becomes a space.

    Example:
        >>> clean("<think>a cat? no</think><b>Yes</b>").strip()
        'Yes'
    """
    text = unicodedata.normalize("NFKC", text or "").translate(_APOSTROPHES)
    return _TAG.sub(" ", _THINKING.sub("", text))


def words(text: str | None) -> list[str]:
    """Split a response into its lower-case words; "can't" is one word.

    Example:
        >>> words("I can't tell.")
        ['i', "can't", 'tell']
    """
    return _WORD.findall(clean(text).casefold())


def read_yes_no(text: str | None) -> str | None:
    """Read "yes" or "no".

    The first word decides if it is a yes word or a no word. Otherwise the words of exactly one of the
    two sets must occur anywhere. "Not", "cannot" and "none" are deliberately no evidence.

    Example:
        >>> read_yes_no("Yes, no doubt"), read_yes_no("There is no dog."), read_yes_no("I cannot say")
        ('yes', 'no', None)
    """
    found = words(text)
    if not found:
        return None
    if found[0] in YES_WORDS:
        return "yes"
    if found[0] in NO_WORDS:
        return "no"
    has_yes = not YES_WORDS.isdisjoint(found)
    has_no = not NO_WORDS.isdisjoint(found)
    if has_yes == has_no:
        return None
    return "yes" if has_yes else "no"


def read_true_false(text: str | None) -> str | None:
    """Read "T" or "F": exactly one distinct value among the words t, true, f, false.

    Example:
        >>> read_true_false("T (True)"), read_true_false("I can't tell"), read_true_false("T or F")
        ('T', None, None)
    """
    found = {TRUTH_WORDS[word] for word in words(text) if word in TRUTH_WORDS}
    return found.pop() if len(found) == 1 else None


def read_count(text: str | None) -> int | None:
    """Read a whole number: exactly one distinct value among all digits and number words.

    Every number word stands on its own, so "twenty one" is two values and unparsed. The result may
    lie outside what the question allows.

    Example:
        >>> read_count("two (2)"), read_count("1.0"), read_count("one or two")
        (2, 1, None)
    """
    text = clean(text).casefold()
    found = {(NUMBER_WORDS[word], "") for word in _WORD.findall(text) if word in NUMBER_WORDS}
    found |= {(whole_number(whole), part.rstrip("0")) for whole, part in _NUMBER.findall(text)}
    if len(found) != 1:
        return None
    value, fraction = found.pop()
    return None if fraction else value


def read_choice(text: str | None, letters: str = "ABCD") -> str | None:
    """Read the letter of one option.

    The first of these that speaks decides: the whole text is one letter; two different letters are
    joined by a comma or "or" (unparsed); a letter after "answer", "option" or "choice"; a letter in
    brackets or marked as in a list; a bare capital other than the first, which may be an article.
    Wherever a step finds two different letters the answer is unparsed.

    Args:
        text: The response.
        letters: The capital letters of the options, in order.

    Example:
        >>> read_choice("The answer is (B)."), read_choice("A or B"), read_choice("A dog, so C")
        ('B', None, 'C')
    """
    text = clean(text).translate(_EMPHASIS).strip(" \t\r\n'")
    rules = _choice_rules(letters)
    if whole := rules.whole.fullmatch(text):
        return whole[1].upper()
    if any(match[1] != match[2] for match in rules.joined.finditer(text)):
        return None
    for step in (rules.stated, rules.marked, rules.bare):
        found = {match[match.lastindex or 0].upper() for match in step.finditer(text)}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


@dataclass(frozen=True, slots=True)
class _ChoiceRules:
    """Hold the compiled steps of ``read_choice``; group 1, or the last that matched, is the letter."""

    whole: re.Pattern[str]
    joined: re.Pattern[str]
    stated: re.Pattern[str]
    marked: re.Pattern[str]
    bare: re.Pattern[str]


@lru_cache
def _choice_rules(letters: str) -> _ChoiceRules:
    r"""Compile the steps for one set of letters.

    A letter is free on a side where no letter, digit or apostrophe stands; the underscore, which
    ``\w`` matches too, has been deleted before.
    """
    upper, either = f"[{letters}]", f"[{letters}{letters.lower()}]"
    bracketed = rf"\(({either})\)|\[({either})\]"
    left, right = r"(?<![\w'])", r"(?![\w'])"
    link = r"\)?\s*(?:[,/&]|\b(?:or|and)\b)\s*\(?"
    return _ChoiceRules(
        whole=re.compile(rf"[(\[{{]?\s*({either})\s*[)\]}}]?\s*[.:,;!]?"),
        joined=re.compile(rf"{left}({upper})(?={link}({upper}){right})"),
        stated=re.compile(
            rf"{left}(?i:answer|option|choice){right}\s*(?:(?i:is){right})?\s*:?\s*"
            rf"(?:{bracketed}|({upper}){right})"
        ),
        marked=re.compile(rf"{bracketed}|(?<!\S)({either})\)(?!\S)|(?<!\S)({upper})[.:](?!\S)"),
        bare=re.compile(rf"{left}([{letters[1:] or letters}]){right}"),
    )
