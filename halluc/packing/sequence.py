"""The one seam between losses and models: questions with answers in, log-probabilities out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import torch
from torch import Tensor

from halluc.data.records import Question
from halluc.errors import ConfigError

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

    @classmethod
    def joined(
        cls, forwards: Iterable[tuple[Tensor, Tensor]], sequence_index: Tensor, count: int
    ) -> "AnswerLogps":
        """Join the log-probabilities of several forwards, possibly none.

        Args:
            forwards: Log-probabilities of each, and the places of their tokens in the batch, both ``[t]``.
            sequence_index: The sequence that each of all tokens belongs to, shape ``[T]``.
            count: The number of sequences.
        """
        parts = list(forwards)
        if not parts:
            empty = torch.zeros(0, dtype=torch.float32, device=sequence_index.device)
            return cls(empty, sequence_index, count)
        logps, places = (torch.cat(tensors) for tensors in zip(*parts, strict=True))
        return cls(logps[torch.argsort(places)], sequence_index, count)

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


def require_positive(option: str, bound: int | None) -> None:
    """Refuse a bound below 1; None stands for no bound.

    Raises:
        ConfigError: If it is; names the option.
    """
    if bound is not None and bound < 1:
        raise ConfigError(f"{option} is {bound}. Give a positive number, or null for no bound.")
