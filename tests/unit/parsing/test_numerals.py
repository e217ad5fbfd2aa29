import pytest

from halluc.parsing.numerals import LARGEST, NUMBER_WORDS, whole_number


def test_number_words():
    assert len(NUMBER_WORDS) == 30
    assert (NUMBER_WORDS["zero"], NUMBER_WORDS["thirteen"], NUMBER_WORDS["twenty"]) == (0, 13, 20)
    assert (NUMBER_WORDS["ninety"], NUMBER_WORDS["thousand"]) == (90, 1000)


@pytest.mark.parametrize(
    ("digits", "expected"),
    [("0", 0), ("000", 0), ("0012", 12), ("9" * 18, LARGEST - 1), ("1" * 4301, LARGEST)],
)
def test_whole_number(digits, expected):
    assert whole_number(digits) == expected
