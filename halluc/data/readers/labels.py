"""Yes, no, true and false in the forms that people write them."""

import re
import unicodedata

from halluc.data.records import AnswerSpace
from halluc.errors import RecordError

_QUESTION = re.compile(
    r"(?:^|[.!?:\n])\s*(?:(?:is|are|was|were|do|does|did|has|have|had)\b"
    r"|(?:can|could|will|would|should)\b(?!\s+you\b))(?P<rest>[^.!?\n]*)\?",
    re.IGNORECASE,
)
_TRUE_FALSE = re.compile(r"\bT or F\b|\btrue or false\b|\btrue/false\b|\bT/F\b", re.IGNORECASE)
_PLAIN = re.compile(r"(yes|no)[.!]?")
_SENTENCE = re.compile(r"(yes|no)(?:[.,;:!]|\s+[-–—]\s).*", re.DOTALL)
_SHORT_FORMS = {"true": "yes", "t": "yes", "y": "yes", "false": "no", "f": "no", "n": "no"}
_TRUE_FALSE_FORMS = {"true": "T", "t": "T", "false": "F", "f": "F"}
_NUMBERS = {0: "no", 1: "yes"}

Label = tuple[AnswerSpace, str | None, str]
"""Answer space, gold answer (None for free text) and the text to be learnt."""


def asks_yes_no(prompt: str) -> bool:
    """Say whether a text holds a question that wants yes or no: "Is there …?", but no "… or …?"."""
    return any(" or " not in found["rest"] for found in _QUESTION.finditer(prompt))


def read_label(answer: object, prompt: str, *, must_be_yes_no: bool = False) -> Label:
    """Tell a yes/no or true/false answer from free text.

    The text to be learnt stays as it was written; a boolean, or 0 and 1 to a yes/no question, becomes
    "Yes" or "No". Longer sentences ("Yes, there is."), and the short forms true, T, Y, … count as yes or
    no where the prompt asks a yes/no question. If the prompt asks for "T or F", so does the answer space.

    Args:
        answer: Text, a boolean or a number.
        prompt: The user text.
        must_be_yes_no: Whether anything but yes and no is an error, whatever the prompt asks.

    Returns:
        Answer space, gold answer, and the text to be learnt.

    Raises:
        RecordError: If the answer is empty or of another type; or if one word or a number, neither yes
            nor no, answers a yes/no question.
    """
    polar = must_be_yes_no or asks_yes_no(prompt)
    if isinstance(answer, bool):
        return _yes_no("yes" if answer else "no", None)
    if isinstance(answer, int) and polar and answer in _NUMBERS:
        return _yes_no(_NUMBERS[answer], None)
    written = _as_text(answer)
    text = unicodedata.normalize("NFKC", written).strip().casefold()
    if _TRUE_FALSE.search(prompt) and not must_be_yes_no and text.rstrip(".") in _TRUE_FALSE_FORMS:
        return AnswerSpace.true_false(), _TRUE_FALSE_FORMS[text.rstrip(".")], written
    found = _PLAIN.fullmatch(text) or (_SENTENCE.fullmatch(text) if polar else None)
    if found:
        return _yes_no(found[1], written)
    if polar and text.rstrip(".") in _SHORT_FORMS:
        return _yes_no(_SHORT_FORMS[text.rstrip(".")], written)
    if must_be_yes_no or (polar and len(text.split()) == 1 and not _TRUE_FALSE.search(prompt)):
        raise RecordError(
            f"answer {answer!r} to a yes/no question is neither yes nor no. "
            "Correct it, or set answer_space=text."
        )
    return AnswerSpace.text(), None, written


def _as_text(answer: object) -> str:
    if isinstance(answer, str) and answer.strip():
        return answer
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return str(answer)
    raise RecordError(f"answer is {answer!r}; expected text.")


def _yes_no(gold: str, written: str | None) -> Label:
    return AnswerSpace.yes_no(), gold, gold.capitalize() if written is None else written
