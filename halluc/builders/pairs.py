"""Preference pairs from samples with a closed answer space: the worse answer looks like the right one."""

import random
import re
from collections.abc import Iterable
from string import ascii_uppercase

from halluc.data.records import AnswerKind, Preference, Question, Sample
from halluc.errors import RecordError

_OPPOSITE = {"yes": "no", "true": "false", "t": "f", "y": "n"}
_OPPOSITE |= {wrong: right for right, wrong in _OPPOSITE.items()}
_ONE_WORD = re.compile(r"(\W*)(\w+)(\W*)")
_AFFIRMED = re.compile(r"yes, (\w+) (is|are|was|were|does|do|did|has|have|can)(\.?)", re.IGNORECASE)
_DENIED = re.compile(
    r"no, (\w+) (is|are|was|were|does|do|did|has|have|can) ?(?:not|n['’]t)(\.?)", re.IGNORECASE
)
_LETTERED = re.compile(r"(\W*)([A-Za-z])(\W+)(\S.*)")


def build_pairs(samples: Iterable[Sample], seed: int = 0) -> tuple[list[Preference], list[str]]:
    """Pair each sample's answer with a wrong one.

    Args:
        samples: Samples; those of free text can't be paired.
        seed: Seed of the choice among several wrong options.

    Returns:
        The preferences, and one line for each sample without one, with its id and the reason.
    """
    preferences, problems = [], []
    for sample in samples:
        try:
            preferences.append(to_preference(sample, seed))
        except RecordError as error:
            problems.append(str(error))
    return preferences, problems


def to_preference(sample: Sample, seed: int = 0) -> Preference:
    """Pair an answer with a wrong one in the same surface form: "Yes." with "No.", "(b)" with "(c)".

    Args:
        sample: A sample with a closed answer space.
        seed: Seed of the choice among several wrong options, with the sample's id.

    Raises:
        RecordError: If the answer space is open, or the answer's form is not understood; names the id.

    Example:
        >>> from halluc.data.records import AnswerSpace
        >>> question = Question(id="1", images=(), prompt="Red?", space=AnswerSpace.yes_no(), gold="yes")
        >>> to_preference(Sample(question=question, answer="Yes.")).rejected
        'No.'
    """
    question = sample.question
    wrong = _wrong_answer(sample.answer.strip(), question, random.Random(f"{seed}/{question.id}"))
    if wrong is None:
        raise RecordError(
            f"{question.id}: no wrong answer is known to {sample.answer!r} ({question.space.kind.value}). "
            "Write rejected by hand, or leave the row to supervised training."
        )
    return Preference(question=question, chosen=sample.answer, rejected=wrong, weight=sample.weight)


def _wrong_answer(answer: str, question: Question, draw: random.Random) -> str | None:
    kind = question.space.kind
    if kind in (AnswerKind.YES_NO, AnswerKind.TRUE_FALSE):
        return _opposite(answer)
    others = [candidate for candidate in question.space.candidates if candidate != question.gold]
    if question.gold is None or not others:
        return None
    other = draw.choice(others)
    if kind is AnswerKind.COUNT:
        return answer.replace(question.gold, other) if answer.rstrip(".") == question.gold else None
    return _other_option(answer, question, other) if kind is AnswerKind.CHOICE else None


def _opposite(answer: str) -> str | None:
    word = _ONE_WORD.fullmatch(answer)
    if word and word[2].casefold() in _OPPOSITE:
        return word[1] + _in_case_of(word[2], _OPPOSITE[word[2].casefold()]) + word[3]
    affirmed, denied = _AFFIRMED.fullmatch(answer), _DENIED.fullmatch(answer)
    if affirmed:
        return f"{_in_case_of(answer[:3], 'no')}, {affirmed[1]} {affirmed[2]} not{affirmed[3]}"
    if denied:
        return f"{_in_case_of(answer[:2], 'yes')}, {denied[1]} {denied[2]}{denied[3]}"
    return None


def _other_option(answer: str, question: Question, other: str) -> str | None:
    options = question.space.options
    gold_text = options[ascii_uppercase.index(question.gold or "A")]
    other_text = options[ascii_uppercase.index(other)]
    if answer.casefold() == gold_text.casefold():
        return other_text
    letter = _ONE_WORD.fullmatch(answer)
    if letter and letter[2].upper() == question.gold:
        return letter[1] + _in_case_of(letter[2], other) + letter[3]
    both = _LETTERED.fullmatch(answer)
    if both and both[2].upper() == question.gold and both[4].casefold() == gold_text.casefold():
        return both[1] + _in_case_of(both[2], other) + both[3] + other_text
    return None


def _in_case_of(model: str, word: str) -> str:
    if model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word.lower()
