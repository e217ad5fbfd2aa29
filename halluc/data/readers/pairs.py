"""From an entry with two answers to a preference: what makes a pair, and what makes none."""

from halluc.data.readers.entry import Entry
from halluc.data.records import Preference
from halluc.errors import RecordError


def has_rejected(entry: Entry) -> bool:
    """Say whether a row was written as a preference at all."""
    return "rejected" in entry.row.fields or "rejected_response" in entry.row.fields


def is_without_signal(entry: Entry) -> bool:
    """Say whether both sides are the same, so that nothing can be learnt from the pair.

    Equal answers are a pair only where the worse side is asked about other pictures.
    """
    same_answer = entry.rejected is not None and entry.rejected.strip() == entry.answer.strip()
    return same_answer and entry.rejected_images in (None, entry.question.images)


def differs_in_case_only(entry: Entry) -> bool:
    """Say whether the answers differ in capitals alone, which teaches spelling rather than seeing."""
    rejected = (entry.rejected or "").strip()
    return rejected.casefold() == entry.answer.strip().casefold() and rejected != entry.answer.strip()


def to_preference(entry: Entry) -> Preference:
    """Make the preference.

    Raises:
        RecordError: If the rejected answer is missing or blank, or the number of its pictures differs
            from the number that the prompt places.
    """
    if entry.rejected is None:
        found = "blank" if has_rejected(entry) else "missing"
        raise RecordError(
            f"rejected is {found}. Write it, or build pairs with `python -m halluc build pairs`."
        )
    if entry.rejected_images is not None and len(entry.rejected_images) != len(entry.question.images):
        raise RecordError(
            f"{len(entry.rejected_images)} rejected_images for {len(entry.question.images)} images; "
            "expected as many."
        )
    return Preference(
        question=entry.question,
        chosen=entry.answer,
        rejected=entry.rejected,
        rejected_images=entry.rejected_images,
        weight=entry.weight,
    )
