"""LongHalQA-like rows: object, description and conversation, to be judged, chosen or continued.

Reference:
    Qiu et al., LongHalQA, arXiv 2410.09962; the columns are the published ones.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from string import ascii_uppercase
from typing import Any

from halluc.miniworld.lessons.long_texts import CONVERSATION, DESCRIPTION, Genre
from halluc.miniworld.scenes.facts import Eye, Facts

Row = dict[str, Any]
OPTIONS = 4
OPTION_SIZE = 2
"""Parts of each of the texts to choose from."""


def long_text_rows(facts: Facts, rng: random.Random) -> Iterator[tuple[str, Row]]:
    """Ask one scene every task once, binary ones with a right text and with a flawed one.

    A flawed text has one wrong part; it is named in ``hallucination_type``.

    Yields:
        Task and row, without picture and id.
    """
    for task, genre, size in (
        ("lhqa_discrim_object_binary", DESCRIPTION, 1),
        ("lhqa_discrim_description_binary", DESCRIPTION, DESCRIPTION.size),
        ("lhqa_discrim_conversation_binary", CONVERSATION, CONVERSATION.size),
    ):
        yield from ((task, row) for row in _binary(genre, facts, rng, size))
    for genre in (DESCRIPTION, CONVERSATION):
        yield f"lhqa_discrim_{genre.name}_choice", _choice(genre, facts, rng)
        yield f"lhqa_complete_{genre.name}", _completion(genre, facts, rng)


def _binary(genre: Genre, facts: Facts, rng: random.Random, size: int) -> Iterator[Row]:
    flawed, part = genre.flawed_text(facts, Eye(rng), size)
    for text, answer, flaw in ((genre.true_text(facts, rng, size), "Yes", ""), (flawed, "No", part.flaw)):
        yield {"question": f"{genre.match[0]} {text}", "answer": answer, "hallucination_type": flaw}


def _choice(genre: Genre, facts: Facts, rng: random.Random) -> Row:
    right = genre.true_text(facts, rng, OPTION_SIZE)
    wrong = _different(OPTIONS - 1, lambda: genre.flawed_text(facts, Eye(rng), OPTION_SIZE)[0])
    return _lettered(genre.choose[0], right, wrong, rng)


def _completion(genre: Genre, facts: Facts, rng: random.Random) -> Row:
    *beginning, right = (part.text for part in genre.true_parts(facts, rng)[: genre.size])
    wrong = _different(OPTIONS - 1, lambda: genre.flawed_part(facts, Eye(rng)).text)
    return _lettered(f"{genre.complete[0]} {genre.join(beginning)}", right, wrong, rng)


def _different(count: int, make: Callable[[], str]) -> list[str]:
    """Call until there are so many different texts."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[make()] = None
    return list(found)


def _lettered(question: str, right: str, wrong: Sequence[str], rng: random.Random) -> Row:
    options = [right, *wrong]
    rng.shuffle(options)
    answer = ascii_uppercase[options.index(right)]
    return {"question": question, "answer": answer} | {
        f"choice_{letter.lower()}": text for letter, text in zip(ascii_uppercase, options, strict=False)
    }
