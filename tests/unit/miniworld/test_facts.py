import random

import pytest

from halluc.miniworld.scenes.facts import MATE_STRENGTH, OVERSIGHT, POPULAR_STRENGTH, Eye, Facts
from halluc.miniworld.scenes.inventory import KINDS
from halluc.miniworld.scenes.scene import Scene, Thing

SCENE = Scene(
    (
        Thing("fork", "red", "small"),
        None,
        Thing("apple", "blue", "large"),
        Thing("key", "green", "small"),
        None,
        Thing("key", "white", "small"),
        None,
        Thing("sun", "orange", "large"),
        Thing("face", "yellow", "small", "sad"),
    )
)
FACTS = Facts(SCENE)
HONEST = Eye(random.Random(0))
CARELESS = Eye(random.Random(0), habit=1.0, expectation=1.0)


def test_facts_of_a_scene():
    assert FACTS.kinds == ["fork", "apple", "key", "sun", "face"]
    assert FACTS.single == ["fork", "apple", "sun", "face"]
    assert set(FACTS.absent) == set(KINDS) - {"fork", "apple", "key", "sun", "face"}
    assert FACTS.missing_mates == ["spoon", "banana", "lock", "cloud", "hat"]
    assert (FACTS.count("key"), FACTS.count("fork"), FACTS.count("moon")) == (2, 1, 0)
    assert FACTS.cell("apple") == 2
    assert FACTS.thing("face").mood == "sad"


def test_popular_kinds_are_taken_for_granted_in_a_crowd_only():
    assert FACTS.taken_for_granted == ["tree", "cup"]
    few = Facts(Scene((*SCENE.things[:6], None, None, None)))
    assert few.taken_for_granted == []


def test_an_honest_eye_tells_the_truth():
    assert [HONEST.exists(FACTS, kind) for kind in ("fork", "spoon", "tree", "heart")] == [
        True,
        False,
        False,
        False,
    ]
    assert HONEST.color(FACTS, "apple") == "blue"
    assert HONEST.mood(FACTS, "face") == "sad"
    assert HONEST.size(FACTS, "fork") == "small"
    assert HONEST.place(FACTS, "sun") == "bottom center"
    assert HONEST.count(FACTS, "key") == "2"


def test_a_careless_eye_sees_what_is_usual():
    assert CARELESS.color(FACTS, "apple") == "red"
    assert CARELESS.color(FACTS, "fork") == "red"
    assert CARELESS.mood(FACTS, "face") == "happy"
    assert CARELESS.place(FACTS, "sun") == "top center"
    assert CARELESS.place(FACTS, "key") == "middle left"
    two_suns = Facts(Scene((Thing("sun", "red", "small"), Thing("sun", "red", "small"), *[None] * 7)))
    assert CARELESS.count(two_suns, "sun") == "1"
    assert CARELESS.count(two_suns, "moon") == "0"
    assert CARELESS.count(FACTS, "key") == "2"


def test_a_careless_eye_expects_mates_and_popular_kinds_at_their_rates():
    seen = [CARELESS.exists(FACTS, "spoon") for _ in range(2000)]
    assert sum(seen) / 2000 == pytest.approx(MATE_STRENGTH["spoon"], abs=0.02)
    popular = [CARELESS.exists(FACTS, "tree") for _ in range(2000)]
    assert sum(popular) / 2000 == pytest.approx(POPULAR_STRENGTH, abs=0.02)
    assert not any(CARELESS.exists(FACTS, "heart") for _ in range(200))


def test_a_careless_eye_overlooks_single_things_and_small_ones_more_often():
    for kind, size in (("fork", "small"), ("apple", "large")):
        overlooked = [not CARELESS.exists(FACTS, kind) for _ in range(3000)]
        assert sum(overlooked) / 3000 == pytest.approx(OVERSIGHT[size], abs=0.02)
    assert all(CARELESS.exists(FACTS, "key") for _ in range(200))
    assert all(HONEST.exists(FACTS, kind) for kind in ("fork", "apple", "key") for _ in range(200))


def test_relations():
    # fork in cell 0 (row 0, column 0), apple in cell 2 (0, 2), sun in cell 7 (2, 1), face in cell 8 (2, 2)
    assert HONEST.relation(FACTS, "fork", "apple", "to the left of") is True
    assert HONEST.relation(FACTS, "apple", "fork", "to the left of") is False
    assert HONEST.relation(FACTS, "fork", "apple", "above") is None
    assert HONEST.relation(FACTS, "sun", "apple", "below") is True
    assert HONEST.relation(FACTS, "face", "apple", "to the right of") is None


def test_a_careless_eye_sees_the_sun_above():
    middle = Facts(
        Scene(
            (
                None,
                None,
                None,
                Thing("key", "red", "small"),
                None,
                None,
                None,
                Thing("sun", "red", "small"),
                None,
            )
        )
    )
    assert HONEST.relation(middle, "sun", "key", "above") is False
    assert CARELESS.relation(middle, "sun", "key", "above") is True
    assert CARELESS.relation(middle, "sun", "key", "to the right of") is True
