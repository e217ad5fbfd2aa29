"""Questions whose answer changed between two evaluations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from halluc.report.results import Rows, rows_by_id


@dataclass(frozen=True, slots=True)
class Flip:
    """Hold one question that was answered differently.

    Attributes:
        benchmark: Name of the benchmark.
        id: The question's id.
        images: Its pictures.
        prompt: What was asked.
        gold: The right answer.
        before: What was read from the first answer; None means unparsed.
        after: What was read from the second.
    """

    benchmark: str
    id: str
    images: tuple[str, ...]
    prompt: str
    gold: str | None
    before: str | None
    after: str | None

    @property
    def change(self) -> str:
        """Say what the flip did: ``cured``, ``broken``, or ``other`` (from wrong to wrong)."""
        if self.after == self.gold:
            return "cured"
        return "broken" if self.before == self.gold else "other"


def flips(before: Path, after: Path, benchmarks: Iterable[str]) -> list[Flip]:
    """List the questions of two folders ``predictions/<epoch>`` whose answers differ.

    A question that was asked only once is no flip.

    Args:
        before: Folder of the first evaluation.
        after: Folder of the second one.
        benchmarks: Names of the benchmarks, in the order of the flips.
    """
    found: list[Flip] = []
    for name in benchmarks:
        first, second = (folder / f"{name}.jsonl" for folder in (before, after))
        if first.exists() and second.exists():
            found += flips_between(name, rows_by_id(first), rows_by_id(second))
    return found


def flips_between(benchmark: str, before: Rows, after: Rows) -> list[Flip]:
    """List the questions of one benchmark whose answers differ."""
    return [
        Flip(
            benchmark, name, tuple(row["images"]), row["prompt"], row["gold"],
            before[name]["parsed"], row["parsed"],
        )
        for name, row in after.items()
        if name in before and before[name]["parsed"] != row["parsed"]
    ]  # fmt: skip


def count_changes(found: Sequence[Flip]) -> dict[str, int]:
    """Count cured, broken and other flips."""
    return {kind: sum(flip.change == kind for flip in found) for kind in ("cured", "broken", "other")}
