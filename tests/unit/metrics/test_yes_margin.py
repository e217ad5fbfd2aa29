import math
import random

import pytest

from halluc.errors import LengthMismatchError
from halluc.metrics.yes_margin import accuracy_at, auroc, best_threshold


def brute_auroc(margins, labels):
    pairs = [
        (a, b)
        for a, gold in zip(margins, labels, strict=True)
        if gold
        for b, other in zip(margins, labels, strict=True)
        if not other
    ]
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)


@pytest.mark.parametrize("seed", range(5))
def test_against_all_pairs_and_all_thresholds(seed):
    rng = random.Random(seed)
    margins = [rng.randint(-3, 3) / 2 for _ in range(40)]
    labels = [rng.random() < 0.4 for _ in margins]
    assert auroc(margins, labels) == pytest.approx(brute_auroc(margins, labels))
    best = best_threshold(margins, labels)
    tried = [accuracy_at(t, margins, labels) for t in (-math.inf, *margins)]
    assert best.accuracy == pytest.approx(max(tried))
    assert accuracy_at(best.low, margins, labels) == pytest.approx(best.accuracy)


def test_shifting_the_margins_does_not_change_auroc():
    margins, labels = [0.1, 0.4, 0.35, 0.8], [False, False, True, True]
    assert auroc(margins, labels) == auroc([m - 5 for m in margins], labels) == 0.75


def test_infinite_margins_are_fine():
    assert auroc([math.inf, -math.inf], [True, False]) == 1.0
    assert best_threshold([math.inf, -math.inf], [True, False]).accuracy == 1.0


def test_always_yes_may_be_best():
    best = best_threshold([1.0, 2.0, 3.0], [True, True, False])
    assert (best.low, best.high, best.accuracy) == (-math.inf, 1.0, pytest.approx(2 / 3))


@pytest.mark.parametrize("labels", [[True, True], [False, False]])
def test_undefined_with_one_class(labels):
    assert auroc([0.0, 1.0], labels) is None
    assert best_threshold([0.0, 1.0], labels) is None


def test_undefined_without_answers():
    assert auroc([], []) is None
    assert best_threshold([], []) is None
    assert accuracy_at(0.0, [], []) is None


def test_lengths_must_match():
    with pytest.raises(LengthMismatchError):
        auroc([1.0], [])
