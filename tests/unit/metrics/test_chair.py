import pytest

from halluc.metrics.chair import ChairCounts, chair_scores, count_chair


def test_by_hand():
    counts = count_chair(["cup", "dog", "cup", "dog"], ["cup", "door", "cup"])
    assert counts == ChairCounts(
        descriptions=1, with_hallucination=1, mentions=4, hallucinated=2, present=2, covered=1
    )


def test_two_descriptions():
    scores = chair_scores(ChairCounts(2, 1, 5, 1, 4, 3))
    assert scores == {"chair_i": 0.2, "chair_s": 0.5, "cover": 0.75, "mentions_each": 2.5, "n": 2.0}


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (
            count_chair([], ["cup"]),
            {"chair_i": 0.0, "chair_s": 0.0, "cover": 0.0, "mentions_each": 0.0, "n": 1.0},
        ),
        (
            count_chair(["dog"], []),
            {"chair_i": 1.0, "chair_s": 1.0, "cover": None, "mentions_each": 1.0, "n": 1.0},
        ),
    ],
)
def test_silence_and_empty_pictures(counts, expected):
    assert chair_scores(counts) == expected


def test_no_descriptions():
    scores = chair_scores(ChairCounts(0, 0, 0, 0, 0, 0))
    assert scores.pop("n") == 0.0
    assert set(scores.values()) == {None}
