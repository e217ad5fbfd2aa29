import pytest

from halluc.errors import LengthMismatchError
from halluc.metrics.yes_no import YesNoCounts, count_yes_no, harmonic_mean, yes_no_scores

# gold:      Y     Y      Y     N     N      N     N     N
ANSWERS = [True, False, None, True, False, False, None, False]
LABELS = [True, True, True, False, False, False, False, False]


def test_count():
    counts = count_yes_no(ANSWERS, LABELS)
    assert counts == YesNoCounts(1, 1, 3, 1, 1, 1)
    assert (counts.n, counts.gold_yes, counts.gold_no, counts.predicted_yes, counts.missed_yes) == (
        8,
        3,
        5,
        2,
        2,
    )


def test_scores_by_hand():
    assert yes_no_scores(count_yes_no(ANSWERS, LABELS)) == {
        "accuracy": 0.5,
        "precision": 0.5,
        "recall": pytest.approx(1 / 3),
        "no_recall": 0.6,
        "f1": pytest.approx(0.4),
        "yes_ratio": 0.25,
        "unparsed_rate": 0.25,
    }


def test_never_yes_gives_zero_precision_and_f1():
    scores = yes_no_scores(count_yes_no([False, None], [True, False]))
    assert (scores["precision"], scores["recall"], scores["f1"]) == (0.0, 0.0, 0.0)
    assert scores["accuracy"] == 0.0


def test_without_gold_yes_recall_is_undefined():
    scores = yes_no_scores(count_yes_no([False, True], [False, False]))
    assert scores["recall"] is None
    assert scores["f1"] is None
    assert scores["accuracy"] == 0.5


def test_without_questions_all_is_undefined():
    assert set(yes_no_scores(count_yes_no([], [])).values()) == {None}


def test_lengths_must_match():
    with pytest.raises(LengthMismatchError, match="1 predictions but 2 labels"):
        count_yes_no([True], [True, False])


def test_harmonic_mean():
    assert harmonic_mean(1.0, 0.5) == pytest.approx(2 / 3)
    assert harmonic_mean(0.0, 0.0) == 0.0
    assert harmonic_mean(None, 1.0) is None
