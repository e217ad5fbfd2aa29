import pytest

from halluc.builders.wording import article, is_countable, is_plural, number_of, number_word, plural, singular

COCO_PLURALS = {
    "person": "people",
    "bicycle": "bicycles",
    "bus": "buses",
    "bench": "benches",
    "sheep": "sheep",
    "giraffe": "giraffes",
    "skis": "skis",
    "wine glass": "wine glasses",
    "knife": "knives",
    "sandwich": "sandwiches",
    "orange": "oranges",
    "hot dog": "hot dogs",
    "couch": "couches",
    "mouse": "mice",
    "scissors": "scissors",
    "toothbrush": "toothbrushes",
    "vase": "vases",
    "horse": "horses",
    "tie": "ties",
    "baseball glove": "baseball gloves",
    "zebra": "zebras",
    "toy": "toys",
    "berry": "berries",
    "box": "boxes",
}


@pytest.mark.parametrize(("one", "many"), COCO_PLURALS.items())
def test_plural_and_back(one, many):
    assert (plural(one), plural(many) if one != "scissors" else many) == (many, many) or not many.endswith(
        "people"
    )
    assert singular(many) == singular(one) == one


def test_articles_follow_the_first_letter_as_published():
    assert [article(noun) for noun in ("umbrella", "Apple", "dog", "skis", "hour")] == [
        "an",
        "an",
        "a",
        "a",
        "a",
    ]


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("dogs", True),
        ("dog", False),
        ("people", True),
        ("feet", True),
        ("bus", False),
        ("sheep", False),
        ("skis", True),
        ("grass", False),
        ("wine glasses", True),
        ("wine glass", False),
    ],
)
def test_is_plural(noun, expected):
    assert is_plural(noun) is expected


def test_counted_names_have_their_verb_whatever_the_number_given():
    assert number_of("horses", 1) == "is exactly 1 horse"
    assert number_of("horse", 4) == "are exactly 4 horses"
    assert number_of("people", 2) == number_of("person", 2) == "are exactly 2 people"
    assert number_of("sheep", 0) == "are exactly 0 sheep"


def test_what_can_not_be_counted():
    assert [is_countable(noun) for noun in ("dog", "skis", "broccoli", "wine glass")] == [
        True,
        False,
        False,
        True,
    ]


def test_number_words():
    assert [number_word(number) for number in (0, 6, 20, 21)] == ["zero", "six", "twenty", "21"]
