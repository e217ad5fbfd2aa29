import pytest

from halluc.errors import LengthMismatchError
from halluc.metrics.choice import choice_scores


def test_by_hand():
    scores = choice_scores(["A", "B", None, "D", "A"], ["A", "C", "C", "D", "B"])
    assert scores == {"accuracy": 0.4, "unparsed_rate": 0.2, "n": 5.0}


def test_without_answers():
    assert choice_scores([], []) == {"accuracy": None, "unparsed_rate": None, "n": 0.0}


def test_lengths_must_match():
    with pytest.raises(LengthMismatchError):
        choice_scores(["A"], [])
