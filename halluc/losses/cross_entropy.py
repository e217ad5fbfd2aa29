"""Cross-entropy on answer tokens, summed, with the weight to divide it by."""

from dataclasses import dataclass

from torch import Tensor

from halluc.packing.sequence import AnswerLogps


@dataclass(frozen=True, slots=True)
class LossSum:
    """Hold a sum over supervised targets and what it has to be divided by once all ranks are known.

    Attributes:
        total: Weighted sum of losses, a scalar with gradient.
        weight: Sum of the weights of its targets, a scalar.
    """

    total: Tensor
    weight: Tensor


def cross_entropy(logps: AnswerLogps, weights: Tensor) -> LossSum:
    """Sum the negative log-likelihood of all answer tokens.

    Args:
        logps: Token log-probabilities of S answers.
        weights: Weight of each answer, shape ``[S]``; every token of an answer carries it.

    Returns:
        The sum over tokens, and the sum of the tokens' weights: their quotient is the mean
        cross-entropy a token, in nats.
    """
    token_weights = weights[logps.sequence_index]
    return LossSum(-(token_weights * logps.token_logps).sum(), token_weights.sum())
