"""Scores of groups of questions with one right answer among several."""

from collections.abc import Sequence

from halluc.benchmarks.scoring.answers import Answers, Pair
from halluc.data.records import Prediction, Question
from halluc.metrics.choice import ChoiceCounts, count_choice
from halluc.metrics.weighted import Sums


def choice_group(answers: Answers, pairs: Sequence[Pair]) -> Sums[ChoiceCounts]:
    """Total the outcomes of some answers."""
    return answers.sums_of(pairs, count_one, ChoiceCounts)


def count_one(question: Question, prediction: Prediction) -> ChoiceCounts:
    """Count one answer as right, wrong or unparsed."""
    return count_choice(prediction.parsed, question.gold or "")
