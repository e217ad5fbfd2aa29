import pytest

from halluc.parsing import vlmevalkit

COLOURS = {"A": "red", "B": "green", "C": "blue", "D": "yellow"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", "yes"),
        ("No, sir", "no"),
        ("yes/no", None),
        ("no.There", None),
        ("no. There", "no"),
        ("(no)", "no"),
        ("no-one", "no"),
        ("no-one - alone", None),
        ("3,000 (no)", "no"),
        ("no: x", None),
        ("", None),
        (None, None),
    ],
)
def test_read_yes_no(text, expected):
    assert vlmevalkit.read_yes_no(text) == expected


def test_only_the_first_32_full_stops_are_removed():
    assert vlmevalkit.read_yes_no("." * 32 + "no") == "no"
    assert vlmevalkit.read_yes_no("." * 33 + "no") is None


@pytest.mark.parametrize(("text", "expected"), [(" t ", "T"), ("True (t)", None), (None, None)])
def test_read_true_false(text, expected):
    assert vlmevalkit.read_true_false(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", "B"),
        ("b", None),
        ("**B**", "B"),
        ("A dog, so C", None),
        ("It is B I am quite sure", None),
        ("It is B I am sure", "B"),
        ("green", "B"),
        ("green or blue", None),
        ("The answer is crimson", "C"),
        ("It is the one that is green, as far as I can see it", None),
        ("Z", None),
        ("I can't process this file. B", None),
        ("Failed to obtain answer via API B", None),
        ("", None),
        (None, None),
    ],
)
def test_read_choice(text, expected):
    assert vlmevalkit.read_choice(text, COLOURS) == expected
