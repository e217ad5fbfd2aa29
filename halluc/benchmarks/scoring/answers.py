"""Answered questions of a benchmark, with the cluster of images that each belongs to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from halluc.benchmarks.scoring.clusters import image_clusters
from halluc.data.records import Prediction, Question
from halluc.metrics.weighted import Sums

Pair = tuple[Question, Prediction]
SumsT = TypeVar("SumsT")


@dataclass(frozen=True, slots=True)
class Answers:
    """Hold answered questions, in published order.

    Attributes:
        pairs: Each question with its prediction.
        clusters: Question id to the number of its cluster, from 0.
        count: Number of clusters.
    """

    pairs: Sequence[Pair]
    clusters: Mapping[str, int]
    count: int

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> "Answers":
        """Find out which questions share images."""
        numbers = image_clusters(question for question, _ in pairs)
        clusters = {question.id: number for (question, _), number in zip(pairs, numbers, strict=True)}
        return cls(pairs, clusters, max(numbers, default=-1) + 1)

    def by_tag(self, tag: str) -> dict[str, list[Pair]]:
        """Split by a tag of the questions, in order of appearance; untagged ones are left out."""
        return group_pairs(self.pairs, tag)

    def sums(self, units: Sequence[tuple[Question, SumsT]], kind: type[SumsT]) -> Sums[SumsT]:
        """Sum over units, each of which lies where its question does."""
        clusters = [self.clusters[question.id] for question, _ in units]
        return Sums(clusters, [unit for _, unit in units], self.count, kind)

    def sums_of(
        self, pairs: Sequence[Pair], unit: Callable[[Question, Prediction], SumsT], kind: type[SumsT]
    ) -> Sums[SumsT]:
        """Sum over single questions."""
        clusters = [self.clusters[question.id] for question, _ in pairs]
        return Sums(clusters, [unit(*pair) for pair in pairs], self.count, kind)


def group_pairs(pairs: Iterable[Pair], tag: str) -> dict[str, list[Pair]]:
    """Split pairs by a tag of their questions, in order of appearance; untagged ones are left out."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        tags = pair[0].tags
        if tag in tags:
            groups.setdefault(tags[tag], []).append(pair)
    return groups
