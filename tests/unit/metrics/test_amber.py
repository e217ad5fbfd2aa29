import pytest

from halluc.metrics.amber import answer_shares, no_scores, official_no_scores
from halluc.metrics.yes_no import YesNoCounts, count_yes_no

# gold:        N      N      N     N     Y      Y
ANSWERS = [False, False, True, None, True, False]
LABELS = [False, False, False, False, True, True]
COUNTS = count_yes_no(ANSWERS, LABELS)


def test_no_is_the_positive_class():
    assert no_scores(COUNTS) == {
        "accuracy": 0.5,
        "precision": pytest.approx(2 / 3),
        "recall": 0.5,
        "f1": pytest.approx(4 / 7),
    }


def test_official_numbers_by_hand():
    # 3/6.001, 2/3.001, 2/4.001 in percent with one decimal; F1 from 0.666 and 0.5
    assert official_no_scores(COUNTS) == {"accuracy": 0.5, "precision": 0.666, "recall": 0.5, "f1": 0.571}


def test_added_denominators_bring_their_start_values():
    perfect = count_yes_no([False], [False])
    assert official_no_scores(perfect)["accuracy"] == 0.999
    assert official_no_scores(perfect, starts=3)["accuracy"] == 0.997


def test_epsilon_in_f1():
    # precision 0.8, recall 0.6: 0.96 / 1.401 = 0.6852, 0.96 / 1.4001 = 0.6857
    counts = YesNoCounts(true_yes=0, false_yes=8, true_no=12, false_no=3, unparsed_yes=0, unparsed_no=0)
    assert official_no_scores(counts, f1_epsilon=0.001)["f1"] == 0.685
    assert official_no_scores(counts)["f1"] == 0.686


def test_without_gold_no_recall_is_undefined():
    assert no_scores(count_yes_no([True], [True]))["recall"] is None
    assert no_scores(count_yes_no([True], [True]))["precision"] == 0.0


def test_without_questions():
    assert set(no_scores(count_yes_no([], [])).values()) == {None}
    assert set(answer_shares(count_yes_no([], [])).values()) == {None}


def test_shares_by_hand():
    assert answer_shares(COUNTS) == {
        "yes_recall": 0.5,
        "no_recall": 0.5,
        "yes_ratio": pytest.approx(1 / 3),
        "unparsed_rate": pytest.approx(1 / 6),
    }


def test_shares_of_one_class_only():
    always_yes = answer_shares(count_yes_no([True, True], [False, False]))
    assert always_yes == {"yes_recall": None, "no_recall": 0.0, "yes_ratio": 1.0, "unparsed_rate": 0.0}
    assert answer_shares(count_yes_no([None], [True]))["no_recall"] is None
