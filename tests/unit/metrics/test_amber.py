import pytest

from halluc.metrics.amber import no_scores, official_no_scores
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
    assert official_no_scores([COUNTS]) == {"accuracy": 0.5, "precision": 0.666, "recall": 0.5, "f1": 0.571}


def test_each_part_brings_its_own_start_value():
    perfect, empty = count_yes_no([False], [False]), count_yes_no([], [])
    assert official_no_scores([perfect])["accuracy"] == 0.999
    assert official_no_scores([perfect, empty])["accuracy"] == 0.998


def test_epsilon_in_f1():
    # precision 0.8, recall 0.6: 0.96 / 1.401 = 0.6852, 0.96 / 1.4001 = 0.6857
    counts = YesNoCounts(true_yes=0, false_yes=8, true_no=12, false_no=3, unparsed_yes=0, unparsed_no=0)
    assert official_no_scores([counts], f1_epsilon=0.001)["f1"] == 0.685
    assert official_no_scores([counts])["f1"] == 0.686


def test_without_gold_no_recall_is_undefined():
    assert no_scores(count_yes_no([True], [True]))["recall"] is None
    assert no_scores(count_yes_no([True], [True]))["precision"] == 0.0


def test_without_questions():
    assert set(no_scores(count_yes_no([], [])).values()) == {None}
