"""The gated hallucination score of VLM2-Bench image sequences."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GatedSequence:
    """Hold the result of one image sequence.

    Attributes:
        gate_open: Whether the coarse question (counting, grouping, true/false) was answered right.
        fine: Whether each fine question was answered right, at least one; None if they were not asked,
            which only a closed gate allows.
    """

    gate_open: bool
    fine: tuple[bool, ...] | None

    @property
    def fine_accuracy(self) -> float | None:
        """Return the share of right fine answers, whatever the gate says, in [0, 1]; None if not asked."""
        return sum(self.fine) / len(self.fine) if self.fine else None

    @property
    def score(self) -> float:
        """Return the fine accuracy behind an open gate, 0.0 behind a closed one."""
        return (self.fine_accuracy or 0.0) if self.gate_open else 0.0


@dataclass(frozen=True, slots=True)
class GatedSums:
    """Hold what the gated scores are made of, summed over sequences.

    Attributes:
        sequences: Number of sequences.
        opened: Number of open gates.
        asked: Number of sequences whose fine questions were asked.
        fine: Sum of fine accuracies of those, whatever the gates say.
        gated: Sum of fine accuracies behind open gates: the published task score.
    """

    sequences: float
    opened: float
    asked: float
    fine: float
    gated: float

    @classmethod
    def of(cls, sequence: GatedSequence) -> "GatedSums":
        """Return the summand of one sequence."""
        return cls(
            sequences=1.0,
            opened=float(sequence.gate_open),
            asked=float(sequence.fine is not None),
            fine=sequence.fine_accuracy or 0.0,
            gated=sequence.score,
        )

    def __add__(self, other: "GatedSums") -> "GatedSums":
        """Sum over the sequences of both."""
        return GatedSums(
            self.sequences + other.sequences,
            self.opened + other.opened,
            self.asked + other.asked,
            self.fine + other.fine,
            self.gated + other.gated,
        )


NO_SEQUENCES = GatedSums(0.0, 0.0, 0.0, 0.0, 0.0)


def gated_scores(sums: GatedSums) -> dict[str, float | None]:
    """Compute the gated score, and what is needed to see where a gain comes from.

    The published task score is the sum, so it grows with the number of sequences. Each sequence
    counts alike, however many fine questions it has.

    Args:
        sums: Sums over the N sequences of one task.

    Returns:
        ``gated_sum`` in [0, N]; ``gated_mean`` = sum / N; ``gate_open_rate``; ``fine_accuracy``, the
        mean without the gate, None if not all fine questions were asked; ``fine_accuracy_when_open``,
        None if no gate opened; ``sequences`` = N. All but the last are None if N is 0.

    Reference:
        CMU MSCV 2025 team 15, project page, section "Evaluation Metrics"; VLM2-Bench,
        arXiv 2502.12084.

    Example:
        >>> half, closed = GatedSequence(True, (True, False)), GatedSequence(False, (True,))
        >>> scores = gated_scores(GatedSums.of(half) + GatedSums.of(closed))
        >>> scores["gated_sum"], scores["gated_mean"], scores["fine_accuracy"]
        (0.5, 0.25, 0.75)
    """
    if not sums.sequences:
        names = ("gated_sum", "gated_mean", "gate_open_rate", "fine_accuracy", "fine_accuracy_when_open")
        return {**dict.fromkeys(names), "sequences": 0.0}
    return {
        "gated_sum": sums.gated,
        "gated_mean": sums.gated / sums.sequences,
        "gate_open_rate": sums.opened / sums.sequences,
        "fine_accuracy": sums.fine / sums.sequences if sums.asked == sums.sequences else None,
        "fine_accuracy_when_open": sums.gated / sums.opened if sums.opened else None,
        "sequences": sums.sequences,
    }
