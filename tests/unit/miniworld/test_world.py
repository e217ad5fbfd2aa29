from halluc.builders import wording as builders
from halluc.miniworld.scenes.inventory import (
    KINDS,
    MATES,
    PAIRS,
    POPULAR_KINDS,
    POPULARITY,
    plural,
    with_article,
)


def test_every_kind_has_one_mate_and_mates_are_mutual():
    assert len(KINDS) == len(set(KINDS)) == 2 * len(PAIRS)
    assert all(MATES[MATES[kind]] == kind != MATES[kind] for kind in KINDS)


def test_words_agree_with_the_builders_english():
    for kind in KINDS:
        assert plural(kind) == builders.plural(kind)
        assert with_article(kind) == f"{builders.article(kind)} {kind}"


def test_popular_kinds_are_the_most_frequent_ones():
    least = min(POPULARITY[kind] for kind in POPULAR_KINDS)
    assert all(POPULARITY[kind] < least for kind in KINDS if kind not in POPULAR_KINDS)
