"""The optimiser of pretraining: Muon for the matrices, AdamW for the rest."""

from collections.abc import Iterable

import torch
from torch.nn import Parameter

from halluc.miniworld.pretraining.muon import FloatMuon

MATRIX_DECAY = 0.05
OTHER_DECAY = 0.01
GRADIENT_CLIP = 1.0


class MatrixOptimizer:
    """Update matrices by Muon and everything else by AdamW, at one learning rate.

    AdamW alone stays at chance several times longer on this task.

    Args:
        named: Names and parameters; those without ``requires_grad`` are left out.
    """

    def __init__(self, named: Iterable[tuple[str, Parameter]]) -> None:
        trainable = [(name, p) for name, p in named if p.requires_grad]
        self.parameters = [p for _, p in trainable]
        matrices = [p for name, p in trainable if p.ndim == 2 and "embed" not in name]
        known = {id(p) for p in matrices}
        others = [p for p in self.parameters if id(p) not in known]
        self._muon = FloatMuon(matrices, weight_decay=MATRIX_DECAY)
        groups = [
            {"params": [p for p in others if p.ndim > 2], "weight_decay": OTHER_DECAY},
            {"params": [p for p in others if p.ndim <= 2], "weight_decay": 0.0},
        ]
        self._adam = torch.optim.AdamW([g for g in groups if g["params"]], betas=(0.9, 0.98), foreach=False)

    def step(self, lr: float) -> None:
        """Clip the gradients' norm at 1, update at a learning rate, forget the gradients."""
        torch.nn.utils.clip_grad_norm_(self.parameters, GRADIENT_CLIP)
        for optimizer in (self._muon, self._adam):
            for group in optimizer.param_groups:
                group["lr"] = lr
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    def state(self) -> dict[str, object]:
        """Return the state of both optimisers, to go on later."""
        return {"muon": self._muon.state_dict(), "adam": self._adam.state_dict()}

    def load_state(self, state: dict[str, dict[str, object]]) -> None:
        """Take the state that ``state`` returned."""
        self._muon.load_state_dict(state["muon"])
        self._adam.load_state_dict(state["adam"])
