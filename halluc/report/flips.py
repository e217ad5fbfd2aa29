"""Questions whose answer changed between two evaluations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halluc.report.results import read_predictions


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


def flips(before: Path, after: Path) -> list[Flip]:
    """List the questions of two folders ``predictions/<epoch>`` whose answers differ.

    A question that was asked only once is no flip.
    """
    found: list[Flip] = []
    for path in sorted(after.glob("*.jsonl")):
        first = before / path.name
        if not first.exists():
            continue
        earlier = {row["id"]: row for row in read_predictions(first)}
        for row in read_predictions(path):
            old = earlier.get(row["id"])
            if old is not None and old["parsed"] != row["parsed"]:
                found.append(
                    Flip(
                        path.stem, row["id"], tuple(row["images"]), row["prompt"], row["gold"],
                        old["parsed"], row["parsed"],
                    )
                )  # fmt: skip
    return found


def count_changes(found: Sequence[Flip]) -> dict[str, int]:
    """Count cured, broken and other flips."""
    return {kind: sum(flip.change == kind for flip in found) for kind in ("cured", "broken", "other")}
