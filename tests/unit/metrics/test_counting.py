import pytest

from halluc.metrics.counting import (
    CountingSums,
    count_score,
    counting_scores,
    error_reason,
    mean_count_score_unchecked,
)

NOTHING = CountingSums(0.0, 0.0, 0.0, 0.0, 0.0)


def summed(*counts):
    """Sum over (predicted, gold, images)."""
    return sum((CountingSums.of(*count) for count in counts), start=NOTHING)


@pytest.mark.parametrize(
    ("predicted", "gold", "images", "expected"),
    [
        (3, 3, 4, 1.0),
        (2, 3, 4, 1 - 0.5**0.1),  # error 1 of at most 2
        (1, 4, 4, 0.0),  # the largest error
        (2, 4, 4, 1 - (2 / 3) ** 0.1),
        (1, 2, 2, 0.0),
        (3, 2, 3, 0.0),
        (None, 2, 4, 0.0),
        (0, 1, 4, 0.0),
        (5, 4, 4, 0.0),
        (1, 1, 1, 1.0),
    ],
)
def test_count_score(predicted, gold, images, expected):
    assert count_score(predicted, gold, images) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("predicted", "gold", "reason"),
    [
        (2, 2, None),
        (1, 2, "incorrect_answer"),
        (0, 2, "answer_out_of_expected_range"),
        (4, 2, "answer_out_of_expected_range"),
        (4, 4, "answer_out_of_expected_range"),  # also where the gold answer itself is
        (None, 2, "invalid_answer_format"),
    ],
)
def test_error_reason_among_three_images(predicted, gold, reason):
    assert error_reason(predicted, gold, 3) == reason


def test_without_range_check_zero_may_score():
    assert count_score(0, 1, 4, check_range=False) == pytest.approx(1 - (1 / 3) ** 0.1)
    assert count_score(0, 1, 1, check_range=False) == 0.0


def test_dropping_invalid_answers_rewards_refusing():
    honest = counting_scores(summed((4, 4, 4), (1, 4, 4)))
    refusing = counting_scores(summed((4, 4, 4), (None, 4, 4)))
    assert honest["mean_score_over_valid"] == 0.5
    assert refusing["mean_score_over_valid"] == 1.0
    assert refusing["mean_score_over_all"] == 0.5
    assert (refusing["valid_rate"], refusing["exact_accuracy"]) == (0.5, 0.5)


def test_no_valid_answer():
    scores = counting_scores(summed((None, 1, 2), (9, 2, 2)))
    assert scores == {
        "exact_accuracy": 0.0,
        "mean_score_over_valid": 0.0,
        "mean_score_over_all": 0.0,
        "valid_rate": 0.0,
    }


def test_without_records():
    assert set(counting_scores(NOTHING).values()) == {None}
    assert mean_count_score_unchecked(NOTHING) is None


def test_unchecked_mean():
    sums = summed((4, 4, 4), (0, 1, 4))
    assert mean_count_score_unchecked(sums) == pytest.approx((2 - (1 / 3) ** 0.1) / 2)
