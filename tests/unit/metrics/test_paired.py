import pytest

from halluc.metrics.paired import PairedAnswer, PairSums, by_pair, group_scores, is_complete, paired_scores

HALVES = [
    PairedAnswer("both", True, True),
    PairedAnswer("one", True, True),
    PairedAnswer("both", False, True),
    PairedAnswer("one", False, False),
    PairedAnswer("alone", False, True),
]


def summed(halves, *, drop_incomplete=False):
    groups = [group for group in by_pair(halves) if is_complete(group) or not drop_incomplete]
    return sum(map(PairSums.of, groups), start=PairSums(0, 0, 0, 0, 0))


def test_incomplete_pairs_are_wrong():
    assert paired_scores(summed(HALVES)) == {
        "paired_accuracy": pytest.approx(1 / 3),
        "positive_accuracy": pytest.approx(2 / 3),
        "negative_accuracy": pytest.approx(2 / 3),
        "pairs": 3.0,
    }


def test_incomplete_pairs_are_dropped():
    assert paired_scores(summed(HALVES, drop_incomplete=True)) == {
        "paired_accuracy": 0.5,
        "positive_accuracy": 1.0,
        "negative_accuracy": 0.5,
        "pairs": 2.0,
    }


def test_groups_of_one_stay_in_the_denominator():
    assert group_scores(summed(HALVES)) == {"paired_accuracy": pytest.approx(1 / 3), "pairs": 3.0}


def test_two_halves_of_one_kind_are_a_group_but_no_pair():
    same = [PairedAnswer("x", True, True), PairedAnswer("x", True, True)]
    assert group_scores(summed(same))["paired_accuracy"] == 1.0
    assert paired_scores(summed(same))["paired_accuracy"] == 0.0
    assert paired_scores(summed(same, drop_incomplete=True))["pairs"] == 0.0


def test_without_pairs():
    assert group_scores(summed([])) == {"paired_accuracy": None, "pairs": 0.0}
    assert paired_scores(summed([]))["paired_accuracy"] is None
