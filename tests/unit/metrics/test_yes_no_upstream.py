import pytest

from halluc.metrics.yes_no import count_yes_no
from halluc.metrics.yes_no_upstream import lmms_eval_yes_no_scores, longhalqa_yes_no_scores

COUNTS = count_yes_no([True, False, None, True, False], [True, True, True, False, False])


def test_longhalqa_recall_ignores_unparsed():
    scores = longhalqa_yes_no_scores(COUNTS)
    assert scores["recall"] == 0.5
    assert scores["precision"] == 0.5
    assert scores["f1"] == 0.5
    assert scores["yes_ratio"] == 0.4
    assert scores["accuracy"] == 0.4


def test_lmms_eval_yes_ratio_is_that_of_the_gold_answers():
    scores = lmms_eval_yes_no_scores(COUNTS)
    assert scores["yes_ratio"] == 0.6
    assert scores["predicted_yes_ratio"] == 0.4
    assert scores["recall"] == 0.5


def test_all_unparsed_gives_zero_recall():
    assert longhalqa_yes_no_scores(count_yes_no([None, None], [True, False]))["recall"] == 0.0


@pytest.mark.parametrize("formula", [longhalqa_yes_no_scores, lmms_eval_yes_no_scores])
def test_without_gold_yes_or_questions_recall_is_undefined(formula):
    assert formula(count_yes_no([True], [False]))["recall"] is None
    assert set(formula(count_yes_no([], [])).values()) == {None}
