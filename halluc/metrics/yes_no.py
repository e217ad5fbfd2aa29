"""Binary metrics of yes/no questions with "yes" as the positive class."""

from collections.abc import Sequence
from dataclasses import dataclass

from halluc.metrics.alignment import check_aligned, ratio


@dataclass(frozen=True, slots=True)
class YesNoCounts:
    """Count answers by gold label and prediction.

    Attributes:
        true_yes: Gold yes, answered yes (TP).
        false_yes: Gold no, answered yes (FP).
        true_no: Gold no, answered no (TN).
        false_no: Gold yes, answered no; unlike the usual FN without the unparsed answers.
        unparsed_yes: Gold yes, unparsed.
        unparsed_no: Gold no, unparsed.
    """

    true_yes: int
    false_yes: int
    true_no: int
    false_no: int
    unparsed_yes: int
    unparsed_no: int

    def __add__(self, other: "YesNoCounts") -> "YesNoCounts":
        """Count the answers of both."""
        return YesNoCounts(
            true_yes=self.true_yes + other.true_yes,
            false_yes=self.false_yes + other.false_yes,
            true_no=self.true_no + other.true_no,
            false_no=self.false_no + other.false_no,
            unparsed_yes=self.unparsed_yes + other.unparsed_yes,
            unparsed_no=self.unparsed_no + other.unparsed_no,
        )

    @property
    def n(self) -> int:
        """Count all answers."""
        return self.gold_yes + self.gold_no

    @property
    def gold_yes(self) -> int:
        """Count the questions whose answer is yes."""
        return self.true_yes + self.false_no + self.unparsed_yes

    @property
    def gold_no(self) -> int:
        """Count the questions whose answer is no."""
        return self.true_no + self.false_yes + self.unparsed_no

    @property
    def predicted_yes(self) -> int:
        """Count the answers "yes"."""
        return self.true_yes + self.false_yes

    @property
    def missed_yes(self) -> int:
        """Count gold yes not answered yes (FN), unparsed answers included."""
        return self.false_no + self.unparsed_yes


def count_yes_no(predictions: Sequence[bool | None], labels: Sequence[bool]) -> YesNoCounts:
    """Count answers by gold label and prediction.

    Args:
        predictions: Parsed answers, length N; True means "yes", None means unparsed.
        labels: Ground truth, length N, aligned with ``predictions``.

    Raises:
        LengthMismatchError: If the two lengths differ.
    """
    check_aligned(predictions, labels)
    pairs = list(zip(labels, predictions, strict=True))
    return YesNoCounts(
        true_yes=pairs.count((True, True)),
        false_yes=pairs.count((False, True)),
        true_no=pairs.count((False, False)),
        false_no=pairs.count((True, False)),
        unparsed_yes=pairs.count((True, None)),
        unparsed_no=pairs.count((False, None)),
    )


def yes_no_scores(counts: YesNoCounts) -> dict[str, float | None]:
    """Compute accuracy, precision, both recalls, F1, yes-ratio and the share of unparsed answers.

    An unparsed answer is wrong and is neither yes nor no. POPE's own script and VLMEvalKit use the
    same formulas on what their readers return; VLMEvalKit's headline is F1 pooled over all subsets.

    Args:
        counts: See ``count_yes_no``.

    Returns:
        Fractions in [0, 1]. Precision is 0.0 if nothing was answered yes, F1 is 0.0 if precision and
        recall are. Recall and F1 are None if no gold answer is yes, ``no_recall`` (the recall of
        "no") if none is no; all are None without questions.
        POPE's script divides by zero in each of these cases, so no published number contradicts.

    Reference:
        Li et al., Evaluating Object Hallucination in Large Vision-Language Models, arXiv 2305.10355.

    Example:
        >>> counts = count_yes_no([True, False, None, True], [True, False, True, False])
        >>> scores = yes_no_scores(counts)
        >>> scores["accuracy"], scores["recall"], scores["yes_ratio"]
        (0.5, 0.5, 0.5)
    """
    if counts.n == 0:
        names = ("accuracy", "precision", "recall", "no_recall", "f1", "yes_ratio", "unparsed_rate")
        return dict.fromkeys(names)
    precision = ratio(counts.true_yes, counts.predicted_yes)
    recall = counts.true_yes / counts.gold_yes if counts.gold_yes else None
    return {
        "accuracy": (counts.true_yes + counts.true_no) / counts.n,
        "precision": precision,
        "recall": recall,
        "no_recall": counts.true_no / counts.gold_no if counts.gold_no else None,
        "f1": harmonic_mean(precision, recall),
        "yes_ratio": counts.predicted_yes / counts.n,
        "unparsed_rate": (counts.unparsed_yes + counts.unparsed_no) / counts.n,
    }


def harmonic_mean(first: float | None, second: float | None) -> float | None:
    """Return 2ab / (a + b), 0.0 if both are 0, None if one is undefined."""
    if first is None or second is None:
        return None
    return ratio(2 * first * second, first + second)
