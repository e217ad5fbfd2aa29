import pytest

from halluc.errors import LengthMismatchError
from halluc.metrics.alignment import check_aligned, ratio


def test_check_aligned():
    check_aligned([1], [2])
    with pytest.raises(LengthMismatchError, match="2 predictions but 1 labels"):
        check_aligned([1, 2], [3])


def test_ratio():
    assert ratio(1, 4) == 0.25
    assert ratio(1, 0) == 0.0
