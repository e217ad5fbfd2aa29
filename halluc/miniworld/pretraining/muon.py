"""Muon in float32: torch's own multiplies in bfloat16, which most CPUs can only emulate."""

from collections.abc import Callable, Iterable
from math import sqrt

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.optim import Optimizer

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
NEWTON_SCHULZ_STEPS = 5
SMALLEST_NORM = 1e-7


class FloatMuon(Optimizer):
    """Step along the orthogonalised momentum of each matrix; the same update as ``torch.optim.Muon``.

    Args:
        params: Matrices only.
        lr: Learning rate, comparable with AdamW's.
        weight_decay: Decoupled, as AdamW's.
        momentum: Of Nesterov's kind.

    Reference:
        Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024; scaled to
        the update size of AdamW as in Liu et al., arXiv 2502.16982, section 2.2.
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
    ) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]  # none is given
        """Update every matrix that has a gradient."""
        del closure
        for group in self.param_groups:
            alike: dict[torch.Size, list[Parameter]] = {}
            for param in group["params"]:
                if param.grad is not None:
                    alike.setdefault(param.shape, []).append(param)
            for params in alike.values():
                self._update(params, group["lr"], group["weight_decay"], group["momentum"])

    def _update(self, params: list[Parameter], lr: float, weight_decay: float, momentum: float) -> None:
        """Update matrices of one shape together: few large products are faster than many small ones."""
        updates = torch.stack([self._nesterov(param, momentum) for param in params])
        size = 0.2 * sqrt(max(updates.shape[1:]))
        for param, update in zip(params, orthogonalized(updates), strict=True):
            param.mul_(1 - lr * weight_decay)
            param.add_(update, alpha=-lr * size)

    def _nesterov(self, param: Parameter, momentum: float) -> Tensor:
        assert param.grad is not None, "only parameters with gradients are updated"
        state = self.state[param]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(param)
        buffer: Tensor = state["momentum_buffer"]
        buffer.lerp_(param.grad, 1 - momentum)
        return param.grad.lerp(buffer, momentum)


def orthogonalized(matrices: Tensor) -> Tensor:
    """Bring the singular values of matrices near 1 (0.7 to 1.2), by a quintic Newton-Schulz iteration.

    Args:
        matrices: Shape ``[N, rows, columns]``.

    Returns:
        The same shape and type.
    """
    tall = matrices.shape[1] > matrices.shape[2]
    found = matrices.mT if tall else matrices
    found = found / found.flatten(1).norm(dim=1).clamp(min=SMALLEST_NORM)[:, None, None]
    a, b, c = COEFFICIENTS
    for _ in range(NEWTON_SCHULZ_STEPS):
        gram = found @ found.mT
        found = torch.baddbmm(found, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), found, beta=a)
    return found.mT if tall else found
