"""One way to do the work that is measured."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True)
class Contestant:
    """Hold one way.

    Attributes:
        name: As the table shows it.
        step: Does the work once and returns what it computed, shape ``[n]``, to be compared with what
            the others computed.
        flops: Operations that the work needs at least this way; None where they are not counted.
        tokens: Tokens of all sequences, shared ones counted as often as they occur; None where not counted.
    """

    name: str
    step: Callable[[], Tensor]
    flops: float | None = None
    tokens: int | None = None
