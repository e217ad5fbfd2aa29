import pytest

from halluc.data.readers.options import Options, find_options, gold_index, is_letter
from halluc.errors import RecordError

SHAPES = ("square", "circle", "star", "cross")
TEXT = "What is it?\nA. square\n(B) circle\nC: star\nD) cross\nAnswer by letter."


@pytest.mark.parametrize(
    ("fields", "prompt", "in_prompt"),
    [
        ({"choices": list(SHAPES)}, "What?", False),
        ({"options": dict(zip("ABCD", SHAPES, strict=True))}, "What?", False),
        ({"options": dict(zip("DCBA", SHAPES[::-1], strict=True))}, "What?", False),
        (dict(zip("ABCD", SHAPES, strict=True)), "What?", False),
        ({**dict(zip("ABCD", SHAPES, strict=True)), "E": "", "F": None}, "What?", False),
        ({}, TEXT, True),
        ({"choices": list(SHAPES)}, TEXT, True),
    ],
)
def test_options_are_found(fields, prompt, in_prompt):
    assert find_options(fields, prompt) == Options(SHAPES, in_prompt)


@pytest.mark.parametrize(
    ("fields", "prompt"), [({}, "What?"), ({"A": "x"}, "What?"), ({}, "Plan\nA. one"), ({}, "B. x\nC. y")]
)
def test_no_options(fields, prompt):
    assert find_options(fields, prompt) is None


@pytest.mark.parametrize(
    "given",
    [
        ["x"],
        [],
        "AB",
        ["x", None],
        ["x", ""],
        ["x", True],
        {"A": "x", "C": "y"},
        {"1": "x", "2": "y"},
        ["x"] * 27,
    ],
)
def test_unusable_options(given):
    with pytest.raises(RecordError, match="option"):
        find_options({"choices": given}, "What?")


def test_a_gap_between_columns_is_an_error():
    with pytest.raises(RecordError, match="A, C"):
        find_options({"A": "x", "B": "", "C": "z"}, "What?")


@pytest.mark.parametrize(
    "answer", ["B", "b", "(B)", "[b]", "B.", "B)", " B ", "B. circle", "(B) circle", "circle", "Circle", 1]
)
def test_ways_to_name_the_second_option(answer):
    assert gold_index(answer, SHAPES) == 1


def test_base_of_integers():
    assert gold_index(1, SHAPES, index_base=1) == 0
    with pytest.raises(RecordError, match="0 names none"):
        gold_index(0, SHAPES, index_base=1)


@pytest.mark.parametrize("answer", ["E", "triangle", 4, -1, "B. square", "", None, True, 1.0, "A or B"])
def test_no_such_option(answer):
    with pytest.raises(RecordError, match=r"names none of the options A\. square"):
        gold_index(answer, SHAPES)


def test_a_digit_in_quotes_is_no_index_but_may_be_an_option():
    with pytest.raises(RecordError, match="A digit in quotes"):
        gold_index("1", SHAPES)
    assert gold_index("2", ("1", "2", "3")) == 1


@pytest.mark.parametrize(
    ("answer", "options"),
    [(1, ("1", "2", "3")), ("B", ("B", "A")), ("same", ("same", "same")), ("a", ("x", "A"))],
)
def test_what_may_mean_two_options_is_refused(answer, options):
    with pytest.raises(RecordError, match="may mean"):
        gold_index(answer, options)


def test_agreeing_readings_are_no_conflict():
    assert gold_index(0, ("0", "1")) == 0
    assert gold_index("A", ("A", "B")) == 0


def test_exact_text_wins_over_other_capitals():
    assert gold_index("no", ("No", "no")) == 1


@pytest.mark.parametrize(
    ("answer", "expected"), [("E", True), ("(e)", True), ("E. x", False), ("word", False), (1, False)]
)
def test_looks_like_a_letter(answer, expected):
    assert is_letter(answer) is expected
