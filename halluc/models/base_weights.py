"""Name a model as it is while its adapter is off: the frozen reference of preference losses."""

import hashlib
import json
from collections.abc import Iterator

from torch import Tensor

from halluc.models.lvlm import Lvlm
from halluc.models.tensor_digest import tensor_digest


def base_fingerprint(lvlm: Lvlm) -> str:
    """Hash the base model's weights and configuration, the version of transformers included.

    Reads every weight once, which takes some ten seconds for 7 billion parameters.

    Returns:
        A hexadecimal SHA-256; the same with and without an adapter, from whatever folder and on whatever
        device. Other number formats of the weights give others.
    """
    settings = json.dumps(_without_paths(lvlm.hf_model.config.to_dict()), sort_keys=True, default=str)
    weights = tensor_digest(sorted(_base_weights(lvlm)))
    return hashlib.sha256(f"{settings}\n{weights}".encode()).hexdigest()


def _base_weights(lvlm: Lvlm) -> Iterator[tuple[str, Tensor]]:
    """Leave out what an adapter added, and undo how it renamed what it wrapped."""
    for name, value in lvlm.hf_model.state_dict().items():
        if ".lora_" not in name and ".modules_to_save." not in name and isinstance(value, Tensor):
            yield name.replace(".base_layer.", ".").replace(".original_module.", "."), value


def _without_paths(settings: dict[str, object]) -> dict[str, object]:
    """Leave out where a checkpoint was loaded from, at any depth."""
    return {
        name: _without_paths(value) if isinstance(value, dict) else value
        for name, value in settings.items()
        if name != "_name_or_path"
    }
