"""``<image>`` marks in a text become character offsets, and leave the text."""

from halluc.errors import RecordError

PLACEHOLDER = "<image>"
"""Mark of a picture's place in users' files."""


def place_images(text: str, count: int) -> tuple[str, tuple[int, ...]]:
    """Take the marks out of a user text.

    Args:
        text: User text with as many marks as pictures, in their order; or with none, and all pictures
            come first.
        count: Number of pictures.

    Returns:
        The text without marks and without white space at its ends, and one offset into it a picture;
        no offsets if all pictures come before the text.

    Raises:
        RecordError: If the numbers differ, or no text is left.

    Example:
        >>> place_images("<image>Is it red?", 1), place_images("Is <image> like <image>?", 2)
        (('Is it red?', ()), ('Is  like ?', (3, 9)))
    """
    first, *others = text.split(PLACEHOLDER)
    if others and len(others) != count:
        raise RecordError(
            f"{len(others)} {PLACEHOLDER} placeholders but {count} pictures. "
            "Write one a picture, or none to put all pictures first."
        )
    bare = first + "".join(others)
    prompt = bare.strip()
    if not prompt:
        raise RecordError("the user text is empty.")
    if not "".join([first, *others[:-1]]).strip():
        return prompt, ()
    lead = len(bare) - len(bare.lstrip())
    offsets, place = [], len(first)
    for part in others:
        offsets.append(min(max(place - lead, 0), len(prompt)))
        place += len(part)
    return prompt, tuple(offsets)


def mark_images(prompt: str, offsets: tuple[int, ...]) -> str:
    """Put the marks back where ``place_images`` found them; no offsets give the text as it is.

    Example:
        >>> mark_images("Is  like ?", (3, 9))
        'Is <image> like <image>?'
    """
    for offset in sorted(offsets, reverse=True):
        prompt = prompt[:offset] + PLACEHOLDER + prompt[offset:]
    return prompt
