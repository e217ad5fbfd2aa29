import pytest

from halluc.answering.forms import ambiguous, distinct, surface_forms
from halluc.data.records import AnswerSpace


def test_yes_and_no_in_three_spellings():
    forms = surface_forms(AnswerSpace.yes_no())
    assert forms == {"yes": ("Yes", "yes", "YES"), "no": ("No", "no", "NO")}


def test_true_and_false_as_letters_and_words():
    forms = surface_forms(AnswerSpace.true_false())
    assert forms == {"T": ("T", "True", "true", "TRUE"), "F": ("F", "False", "false", "FALSE")}


def test_options_are_their_letters():
    assert surface_forms(AnswerSpace.choice(("x", "y"))) == {"A": ("A",), "B": ("B",)}


def test_counts_are_digits_and_words_up_to_twenty():
    forms = surface_forms(AnswerSpace.count(21, 20))
    assert forms == {"20": ("20", "twenty", "Twenty"), "21": ("21",)}
    assert surface_forms(AnswerSpace.count(0)) == {"0": ("0", "zero", "Zero")}


@pytest.mark.parametrize(
    ("forms", "kept"),
    [
        ([(1,), (2,)], [(1,), (2,)]),
        ([(1,), (1,)], [(1,)]),
        ([(1, 2), (1,)], [(1,)]),  # beginning with 1 holds beginning with 1, 2
        ([(1, 2, 3), (2,), (1, 2)], [(2,), (1, 2)]),
        ([(2, 1), (1,)], [(1,), (2, 1)]),
    ],
)
def test_spellings_that_another_one_holds_are_dropped(forms, kept):
    assert distinct(forms) == kept


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        ({"1": [(1,)], "2": [(2,)]}, False),
        ({"1": [(1,)], "10": [(1, 0)]}, True),
        ({"10": [(1, 0)], "1": [(1,)]}, True),
        ({"1": [(1,)], "10": [(10,)]}, False),  # a tokenizer with a token for ten
        ({"yes": [(5,), (5, 6)], "no": [(7,)]}, False),  # within one candidate it doesn't matter
        ({"a": [(3,)], "b": [(3,)]}, True),
    ],
)
def test_candidates_that_begin_each_other_are_found(forms, expected):
    assert ambiguous(forms) is expected
