import pytest

from halluc.builders.gated import build_gated
from halluc.errors import RecordError

COARSE = {"type": "true_false", "question": "Same dog? Answer T or F.", "gold": "T"}


def item(image: int, subject: str, attribute: str, value: object, **more: object) -> dict:
    return {"image": image, "subject": subject, "attribute": attribute, "value": value, **more}


def row(*attributes: dict, **more: object) -> dict:
    images = ["a.jpg", "b.jpg"]
    return {"sequence_id": "s1", "images": images, "coarse": COARSE, "attributes": list(attributes), **more}


def build(*rows: dict) -> list[dict]:
    return build_gated((f"f.jsonl:{number}", one) for number, one in enumerate(rows, start=1))


def fine(*attributes: dict) -> list[tuple[str, str]]:
    return [(question["question"], question["gold"]) for question in build(row(*attributes))[0]["fine"]]


def test_record_by_hand():
    (record,) = build(row(item(0, "dog", "colour", "red"), item(1, "dog", "color", "blue"), task="pets"))
    assert record == {
        "sequence_id": "s1",
        "task": "pets",
        "images": ["a.jpg", "b.jpg"],
        "coarse": COARSE,
        "fine": [
            {"question": "Is the dog in picture 1 red?", "gold": "yes", "attribute": "color", "image": 0},
            {"question": "Is the dog in picture 1 blue?", "gold": "no", "attribute": "color", "image": 0},
            {"question": "Is the dog in picture 2 blue?", "gold": "yes", "attribute": "color", "image": 1},
            {"question": "Is the dog in picture 2 red?", "gold": "no", "attribute": "color", "image": 1},
        ],
    }


def test_the_same_subject_of_a_sibling_comes_first():
    asked = fine(
        item(0, "dogs", "color", "red"), item(1, "cat", "color", "blue"), item(1, "dog", "color", "pink")
    )
    assert asked[1] == ("Are the dogs in picture 1 pink?", "no")


def test_a_value_that_the_picture_shows_is_never_wrong():
    asked = fine(
        item(0, "dog", "color", "gray"),
        item(0, "cat", "color", "blue"),
        item(1, "dog", "color", "Grey"),
        item(1, "cat", "color", "blue"),
    )
    # of gray, blue is the most confusable, but something blue is in the picture; white is next
    assert asked[1] == ("Is the dog in picture 1 white?", "no")


def test_numbers_come_from_the_same_subject_or_are_near():
    asked = fine(
        item(0, "horses", "number", "4"), item(1, "horse", "number", 1), item(1, "dogs", "number", "two")
    )
    assert asked == [
        ("Are there exactly 4 horses in picture 1?", "yes"),
        ("Is there exactly 1 horse in picture 1?", "no"),
        ("Is there exactly 1 horse in picture 2?", "yes"),
        ("Are there exactly 4 horses in picture 2?", "no"),
        ("Are there exactly 2 dogs in picture 2?", "yes"),
        ("Are there exactly 3 dogs in picture 2?", "no"),
    ]


def test_equal_numbers_need_a_near_one():
    assert (
        fine(item(0, "dog", "number", 2), item(1, "dogs", "number", 2))[1][0]
        == "Are there exactly 3 dogs in picture 1?"
    )


def test_text_and_pattern():
    asked = fine(item(0, "sign", "text", "STOP"), item(1, "zebra", "pattern", "striped"))
    assert [question for question, gold in asked if gold == "no"] == [
        'Does the sign in picture 1 read "STOR"?',
        "Is the zebra in picture 2 checkered?",
    ]


def test_a_wrong_value_by_hand_wins():
    assert fine(item(0, "dog", "mood", "happy", wrong="sad"), item(1, "cat", "mood", "calm", wrong="angry"))[
        1
    ] == (
        "Is the dog in picture 1 sad?",
        "no",
    )


def test_values_from_elsewhere_in_the_file():
    first = row(item(0, "dog", "mood", "happy"))
    second = row(item(0, "cat", "mood", "sleepy"), item(1, "cat", "mood", "sleepy"), sequence_id="s2")
    records = build(first, second)
    assert records[0]["fine"][1]["question"] == "Is the dog in picture 1 sleepy?"
    assert records[1]["fine"][1]["question"] == "Is the cat in picture 1 happy?"


