"""How named scores are put together, and what becomes of undefined ones."""

import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache

from halluc.metrics.tally import Scores

logger = logging.getLogger(__name__)


def prefixed(prefix: str, scores: Mapping[str, float | None]) -> Scores:
    """Put ``prefix/`` before every name."""
    return {f"{prefix}/{name}": value for name, value in scores.items()}


def mean_of(groups: Sequence[Scores]) -> Scores:
    """Average every score that all groups have, unweighted; undefined where one is. ``n`` adds up."""
    if not groups:
        return {}
    means = {name: mean_if_known([group.get(name) for group in groups]) for name in groups[0]}
    return {**means, "n": sum(group.get("n") or 0.0 for group in groups)}


def mean_if_known(values: Sequence[float | None]) -> float | None:
    """Average, unweighted; None if there is no value, or one of them is undefined."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def defined(key: str, scores: Mapping[str, float | None]) -> dict[str, float]:
    """Leave out what is undefined, and say so once in the log."""
    undefined = [name for name, value in scores.items() if value is None]
    if undefined:
        _warn_once(key, ", ".join(undefined))
    return {name: value for name, value in scores.items() if value is not None}


@lru_cache(maxsize=256)
def _warn_once(key: str, names: str) -> None:
    """Warn the first time only: every epoch of a run asks the same questions."""
    logger.warning(
        "%s: no value for %s, since a gold class or an open gate does not occur among the answers, or "
        "questions behind closed gates were not asked.",
        key,
        names,
    )
