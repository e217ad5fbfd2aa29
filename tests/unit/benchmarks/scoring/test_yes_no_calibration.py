import pytest

from halluc.benchmarks.scoring.yes_no_calibration import yes_no_calibration
from halluc.data.records import AnswerSpace, Prediction, Question


def ask(name, gold, yes, space=None):
    question = Question(id=name, images=(), prompt="?", space=space or AnswerSpace.yes_no(), gold=gold)
    parsed = "yes" if yes > 0.5 else "no"
    probabilities = {"yes": yes, "no": 1 - yes}
    return question, Prediction(id=name, text=parsed, parsed=parsed, probabilities=probabilities)


def calibrate(*asked, fitted_on=()):
    return yes_no_calibration([q for q, _ in asked], [p for _, p in asked], fitted_on)


# Says yes to everything, but more surely where it is right.
GIVEN = [("yes", 0.95), ("yes", 0.9), ("no", 0.7), ("no", 0.6)]
BIASED = [ask(f"{half}{n}", gold, yes) for half in "ab" for n, (gold, yes) in enumerate(GIVEN)]


def test_a_fitted_threshold_is_tried_on_other_questions_and_changes_no_score():
    found = calibrate(*BIASED, fitted_on={"a0", "a1", "a2", "a3"})
    assert (found["n"], found["yes_ratio"], found["auroc"]) == (8, 1.0, 1.0)
    assert found["threshold"]["accuracy_at_0"] == 0.5
    assert found["threshold"]["accuracy"] == 1.0
    assert (found["threshold"]["fitted_on_n"], found["threshold"]["tried_on_n"]) == (4, 4)


def test_calibration_error_by_hand():
    found = calibrate(*BIASED)
    # bins (0.5,0.6]: right 0; (0.6,0.7]: 0; (0.8,0.9]: 1; (0.9,1]: 1; each two answers of eight
    assert found["expected_calibration_error"] == pytest.approx((0.6 + 0.7 + 0.1 + 0.05) / 4)
    assert [one["n"] for one in found["reliability"]] == [2, 2, 2, 2]


def test_what_is_undefined_is_left_out():
    one_class = calibrate(ask("a", "yes", 0.9), ask("b", "yes", 0.2), fitted_on={"a"})
    assert one_class.keys() == {"n", "yes_ratio", "expected_calibration_error", "reliability"}


@pytest.mark.parametrize("fitted_on", [set(), {"a", "b"}])
def test_no_threshold_without_questions_on_both_sides(fitted_on):
    assert "threshold" not in calibrate(ask("a", "yes", 0.9), ask("b", "no", 0.2), fitted_on=fitted_on)


def test_a_model_that_is_certain_gets_finite_numbers():
    found = calibrate(ask("a", "yes", 1.0), ask("b", "no", 1.0), ask("c", "yes", 1.0), fitted_on={"a", "b"})
    assert abs(found["threshold"]["value"]) < 1e9


def test_text_answers_and_other_kinds_do_not_count():
    question, prediction = ask("a", "A", 0.9, AnswerSpace.choice(("x", "y")))
    text = Prediction(id="b", text="yes", parsed="yes")
    assert yes_no_calibration([question, ask("b", "yes", 0.9)[0]], [prediction, text], ()) is None
