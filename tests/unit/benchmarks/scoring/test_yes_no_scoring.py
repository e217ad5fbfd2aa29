import math

import pytest

from halluc.benchmarks.scoring.answers import Answers
from halluc.benchmarks.scoring.yes_no_scoring import (
    MARGINS,
    count_groups,
    margin_groups,
    score_counts,
    yes_margin,
)
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.metrics.tally import Tally
from halluc.metrics.yes_no import yes_no_scores


def pair(name, gold, parsed, *, yes=None, **tags):
    probabilities = None if yes is None else {"yes": yes, "no": 1 - yes}
    question = Question(id=name, images=(), prompt="?", space=AnswerSpace.yes_no(), gold=gold, tags=tags)
    return question, Prediction(id=name, text=parsed, parsed=parsed, probabilities=probabilities)


def score_pairs(pairs, formula):
    answers = Answers.of(pairs)
    groups = count_groups(answers, {"all": pairs}) | margin_groups(answers, {"all": pairs})
    made = Tally(answers.count, groups, lambda t: score_counts(t["all"], formula, t.get(MARGINS + "all")))
    return made.score()


def test_scores_of_texts_hold_no_auroc():
    scores = score_pairs([pair("a", "yes", "yes"), pair("b", "no", None)], yes_no_scores)
    assert scores["accuracy"] == 0.5
    assert scores["n"] == 2.0
    assert "auroc" not in scores


def test_auroc_and_best_threshold_of_a_model_that_always_says_yes():
    pairs = [
        pair("a", "yes", "yes", yes=0.9),
        pair("b", "yes", "yes", yes=0.8),
        pair("c", "no", "yes", yes=0.7),
        pair("d", "no", "yes", yes=0.6),
    ]
    scores = score_pairs(pairs, yes_no_scores)
    assert (scores["accuracy"], scores["auroc"], scores["best_threshold_accuracy"]) == (0.5, 1.0, 1.0)


def test_auroc_needs_the_probabilities_of_all_answers():
    pairs = [pair("a", "yes", "yes", yes=0.9), pair("b", "no", "no")]
    assert "auroc" not in score_pairs(pairs, yes_no_scores)


def test_auroc_is_undefined_with_one_class():
    scores = score_pairs([pair("a", "yes", "yes", yes=0.9)], yes_no_scores)
    assert scores["auroc"] is None
    assert scores["best_threshold_accuracy"] is None


@pytest.mark.parametrize(
    ("yes", "margin"), [(0.5, 0.0), (1.0, math.inf), (0.0, -math.inf), (0.75, math.log(3))]
)
def test_yes_margin(yes, margin):
    assert yes_margin({"yes": yes, "no": 1 - yes}) == pytest.approx(margin)
