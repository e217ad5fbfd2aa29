"""Scores of a group of yes/no questions, and the handling of scores that are undefined."""

import logging
import math
from collections.abc import Callable, Mapping, Sequence

from halluc.benchmarks.question_source import Pair
from halluc.metrics.yes_margin import auroc, best_threshold
from halluc.metrics.yes_no import YesNoCounts, count_yes_no

logger = logging.getLogger(__name__)

Scores = dict[str, float | None]
_ANSWERS = {"yes": True, "no": False}


def count_pairs(pairs: Sequence[Pair]) -> YesNoCounts:
    """Count the answers of yes/no questions by gold label and prediction."""
    return count_yes_no(
        [_ANSWERS.get(prediction.parsed or "") for _, prediction in pairs],
        [question.gold == "yes" for question, _ in pairs],
    )


def score_pairs(pairs: Sequence[Pair], formula: Callable[[YesNoCounts], Scores]) -> Scores:
    """Score yes/no questions by a formula, and add ``n`` and what the probabilities tell.

    ``auroc`` and ``best_threshold_accuracy`` are there only where every answer has probabilities.
    """
    scores = formula(count_pairs(pairs))
    margins = [yes_margin(prediction.probabilities) for _, prediction in pairs]
    known = [margin for margin in margins if margin is not None]
    if margins and len(known) == len(margins):
        labels = [question.gold == "yes" for question, _ in pairs]
        best = best_threshold(known, labels)
        scores["auroc"] = auroc(known, labels)
        scores["best_threshold_accuracy"] = best.accuracy if best else None
    return {**scores, "n": float(len(pairs))}


def yes_margin(probabilities: Mapping[str, float] | None) -> float | None:
    """Return log p(yes) - log p(no), infinite where one is 0; None without probabilities."""
    if probabilities is None:
        return None
    return _log(probabilities["yes"]) - _log(probabilities["no"])


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -math.inf


def group_pairs(pairs: Sequence[Pair], tag: str) -> dict[str, list[Pair]]:
    """Split pairs by a tag of their questions, in order of appearance; untagged ones are left out."""
    groups: dict[str, list[Pair]] = {}
    for question, prediction in pairs:
        if tag in question.tags:
            groups.setdefault(question.tags[tag], []).append((question, prediction))
    return groups


def prefixed(prefix: str, scores: Mapping[str, float | None]) -> Scores:
    """Put ``prefix/`` before every name."""
    return {f"{prefix}/{name}": value for name, value in scores.items()}


def mean_of(groups: Sequence[Scores]) -> Scores:
    """Average every score that all groups have, unweighted; undefined where one is. ``n`` adds up."""
    if not groups:
        return {}
    means: Scores = {}
    for name in groups[0]:
        values = [group.get(name) for group in groups]
        known = [value for value in values if value is not None]
        means[name] = sum(known) / len(values) if len(known) == len(values) else None
    return {**means, "n": sum(group.get("n") or 0.0 for group in groups)}


def defined(key: str, scores: Mapping[str, float | None]) -> dict[str, float]:
    """Leave out what is undefined, and say so once in the log."""
    undefined = [name for name, value in scores.items() if value is None]
    if undefined:
        logger.warning(
            "%s: no value for %s, since a gold class or an open gate does not occur among the answers.",
            key,
            ", ".join(undefined),
        )
    return {name: value for name, value in scores.items() if value is not None}
