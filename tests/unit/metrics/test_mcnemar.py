from math import comb

import pytest

from halluc.errors import LengthMismatchError
from halluc.metrics.mcnemar import McNemar, mcnemar


def test_exact_test_by_hand():
    first = [True] * 9 + [False] + [True, False]
    second = [False] * 9 + [True] + [True, False]
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second) == (9, 1)
    assert found.p_value == pytest.approx(2 * (comb(10, 0) + comb(10, 1)) / 2**10)


def test_nothing_tells_them_apart():
    assert mcnemar([True, False], [True, False]) == McNemar(0, 0, 1.0)
    assert mcnemar([], []) == McNemar(0, 0, 1.0)


def test_lengths_must_agree():
    with pytest.raises(LengthMismatchError):
        mcnemar([True], [])
