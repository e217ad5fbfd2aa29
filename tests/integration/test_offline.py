"""Without a network, a model that is not here is refused in seconds, by one clear message."""

import os
import subprocess
import sys
import time

import pytest

PROGRAM = """
from halluc.errors import ModelNotFoundError
from halluc.models.load import load_lvlm
try:
    load_lvlm("some-team/some-model-7b")
except ModelNotFoundError as error:
    print(error)
"""


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9", "http://no-such-host.invalid"])
def test_an_unreachable_hub_takes_seconds(endpoint, tmp_path):
    environment = os.environ | {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": endpoint, "HF_HOME": str(tmp_path)}
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert time.monotonic() - start < 45  # imports included; retries would take minutes
    assert done.stdout.startswith(
        "model.path=some-team/some-model-7b is no folder and not in the local cache"
    )
    assert "can't be reached" in done.stdout
    assert "HF_HUB_OFFLINE" in done.stdout
    assert done.stdout.count("\n") == 1
