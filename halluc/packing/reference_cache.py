"""Remember what the frozen reference says about an answer, so that it is asked once a run."""

from collections.abc import Callable, Hashable, Sequence

import torch
from torch import Tensor

from halluc.packing.sequence import ScoredSequence


def reference_key(sequence: ScoredSequence, max_pixels: int | None = None) -> Hashable:
    """Name everything that a log-probability depends on within a run, the weights aside."""
    question = sequence.question
    return (
        question.images,
        question.image_offsets,
        question.system,
        question.prompt,
        sequence.answer,
        sequence.ends_turn,
        max_pixels,
    )


class ReferenceCache:
    """Keep summed log-probabilities of answers under a model that does not change.

    A number an answer is all that preference losses need, so a million pairs take a few hundred
    megabytes. The cache is for one reference model and one run.

    Example:
        >>> cache = ReferenceCache()
        >>> cache.sums(["a", "b"], lambda: torch.tensor([-1.0, -2.0]), torch.device("cpu"))
        tensor([-1., -2.])
        >>> cache.sums(["b"], lambda: torch.tensor([0.0]), torch.device("cpu"))
        tensor([-2.])
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, float] = {}

    def state_dict(self) -> dict[Hashable, float]:
        """Return what is known, for a checkpoint."""
        return dict(self._known)

    def load_state_dict(self, state_dict: dict[Hashable, float]) -> None:
        """Know what a checkpoint knew."""
        self._known = dict(state_dict)

    def sums(self, keys: Sequence[Hashable], compute: Callable[[], Tensor], device: torch.device) -> Tensor:
        """Return one log-probability an answer, shape ``[S]``, without gradient.

        Args:
            keys: Name of each answer, from ``reference_key``.
            compute: Gives all of them, in the order of ``keys``; called if any is not known yet.
            device: Where they are wanted.
        """
        if not all(key in self._known for key in keys):
            with torch.no_grad():
                computed = zip(keys, compute().tolist(), strict=True)
            for key, value in computed:  # the first value stays, so that a number never changes within a run
                self._known.setdefault(key, value)
        return torch.tensor([self._known[key] for key in keys], dtype=torch.float32, device=device)
