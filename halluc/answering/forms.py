"""The ways in which a model may begin to say each allowed answer."""

from collections.abc import Callable, Mapping, Sequence

from halluc.data.records import AnswerKind, AnswerSpace

_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)


def surface_forms(space: AnswerSpace) -> Mapping[str, tuple[str, ...]]:
    """List the spellings of each candidate.

    Yes, no, true and false in three cases of letters, T and F as they are; letters of options as they
    are; counts as digits, and up to twenty as words. Whether a space stands before them is a matter of
    the chat template, not of the spelling.

    Args:
        space: A closed answer space.

    Returns:
        Candidate to spellings, in the order of the candidates.
    """
    return {candidate: _FORMS.get(space.kind, _as_is)(candidate) for candidate in space.candidates}


def _as_is(candidate: str) -> tuple[str, ...]:
    return (candidate,)


def _yes_no(candidate: str) -> tuple[str, ...]:
    return (candidate.capitalize(), candidate.lower(), candidate.upper())


def _true_false(candidate: str) -> tuple[str, ...]:
    return (candidate, *_yes_no({"T": "true", "F": "false"}[candidate]))


def _count(candidate: str) -> tuple[str, ...]:
    number = int(candidate)
    if number >= len(_NUMBER_WORDS):
        return (candidate,)
    return (candidate, _NUMBER_WORDS[number], _NUMBER_WORDS[number].capitalize())


_FORMS: Mapping[AnswerKind, Callable[[str], tuple[str, ...]]] = {
    AnswerKind.YES_NO: _yes_no,
    AnswerKind.TRUE_FALSE: _true_false,
    AnswerKind.COUNT: _count,
}


def distinct(forms: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Drop token sequences that begin with another one of the list, equal ones included.

    The probability of beginning with the shorter one already holds theirs.
    """
    kept: list[tuple[int, ...]] = []
    for tokens in sorted(set(forms), key=lambda tokens: (len(tokens), forms.index(tokens))):
        if not any(tokens[: len(shorter)] == shorter for shorter in kept):
            kept.append(tokens)
    return kept


def ambiguous(forms: Mapping[str, Sequence[tuple[int, ...]]]) -> bool:
    """Return whether a spelling of one candidate begins with a spelling of another, as 10 with 1."""
    owned = [(tokens, candidate) for candidate, spellings in forms.items() for tokens in spellings]
    return any(
        long[: len(short)] == short for short, owner in owned for long, other in owned if owner != other
    )
