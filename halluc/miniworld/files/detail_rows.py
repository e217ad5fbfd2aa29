"""V*-like rows: the colour of a small thing, or the side it is on, with options in the question's text.

Reference:
    Wu and Xie, V*, arXiv 2312.14135; the layout is that of its ``test_questions.jsonl``.
"""

import random
from string import ascii_uppercase
from typing import Any

from halluc.miniworld.lessons import wording
from halluc.miniworld.lessons.choice_lessons import draw_detail
from halluc.miniworld.scenes.facts import Eye, Facts

Row = dict[str, Any]


def detail_row(category: str, facts: Facts, rng: random.Random) -> Row | None:
    """Make a row without its picture and id.

    Args:
        category: ``direct_attributes`` (four options) or ``relative_position`` (two).
        facts: The scene.
        rng: Source of every choice.

    Returns:
        The row; None if the scene offers no subject.
    """
    drawn = draw_detail(facts, Eye(rng), category)
    if drawn is None:
        return None
    question, right, wrong = drawn
    options = [right, *wrong]
    rng.shuffle(options)
    lines = [f"({letter}) {text}" for letter, text in zip(ascii_uppercase, options, strict=False)]
    return {
        "text": "\n".join([question, *lines, wording.LETTER_ONLY]),
        "category": category,
        "label": ascii_uppercase[options.index(right)],
    }
