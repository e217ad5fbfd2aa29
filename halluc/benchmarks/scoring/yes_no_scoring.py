"""Scores of groups of yes/no questions."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from halluc.benchmarks.scoring.answers import Answers, Pair
from halluc.data.records import Prediction, Question
from halluc.metrics.tally import Scores
from halluc.metrics.weighted import Weighted
from halluc.metrics.weighted_margins import Margins, MarginScores
from halluc.metrics.yes_no import YesNoCounts, count_yes_no

Formula = Callable[[YesNoCounts], Scores]

_ANSWERS = {"yes": True, "no": False}
MARGINS = "margins of "
"""Put before a group's name, it names the group's margins."""

NOTHING = YesNoCounts(0, 0, 0, 0, 0, 0)

GroupT = TypeVar("GroupT")


def count_groups(answers: Answers, groups: Mapping[GroupT, Sequence[Pair]]) -> dict[GroupT, Weighted[Any]]:
    """Total the counts of each group of answers."""
    return {name: answers.sums_of(pairs, _unit, YesNoCounts) for name, pairs in groups.items()}


def margin_groups(answers: Answers, groups: Mapping[str, Sequence[Pair]]) -> dict[str, Weighted[Any]]:
    """Total the margins of each group in which every answer has probabilities, for ``score_counts``."""
    found = {MARGINS + name: _margins(answers, pairs) for name, pairs in groups.items()}
    return {name: margins for name, margins in found.items() if margins is not None}


def score_counts(counts: YesNoCounts, formula: Formula, margins: MarginScores | None = None) -> Scores:
    """Score counts by a formula, and add ``n`` and what the margins tell.

    ``auroc`` and ``best_threshold_accuracy`` are there only with margins.
    """
    scores = formula(counts)
    if margins is not None:
        scores["auroc"] = margins.auroc
        scores["best_threshold_accuracy"] = margins.best_threshold_accuracy
    return {**scores, "n": float(counts.n)}


def yes_margin(probabilities: Mapping[str, float] | None) -> float | None:
    """Return log p(yes) - log p(no), infinite where one is 0; None without probabilities."""
    if probabilities is None:
        return None
    return _log(probabilities["yes"]) - _log(probabilities["no"])


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -math.inf


def _unit(question: Question, prediction: Prediction) -> YesNoCounts:
    return _count_one(_ANSWERS.get(prediction.parsed or ""), question.gold == "yes")


@cache
def _count_one(predicted: bool | None, label: bool) -> YesNoCounts:
    return count_yes_no([predicted], [label])


def _margins(answers: Answers, pairs: Sequence[Pair]) -> Margins | None:
    margins = [yes_margin(prediction.probabilities) for _, prediction in pairs]
    known = [margin for margin in margins if margin is not None]
    if not margins or len(known) < len(margins):
        return None
    return Margins(
        clusters=[answers.clusters[question.id] for question, _ in pairs],
        margins=known,
        labels=[question.gold == "yes" for question, _ in pairs],
    )
