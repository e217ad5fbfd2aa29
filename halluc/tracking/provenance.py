"""Where a result comes from: version, commit, and the command that made it."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import lightning
import peft
import torch
import transformers

import halluc


def provenance(overrides: Sequence[str]) -> dict[str, object]:
    """Say which code made a result: package versions, git commit (None outside a checkout), overrides."""
    return {
        "overrides": list(overrides),
        "commit": _commit(),
        "halluc": halluc.__version__,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "lightning": lightning.__version__,
        "peft": peft.__version__,
    }


def _commit() -> str | None:
    """Read the commit of the checkout that this package is run from."""
    folder = Path(halluc.__file__).parent
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=40", "--match", "-"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()
