"""How the options of a multiple-choice question are written, and put into another order."""

import random
from collections.abc import Sequence
from string import ascii_uppercase

CHOICE_SUFFIX = "\nAnswer with the option's letter from the given choices directly."
"""The letter instruction of lmms-eval."""


def render_options(options: Sequence[str]) -> str:
    r"""Write options as lines to follow a question.

    Example:
        >>> render_options(["cat", "dog"])
        '\nA. cat\nB. dog'
    """
    return "".join(f"\n{letter}. {text}" for letter, text in zip(ascii_uppercase, options, strict=False))


def option_order(count: int, seed: int, key: str) -> tuple[int, ...]:
    """Draw an order of options from the seed and the question's id alone.

    Args:
        count: Number of options.
        seed: Seed of the whole file.
        key: Id of the question.

    Returns:
        For each new place, the old index of the option that stands there.
    """
    order = list(range(count))
    random.Random(f"{seed}/{key}").shuffle(order)
    return tuple(order)
