import pytest

from halluc.errors import LengthMismatchError
from halluc.metrics.calibration import expected_calibration_error, reliability


@pytest.mark.parametrize(
    ("confidence", "low"), [(0.0, 0.0), (0.1, 0.0), (0.11, 0.1), (0.5, 0.4), (0.51, 0.5), (1.0, 0.9)]
)
def test_the_upper_end_belongs_to_a_bin(confidence, low):
    (found,) = reliability([confidence], [True])
    assert (found.low, found.n, found.accuracy) == (low, 1, 1.0)


def test_error_by_hand():
    bins = reliability([0.95, 0.85, 0.85, 0.55], [True, True, False, False])
    assert [(one.low, one.n) for one in bins] == [(0.5, 1), (0.8, 2), (0.9, 1)]
    assert expected_calibration_error(bins) == pytest.approx((0.55 + 2 * 0.35 + 0.05) / 4)


def test_perfect_and_no_answers():
    assert expected_calibration_error(reliability([1.0, 1.0], [True, True])) == 0.0
    assert expected_calibration_error(reliability([], [])) is None


def test_lengths_must_agree():
    with pytest.raises(LengthMismatchError):
        reliability([0.5], [])
