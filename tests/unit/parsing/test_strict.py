import pytest

from halluc.parsing.strict import clean, read_choice, read_count, read_true_false, read_yes_no, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<THINK>yes\nyes</THINK>No", "No"),
        ("<b>Yes</b>", " Yes "),
        ("<think>never closed", " never closed"),
        ("can’t", "can't"),
        ("Ｙｅｓ", "Yes"),
        ("a < b", "a < b"),
        (None, ""),
    ],
)
def test_clean(text, expected):
    assert clean(text) == expected


def test_words_keep_inner_apostrophes_only():
    assert words("'Tis DON'T'd yes1no") == ["tis", "don't'd", "yes", "no"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes, no doubt", "yes"),
        ("Nah", "no"),
        ("I say yup", "yes"),
        ("The answer: yes or no", None),
        ("cannot, n't, not, none", None),
        ("Yesterday", None),
        ("<think>Yes? Yes!</think>\n\n**no**", "no"),
        ("<answer>yes</answer>", "yes"),
        ("", None),
        (None, None),
        ("Sí", None),
    ],
)
def test_read_yes_no(text, expected):
    assert read_yes_no(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("True. True.", "T"),
        ("f", "F"),
        ("t'f", None),
        ("T/F", None),
        ("can’t", None),
        ("Ｔ", "T"),
        (None, None),
    ],
)
def test_read_true_false(text, expected):
    assert read_true_false(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There are three (3.0) cups", 3),
        ("2.5", None),
        ("1.50 and 1.5", None),
        ("twenty-one", None),
        ("a hundred", 100),
        ("zero", 0),
        ("007 or seven", 7),
        ("-4", 4),
        ("1,000", None),
        ("someone", None),
        ("²", 2),
        (None, None),
    ],
)
def test_read_count(text, expected):
    assert read_count(text) == expected


def test_read_count_survives_a_model_that_repeats_a_digit():
    assert read_count("1" * 10_000) == 10**18


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b", "B"),
        ("[ C ]", "C"),
        ("D;", "D"),
        ("'A'", "A"),
        ("“B”", "B"),
        ("B, C and D", None),
        ("(A) & (B)", None),
        ("B and B", "B"),
        ("B AND C", None),
        ("The OPTION: [d]", "D"),
        ("answer is a", None),
        ("The answer is B. Not option C", None),
        ("Answers C", "C"),
        ("A. red", "A"),
        ("A. red\nB. blue", None),
        ("it must be (c)", "C"),
        ("A dog", None),
        ("A dog and a Cat", None),
        ("It isn't B's", None),
        ("E", None),
        ("<think>A or B?</think>C", "C"),
        (None, None),
    ],
)
def test_read_choice(text, expected):
    assert read_choice(text) == expected


def test_read_choice_knows_only_the_given_letters():
    assert read_choice("C", "AB") is None
    assert read_choice("(A) or (C)", "AB") == "A"
    assert read_choice("E", "ABCDE") == "E"
