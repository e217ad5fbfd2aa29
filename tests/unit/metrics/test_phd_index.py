import random

import pytest

from halluc.metrics.phd_index import phd_scores
from halluc.metrics.yes_no import count_yes_no


def phd_index(predictions, labels):
    return phd_scores(count_yes_no(predictions, labels))["index"]


def test_by_hand():
    # yes recall 2/4, no recall 3/4: 2 * 0.5 * 0.75 / 1.25 = 0.6
    predictions = [True, True, False, None, False, False, False, True]
    labels = [True] * 4 + [False] * 4
    assert phd_index(predictions, labels) == pytest.approx(0.6)


@pytest.mark.parametrize("constant", [True, False, None])
def test_a_constant_answer_gets_zero(constant):
    assert phd_index([constant] * 4, [True, True, False, False]) == 0.0


def test_coin_flipping_gets_one_half():
    rng = random.Random(0)
    labels = [i % 2 == 0 for i in range(20_000)]
    assert phd_index([rng.random() < 0.5 for _ in labels], labels) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("labels", [[True, True], [False, False], []])
def test_undefined_without_both_classes(labels):
    assert phd_index([True] * len(labels), labels) is None


def test_one_recall_may_be_defined():
    scores = phd_scores(count_yes_no([True, False], [True, True]))
    assert scores == {"yes_recall": 0.5, "no_recall": None, "index": None}
