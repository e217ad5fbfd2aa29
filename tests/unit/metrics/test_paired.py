import pytest

from halluc.metrics.paired import PairedAnswer, group_scores, paired_scores

HALVES = [
    PairedAnswer("both", True, True),
    PairedAnswer("one", True, True),
    PairedAnswer("both", False, True),
    PairedAnswer("one", False, False),
    PairedAnswer("alone", False, True),
]


def test_incomplete_pairs_are_wrong():
    assert paired_scores(HALVES, drop_incomplete=False) == {
        "paired_accuracy": pytest.approx(1 / 3),
        "positive_accuracy": pytest.approx(2 / 3),
        "negative_accuracy": pytest.approx(2 / 3),
        "pairs": 3.0,
    }


def test_incomplete_pairs_are_dropped():
    assert paired_scores(HALVES, drop_incomplete=True) == {
        "paired_accuracy": 0.5,
        "positive_accuracy": 1.0,
        "negative_accuracy": 0.5,
        "pairs": 2.0,
    }


def test_groups_of_one_stay_in_the_denominator():
    assert group_scores(HALVES) == {"paired_accuracy": pytest.approx(1 / 3), "pairs": 3.0}


def test_two_halves_of_one_kind_are_a_group_but_no_pair():
    same = [PairedAnswer("x", True, True), PairedAnswer("x", True, True)]
    assert group_scores(same)["paired_accuracy"] == 1.0
    assert paired_scores(same, drop_incomplete=False)["paired_accuracy"] == 0.0
    assert paired_scores(same, drop_incomplete=True)["pairs"] == 0.0


def test_without_pairs():
    assert group_scores([]) == {"paired_accuracy": None, "pairs": 0.0}
    assert paired_scores([], drop_incomplete=True)["paired_accuracy"] is None
