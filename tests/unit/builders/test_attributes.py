import pytest

from halluc.builders.attributes import attribute_name, attribute_of, read_number
from halluc.errors import RecordError


@pytest.mark.parametrize(
    ("attribute", "subject", "value", "question"),
    [
        ("color", "motorcycle", "red", "Is the motorcycle in picture 1 red?"),
        ("Colour", "feet", "yellow", "Are the feet in picture 1 yellow?"),
        ("number", "horses", "4", "Are there exactly 4 horses in picture 1?"),
        ("count", "people", "one", "Is there exactly 1 person in picture 1?"),
        ("number", "dog", "2", "Are there exactly 2 dogs in picture 1?"),
        ("text", "sign", "STOP", 'Does the sign in picture 1 read "STOP"?'),
        ("text", "signs", "EXIT", 'Do the signs in picture 1 read "EXIT"?'),
        ("pattern", "zebra", "striped", "Is the zebra in picture 1 striped?"),
        ("material", "table", "wooden", "Is the table in picture 1 made of wood?"),
        ("size", "cups", "small", "Are the cups in picture 1 small?"),
        ("position", "cat", "on the sofa", "Is the cat in picture 1 on the sofa?"),
    ],
)
def test_questions_are_grammatical(attribute, subject, value, question):
    assert attribute_of(attribute).ask(subject, value, 1) == question


@pytest.mark.parametrize(
    ("attribute", "value", "hardest"),
    [
        ("color", "red", "orange"),
        ("colour", "Grey", "blue"),
        ("number", "4", "5"),
        ("number", "1", "2"),
        ("number", "0", "1"),
        ("text", "STOP", "STOR"),
        ("text", "Room 17", "Room 11"),
        ("text", "é", "éé"),
        ("text", "停车", "停"),
        ("pattern", "striped", "checkered"),
        ("material", "wooden", "plastic"),
        ("shape", "round", "square"),
        ("size", "small", "large"),
    ],
)
def test_most_confusable_value(attribute, value, hardest):
    rules = attribute_of(attribute)
    assert rules.hard_values(value)[0] == hardest
    assert all(rules.canonical(wrong) != rules.canonical(value) for wrong in rules.hard_values(value))


def test_no_table_no_hard_values():
    assert attribute_of("mood").hard_values("happy") == ()
    assert attribute_of("color").hard_values("teal") == ()


def test_spellings_are_one():
    assert attribute_of("color").canonical(" Grey ") == attribute_of("colour").canonical("gray")
    assert attribute_of("number").canonical("Four") == "4"
    assert attribute_of("text").canonical("Stop  Here") == "stop here"
    assert [attribute_name(name) for name in ("Colour", "count", "Hair_Style")] == [
        "color",
        "number",
        "hair style",
    ]


@pytest.mark.parametrize("value", ["some", "2.5", "-1", "", "²"])
def test_what_is_no_number(value):
    with pytest.raises(RecordError, match="expected a whole number"):
        read_number(value)
