import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halluc.errors import LengthMismatchError
from halluc.metrics.weighted_margins import Margins
from halluc.metrics.yes_margin import auroc, best_threshold

ANSWERS = st.lists(
    st.tuples(st.sampled_from([-math.inf, -1.0, 0.0, 0.5, math.inf]), st.booleans()), min_size=1
)


@given(ANSWERS, st.data())
@settings(max_examples=60, deadline=None)
def test_a_weight_is_as_good_as_repeating_the_answers(answers, data):
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(answers), max_size=len(answers)))
    repeated = [answer for answer, weight in zip(answers, weights, strict=True) for _ in range(weight)]
    margins, labels = [margin for margin, _ in answers], [label for _, label in answers]
    (found,) = Margins(range(len(answers)), margins, labels).totals(np.array(weights, dtype=float)[:, None])
    again = [margin for margin, _ in repeated], [label for _, label in repeated]
    best = best_threshold(*again)
    assert found.auroc == pytest.approx(auroc(*again))
    assert found.best_threshold_accuracy == pytest.approx(None if best is None else best.accuracy)


def test_always_yes_may_be_the_best():
    (found,) = Margins([0, 0, 0], [2.0, 1.0, 3.0], [True, True, False]).totals(np.ones((1, 1)))
    assert found.best_threshold_accuracy == pytest.approx(2 / 3)
    assert found.auroc == 0.0


def test_no_answer_has_no_scores():
    found = Margins([], [], []).totals(np.ones((0, 2)))
    assert [scores.auroc for scores in found] == [None, None]


def test_lengths_must_agree():
    with pytest.raises(LengthMismatchError):
        Margins([0], [1.0], [])
