"""Which reader each profile has for each kind of answer: text and answer space in, text out."""

from collections.abc import Callable, Mapping

from halluc.data.records import AnswerKind, AnswerSpace
from halluc.parsing import lmms_eval, official, strict, vlmevalkit
from halluc.parsing.profiles import LMMS_EVAL, OFFICIAL, STRICT, VLMEVALKIT

TextReader = Callable[[str | None], str | None]
SpaceReader = Callable[[str | None, AnswerSpace], str | None]


def _plain(read: TextReader) -> SpaceReader:
    """Let a reader that needs only the text take the answer space too."""
    return lambda text, space: read(text)


def _number(read: Callable[[str | None], int | None]) -> SpaceReader:
    """Make a reader of counts return its number as text."""

    def read_text(text: str | None, space: AnswerSpace) -> str | None:
        value = read(text)
        return None if value is None else str(value)

    return read_text


def _candidate(read: TextReader) -> SpaceReader:
    """Keep only what is a candidate; a script's "(A" compares unequal to every gold answer anyway."""

    def read_candidate(text: str | None, space: AnswerSpace) -> str | None:
        value = read(text)
        return value if value in space.candidates else None

    return read_candidate


def read_strict_choice(text: str | None, space: AnswerSpace) -> str | None:
    """Read a letter strictly; A to D are read even where fewer are offered, so they count as wrong."""
    return strict.read_choice(text, max("ABCD", "".join(space.candidates), key=len))


YES_NO: Mapping[str, TextReader] = {
    STRICT: strict.read_yes_no,
    OFFICIAL: official.read_pope,
    LMMS_EVAL: lmms_eval.read_yes_no,
    VLMEVALKIT: vlmevalkit.read_yes_no,
}
"""Yes/no answers; ``official`` is POPE's word rule."""

VLM2: Mapping[str, Mapping[AnswerKind, SpaceReader]] = {
    STRICT: {
        AnswerKind.YES_NO: _plain(strict.read_yes_no),
        AnswerKind.TRUE_FALSE: _plain(strict.read_true_false),
        AnswerKind.COUNT: _number(strict.read_count),
        AnswerKind.CHOICE: read_strict_choice,
    },
    OFFICIAL: {
        AnswerKind.YES_NO: _plain(official.read_pope),
        AnswerKind.TRUE_FALSE: _plain(official.read_vlm2_true_false),
        AnswerKind.COUNT: _number(official.read_vlm2_count),
        AnswerKind.CHOICE: _candidate(official.read_vlm2_option),
    },
    VLMEVALKIT: {
        AnswerKind.YES_NO: _plain(vlmevalkit.read_yes_no),
        AnswerKind.TRUE_FALSE: _plain(vlmevalkit.read_true_false),
        AnswerKind.COUNT: _number(official.read_vlm2_count),
        AnswerKind.CHOICE: _candidate(official.read_vlm2_option),
    },
}
"""Answers of VLM2-Bench by their kind. VLMEvalKit counts and groups as the official scripts do, and has
no fine questions: they are read by its own yes/no rule."""

VLM2_CHANGE: Mapping[str, SpaceReader] = {
    **{profile: readers[AnswerKind.TRUE_FALSE] for profile, readers in VLM2.items()},
    OFFICIAL: _plain(official.read_vlm2_change),
}
"""True/false answers of VLM2-Bench's general-cue subtasks, which the official script reads by equality."""

LONGHALQA: Mapping[str, Mapping[AnswerKind, SpaceReader]] = {
    STRICT: {
        AnswerKind.YES_NO: _plain(strict.read_yes_no),
        AnswerKind.CHOICE: read_strict_choice,
    },
    OFFICIAL: {
        AnswerKind.YES_NO: _plain(official.read_longhalqa_yes_no),
        AnswerKind.CHOICE: _candidate(official.read_longhalqa_choice),
    },
}
"""Answers of LongHalQA by their kind."""


def read_vlmevalkit_choice(text: str | None, space: AnswerSpace) -> str | None:
    """Read a letter as VLMEvalKit does, which needs the option texts."""
    return vlmevalkit.read_choice(text, dict(zip(space.candidates, space.options, strict=True)))


VSTAR: Mapping[str, SpaceReader] = {
    STRICT: read_strict_choice,
    OFFICIAL: _plain(lmms_eval.read_choice),
    LMMS_EVAL: _plain(lmms_eval.read_choice),
    VLMEVALKIT: read_vlmevalkit_choice,
}
"""Letters of V*-Bench; no parser was published with it, so ``official`` is lmms-eval's."""

AMBER: Mapping[str, TextReader] = {
    STRICT: strict.read_yes_no,
    OFFICIAL: official.read_amber,
    VLMEVALKIT: vlmevalkit.read_yes_no,
}
"""Yes/no answers of AMBER's discriminative part."""
