"""One benchmark with the questions of it that a run asks."""

from collections.abc import Mapping
from dataclasses import dataclass

from halluc.benchmarks.base import Benchmark
from halluc.benchmarks.sampling import AskedQuestions, choose_questions


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Hold a benchmark, its sample, and which of its scores selects the best epoch.

    Attributes:
        benchmark: The benchmark.
        asked: The fixed sample that each epoch is asked.
        selection: Key of the score that counts for ``select/score``; None if it does not count.
    """

    benchmark: Benchmark
    asked: AskedQuestions
    selection: str | None

    @property
    def parts(self) -> dict[str, str]:
        """Question id to ``select`` or ``report``; questions outside the sample have no part."""
        named = (("select", self.asked.select), ("report", self.asked.report))
        return {question.id: name for name, questions in named for question in questions}


def evaluation_sets(
    benchmarks: Mapping[str, Benchmark],
    selection: Mapping[str, str],
    *,
    images_per_epoch: int | None,
    select_fraction: float,
    seed: int,
) -> dict[str, EvaluationSet]:
    """Draw the sample of each benchmark; see ``choose_questions`` for the arguments."""
    sets = {}
    for name, benchmark in benchmarks.items():
        asked = choose_questions(
            benchmark.questions(),
            images_per_epoch=images_per_epoch,
            select_fraction=select_fraction,
            seed=seed,
            name=name,
        )
        sets[name] = EvaluationSet(benchmark, asked, selection.get(name))
    return sets
