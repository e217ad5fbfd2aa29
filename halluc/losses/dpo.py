"""The sigmoid loss of Direct Preference Optimization."""

from dataclasses import dataclass

from torch.nn.functional import logsigmoid

from halluc.errors import ConfigError
from halluc.losses.pairs import PairLogps, PairLoss


@dataclass(frozen=True, slots=True)
class SigmoidLoss:
    """Compute -log sigmoid(beta * margin), where margin is the log-ratio of chosen over rejected.

    Attributes:
        beta: Strength of the pull towards the reference, > 0.
        label_smoothing: Assumed share of swapped pairs, in [0, 0.5) ("conservative DPO").

    Raises:
        ConfigError: If a value lies outside its range.

    Reference:
        Rafailov et al., Direct Preference Optimization, arXiv 2305.18290, equation 7; the smoothing
        is that of Mitchell, "A note on DPO with noisy preferences", equation 3.

    Example:
        >>> import torch
        >>> zero = torch.zeros(1)
        >>> loss = SigmoidLoss(beta=0.1)(PairLogps(zero, zero, zero, zero))
        >>> round(float(loss.losses), 4)
        0.6931
    """

    beta: float = 0.1
    label_smoothing: float = 0.0

    def __post_init__(self) -> None:
        """Refuse values outside their range."""
        if self.beta <= 0:
            raise ConfigError(f"method.loss.beta={self.beta} must be greater than 0; 0.1 is usual.")
        if not 0 <= self.label_smoothing < 0.5:
            raise ConfigError(f"method.loss.label_smoothing={self.label_smoothing} must lie in [0, 0.5).")

    def __call__(self, logps: PairLogps) -> PairLoss:
        """Compute the loss of each pair."""
        chosen = self.beta * (logps.policy_chosen_logps - logps.reference_chosen_logps)
        rejected = self.beta * (logps.policy_rejected_logps - logps.reference_rejected_logps)
        margin = chosen - rejected
        kept, swapped = -logsigmoid(margin), -logsigmoid(-margin)  # eq. 7 for both orders of the pair
        losses = (1 - self.label_smoothing) * kept + self.label_smoothing * swapped
        return PairLoss(losses, chosen.detach(), rejected.detach())
