"""When the comparison counts as passed."""

import pytest

from halluc.packing.self_check import SelfCheck


@pytest.mark.parametrize(
    ("difference", "control", "passed"),
    [
        (1e-6, 1.0, True),
        (0.0, 1e-6, True),
        (0.2, 1.0, False),  # more than rounding explains
        (0.09, 0.2, False),  # leaking branches look the same
        (0.0, 0.0, False),  # nothing can be told apart
        (float("nan"), 1.0, False),
        (1e-6, float("nan"), False),
    ],
)
def test_passed(difference: float, control: float, passed: bool):
    check = SelfCheck(difference, control, tolerance=0.1)

    assert check.passed is passed
    assert "leaking branches" in str(check)
