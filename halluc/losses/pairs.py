"""What every preference loss takes and gives. ``B`` is the number of pairs in a batch."""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


@dataclass(frozen=True, slots=True)
class PairLogps:
    """Hold summed answer log-probabilities of a batch of pairs, each of shape ``[B]``, in nats.

    Attributes:
        policy_chosen_logps: log p(chosen | prompt) under the model in training.
        policy_rejected_logps: log p(rejected | prompt) under the model in training.
        reference_chosen_logps: The first under the frozen reference; no gradient.
        reference_rejected_logps: The second under the frozen reference; no gradient.
    """

    policy_chosen_logps: Tensor
    policy_rejected_logps: Tensor
    reference_chosen_logps: Tensor
    reference_rejected_logps: Tensor


@dataclass(frozen=True, slots=True)
class PairLoss:
    """Hold the loss and the implicit rewards of each pair, each of shape ``[B]``.

    Attributes:
        losses: The loss, not yet reduced.
        chosen_rewards: beta * (policy - reference) of the chosen answer; detached.
        rejected_rewards: The same of the rejected answer; detached.
    """

    losses: Tensor
    chosen_rewards: Tensor
    rejected_rewards: Tensor


class PreferenceLoss(Protocol):
    """Turn log-probabilities of pairs into a loss a pair."""

    def __call__(self, logps: PairLogps) -> PairLoss:
        """Compute the losses; pure."""
        ...
