import os
import signal

import pytest
import torch

from halluc.callbacks.stop_request import StopRequest
from halluc.errors import RunInterruptedError

CPU = torch.device("cpu")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_remembered_and_obeyed_at_a_safe_point(number):
    before = signal.getsignal(number)
    with StopRequest() as stop:
        stop.raise_if_requested(CPU, "")
        assert not stop.here
        os.kill(os.getpid(), number)
        assert stop.here
        with pytest.raises(RunInterruptedError, match="go on with"):
            stop.raise_if_requested(CPU, "go on with …")
    assert signal.getsignal(number) is before


def test_a_second_ctrl_c_stops_at_once():
    with StopRequest():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
