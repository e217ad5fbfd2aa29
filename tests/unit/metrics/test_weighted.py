import numpy as np

from halluc.metrics.gated import GatedSums
from halluc.metrics.weighted import Sums
from halluc.metrics.yes_no import YesNoCounts

RIGHT, WRONG = YesNoCounts(1, 0, 0, 0, 0, 0), YesNoCounts(0, 0, 0, 1, 0, 0)


def test_equal_weights_sum_everything():
    sums = Sums([0, 2, 2], [RIGHT, WRONG, RIGHT], 3, YesNoCounts)
    assert sums.totals(np.ones((3, 1))) == [YesNoCounts(2, 0, 0, 1, 0, 0)]


def test_a_cluster_counts_as_often_as_it_is_drawn():
    sums = Sums([0, 2, 2], [RIGHT, WRONG, RIGHT], 3, YesNoCounts)
    weights = np.array([[0.0, 3.0], [5.0, 0.0], [2.0, 0.0]])
    assert sums.totals(weights) == [YesNoCounts(2, 0, 0, 2, 0, 0), YesNoCounts(3, 0, 0, 0, 0, 0)]


def test_counts_stay_whole_numbers_and_sums_do_not_become_some():
    (counts,) = Sums([0], [RIGHT], 1, YesNoCounts).totals(np.ones((1, 1)))
    (sums,) = Sums([0], [GatedSums(1.0, 1.0, 1.0, 0.25, 0.25)], 1, GatedSums).totals(np.ones((1, 1)))
    assert type(counts.true_yes) is int
    assert sums.fine == 0.25


def test_no_unit_sums_to_zero():
    assert Sums([], [], 2, YesNoCounts).totals(np.ones((2, 1))) == [YesNoCounts(0, 0, 0, 0, 0, 0)]
