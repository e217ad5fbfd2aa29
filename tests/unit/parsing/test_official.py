import pytest

from halluc.parsing import official


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No, there is none", "no"),
        ("Yes, it is not hidden", "no"),
        ("NO", "yes"),
        (".No", "yes"),
        ("I see it. No dog", "yes"),
        ("no,", "no"),
        ("\nNo", "yes"),
        (None, "yes"),
    ],
)
def test_read_pope(text, expected):
    assert official.read_pope(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [(" NOrthern", "no"), ("yes", "yes"), ('"yes"', None), (None, None)]
)
def test_read_longhalqa_yes_no(text, expected):
    assert official.read_longhalqa_yes_no(text) == expected


@pytest.mark.parametrize(("text", "expected"), [(" B) x", "B"), ("both", "b"), ("  ", ""), (None, "")])
def test_read_longhalqa_choice(text, expected):
    assert official.read_longhalqa_choice(text) == expected


@pytest.mark.parametrize(("text", "expected"), [("F", "F"), ("F ", None), ("true", None), (None, None)])
def test_read_vlm2_change(text, expected):
    assert official.read_vlm2_change(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("T-shirt", "T"), ("don't", "T"), ("t_f", None), ("false!", "F"), (None, None)]
)
def test_read_vlm2_true_false(text, expected):
    assert official.read_vlm2_true_false(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two hundred five", 205),
        ("hundred", 100),
        ("two thousand three hundred", 2300),
        ("zero", None),
        ("0", 0),
        ("zero 3", 3),
        ("3 cups, one red", None),
        ("4" * 5000, 10**18),
        (None, None),
    ],
)
def test_read_vlm2_count(text, expected):
    assert official.read_vlm2_count(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("B", "B"), ("**B) x**", "**B"), ("(A) (B)", None), ("(a) (b)", "(a"), (None, "")]
)
def test_read_vlm2_option(text, expected):
    assert official.read_vlm2_option(text) == expected


def test_read_vlm2_video_score():
    assert official.read_vlm2_video_score("I think\nScore:  1.") == 1
    assert official.read_vlm2_video_score("score: 1") is None
    assert official.read_vlm2_video_score(None) is None


@pytest.mark.parametrize(("text", "expected"), [("Yes", "yes"), ("yes", None), ("No ", None), (None, None)])
def test_read_amber(text, expected):
    assert official.read_amber(text) == expected