def test_golds_are_balanced_and_hand_written_questions_kept():
    by_hand = {"question": "Is the dog in picture 1 wet?", "gold": "no"}
    (record,) = build(row(item(0, "dog", "color", "red"), fine=[by_hand]))
    assert record["fine"][0] == by_hand
    assert [question["gold"] for question in record["fine"][1:]] == ["yes", "no"]
    assert build(row(fine=[by_hand]))[0]["fine"] == [by_hand]


@pytest.mark.parametrize(
    ("coarse", "largest"),
    [
        ({"type": "count", "question": "?", "gold": 2}, None),
        ({"type": "count", "question": "?", "gold": "4"}, 9),
        ({"type": "count", "question": "?", "gold": 7}, 14),
        ({"type": "count", "question": "?", "gold": 4, "largest": 5}, 5),
        ({"type": "choice", "question": "? A) x; B) y", "gold": "B) y"}, None),
    ],
)
def test_coarse_questions_are_kept_and_say_how_far_they_count(coarse, largest):
    (record,) = build(row(item(0, "dog", "color", "red"), coarse=coarse))
    assert record["coarse"] == coarse | ({} if largest is None else {"largest": largest})
    assert record["task"] == coarse["type"]


def test_every_problem_of_every_row_is_listed():
    good = item(0, "dog", "color", "red")
    rows = [
        row(good),
        row(good),
        row(good, sequence_id=""),
        row(good, sequence_id="s3", images=["a.jpg"]),
        row(good, sequence_id="s4", coarse={"type": "count", "question": "?", "gold": "many"}),
        row(good, sequence_id="s5", coarse={"type": "essay", "question": "?", "gold": "T"}),
        row(good, sequence_id="s6", coarse=None),
        row(sequence_id="s7"),
        row(item(2, "dog", "color", "red"), item(True, "dog", "color", "red"), sequence_id="s8"),
        row(item(0, "", "color", "red"), item(0, "dog", "color", None), sequence_id="s9"),
        row(item(0, "dog", "number", "some"), sequence_id="s10"),
        row(good, good, sequence_id="s11"),
        row(item(0, "dog", "number", 1), item(0, "dogs", "number", 2), sequence_id="s12"),
        row(item(0, "dog", "charm", "great"), sequence_id="s13"),
        row(item(0, "dog", "color", "red", wrong="Red"), sequence_id="s14"),
        row(good, sequence_id="s15", fine=[{"question": "?", "gold": "maybe"}]),
        row("dog", sequence_id="s16"),
    ]
    with pytest.raises(RecordError, match="problems in the sequences") as caught:
        build(*rows)
    found = "\n".join(caught.value.problems)
    expected = {
        2: "sequence_id s1 occurs twice",
        3: "sequence_id is ''",
        4: "expected at least two file names",
        5: "'many', which answers no count question",
        6: "coarse.type is 'essay'",
        7: "coarse is None",
        8: "no attributes",
        9: "image is 2; expected the place of a picture, 0 to 1",
        10: "subject is ''",
        11: "number is 'some'",
        12: "is given twice as red",
        13: "is given as 2 and as 1",
        14: "no wrong value is known for charm 'great'",
        15: "wrong equals the value",
        16: "fine[0]",
        17: "expected an object, found 'dog'",
    }
    for number, text in expected.items():
        assert any(
            line.startswith(f"f.jsonl:{number} ") and text in line for line in caught.value.problems
        ), (number, found)
    assert "f.jsonl:1 " not in found


@pytest.mark.parametrize(
    ("kind", "gold", "fits"),
    [
        ("count", True, False),
        ("count", -1, False),
        ("count", 0, True),
        ("true_false", "true", True),
        ("true_false", "yes", False),
        ("choice", "b", False),
        ("choice", "A", True),
    ],
)
def test_coarse_golds(kind, gold, fits):
    one = row(item(0, "dog", "color", "red"), coarse={"type": kind, "question": "?", "gold": gold})
    if fits:
        assert len(build(one)) == 1
    else:
        with pytest.raises(RecordError, match=r"coarse\.gold"):
            build(one)
