"""The one seam between losses and models: questions with answers in, log-probabilities out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from torch import Tensor

from halluc.data.records import Question

BatchT = TypeVar("BatchT")


@dataclass(frozen=True, slots=True)
class ScoredSequence:
    """Hold one question and the answer whose log-probability is wanted.

    Attributes:
        question: Prompt and images.
        answer: Answer text; tokenised in its place behind the prompt, never on its own.
        ends_turn: Whether the end-of-turn token belongs to what is scored. True in training; False
            for a candidate that only has to begin the answer.
    """

    question: Question
    answer: str
    ends_turn: bool = True


@dataclass(frozen=True, slots=True)
class AnswerLogps:
    """Hold log-probabilities of answer tokens, flat over a batch of ``S`` sequences.

    Attributes:
        token_logps: Shape ``[T]``, float32, natural logarithm; T is the number of answer tokens in all.
        sequence_index: Shape ``[T]``, int64: the sequence that each token belongs to, ascending.
        count: The number of sequences, S.
    """

    token_logps: Tensor
    sequence_index: Tensor
    count: int

    def sums(self) -> Tensor:
        """Sum over the tokens of each sequence, shape ``[S]``; an empty answer sums to 0."""
        zeros = self.token_logps.new_zeros(self.count)
        return zeros.index_add(0, self.sequence_index, self.token_logps)


class SequenceScorer(Protocol[BatchT]):
    """Compute answer log-probabilities, whatever the way (padded rows, token trees, …).

    Two steps, so that the first can run in a data-loading worker: ``collate`` reads pictures and
    tokenises on the CPU, and calling the scorer runs the model on what it returned.
    """

    def collate(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> BatchT:
        """Turn sequences (possibly none) into tensors; ``max_pixels`` overrides the model's bound.

        Raises:
            RecordError: If a text holds one of the tokenizer's control strings; names the id.
            ImageError: If a picture can't be read; names the id.
        """
        ...

    def __call__(self, batch: BatchT) -> AnswerLogps:
        """Score a batch in the order given; gradients flow unless they are switched off outside."""
        ...
