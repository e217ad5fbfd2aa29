"""Choose which questions an epoch asks: by image, seeded, stratified, select apart from report."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halluc.benchmarks.scoring.clusters import image_clusters
from halluc.data.records import Question
from halluc.errors import ConfigError

logger = logging.getLogger(__name__)

STRATUM_TAGS = ("subset", "mode", "task")


@dataclass(frozen=True, slots=True)
class AskedQuestions:
    """Hold the questions of one benchmark for every epoch of a run.

    Attributes:
        select: What checkpoints, early stopping and sweeps may look at.
        report: What tables show; shares no image with ``select``.
    """

    select: tuple[Question, ...]
    report: tuple[Question, ...]

    @property
    def all(self) -> tuple[Question, ...]:
        """Both parts, each in published order."""
        return self.select + self.report


def choose_questions(
    questions: Sequence[Question],
    *,
    images_per_epoch: int | None,
    select_fraction: float,
    seed: int,
    name: str = "a benchmark",
) -> AskedQuestions:
    """Draw a fixed sample of images and split it in two.

    Questions that share an image, directly or through a third one, stay together and count as one
    image. Strata are the rarest combination of subset, mode and task that an image is asked about;
    each gets its proportional share and, while there is room, at least one image in each part.

    Args:
        questions: All questions of one benchmark.
        images_per_epoch: Number of images (or linked images) in both parts together; None takes all.
        select_fraction: Share of them that goes to ``select``, in (0, 1).
        seed: Seed of the draw; the same seed gives the same questions.
        name: What the questions are called in a warning.

    Raises:
        ConfigError: If ``select_fraction`` lies outside (0, 1) or ``images_per_epoch`` is below 2.
    """
    if not 0 < select_fraction < 1:
        raise ConfigError(f"evaluation.select_fraction={select_fraction} must lie between 0 and 1.")
    if images_per_epoch is not None and images_per_epoch < 2:
        raise ConfigError(
            f"evaluation.images_per_epoch={images_per_epoch} must be at least 2, or null for all."
        )
    clusters = image_clusters(questions)
    order = _stratified_order(questions, clusters, np.random.default_rng(seed))
    asked = order[:images_per_epoch]
    chosen = {cluster for cluster, _ in asked}
    select = _selected(asked, select_fraction)
    if not select:
        logger.warning("%s: all questions share images, so none is kept for model selection.", name)
    parts: tuple[list[Question], list[Question]] = ([], [])
    for question, cluster in zip(questions, clusters, strict=True):
        if cluster in chosen:
            parts[cluster not in select].append(question)
    return AskedQuestions(tuple(parts[0]), tuple(parts[1]))


def _stratified_order(
    questions: Sequence[Question], clusters: Sequence[int], rng: np.random.Generator
) -> list[tuple[int, str]]:
    """Order the clusters so that every prefix holds each stratum in proportion."""
    kinds: dict[int, set[str]] = {}
    for question, cluster in zip(questions, clusters, strict=True):
        kinds.setdefault(cluster, set()).add("/".join(question.tags.get(tag, "") for tag in STRATUM_TAGS))
    frequency = Counter(kind for held in kinds.values() for kind in held)
    strata: dict[str, list[int]] = {}
    for cluster, held in kinds.items():
        strata.setdefault(min(held, key=lambda kind: (frequency[kind], kind)), []).append(cluster)
    placed = []
    for name in sorted(strata):
        shuffled = rng.permutation(strata[name])
        # The i-th of n members stands at (i + 0.5) / n; the first two are moved to the front, so that
        # a rare stratum reaches both parts.
        placed += [
            (i - 2 if i < 2 else (i + 0.5) / len(shuffled), rng.random(), int(c), name)
            for i, c in enumerate(shuffled)
        ]
    return [(cluster, name) for _, _, cluster, name in sorted(placed)]


def _selected(asked: Sequence[tuple[int, str]], fraction: float) -> set[int]:
    """Take ``fraction`` of each stratum, at least one and never all; lone members are pooled."""
    strata: dict[str, list[int]] = {}
    for cluster, name in asked:
        strata.setdefault(name, []).append(cluster)
    lone = [members[0] for members in strata.values() if len(members) == 1]
    selected: set[int] = set(lone[: round(len(lone) * fraction)])
    for members in strata.values():
        if len(members) > 1:
            selected.update(members[: min(max(round(len(members) * fraction), 1), len(members) - 1)])
    return selected
