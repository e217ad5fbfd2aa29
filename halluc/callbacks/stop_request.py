"""Turn Ctrl-C and SIGTERM into a request that the run obeys at the next safe point."""

import logging
import signal
from types import FrameType, TracebackType
from typing import Any

import torch

from halluc.errors import RunInterruptedError

logger = logging.getLogger(__name__)

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """Remember that a signal asked the run to stop; a second Ctrl-C stops at once.

    Use it as a context manager around the whole run. ``install`` may be called again after a library
    has put its own handlers in place.
    """

    def __init__(self) -> None:
        self._requested = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "StopRequest":
        """Install the handlers and keep those found."""
        self._previous = {number: signal.getsignal(number) for number in SIGNALS}
        self.install()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put back the handlers that were there before."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def install(self) -> None:
        """Handle SIGINT and SIGTERM from now on."""
        for number in SIGNALS:
            signal.signal(number, self._handle)

    @property
    def here(self) -> bool:
        """Tell whether this rank was asked to stop."""
        return self._requested

    def anywhere(self, device: torch.device) -> bool:
        """Tell whether any rank was asked to stop; every rank has to call this at the same point."""
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            flag = torch.tensor(float(self._requested), device=device)
            torch.distributed.all_reduce(flag, op=torch.distributed.ReduceOp.MAX)
            self._requested = bool(flag)
        return self._requested

    def raise_if_requested(self, device: torch.device, way_on: str) -> None:
        """Stop the run if it was asked to.

        Raises:
            RunInterruptedError: If any rank was asked to stop; ``way_on`` says how to continue.
        """
        if self.anywhere(device):
            raise RunInterruptedError(f"Stopped on request. {way_on}")

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self._requested = True
        logger.warning(
            "%s received: stopping at the next safe point. Press Ctrl-C again to stop at once.",
            signal.Signals(number).name,
        )
