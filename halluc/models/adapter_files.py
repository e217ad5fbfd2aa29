"""Save adapter weights, and bring them back."""

import json
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from pathlib import Path

import peft
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.distributed.tensor import DTensor

from halluc.errors import ResumeError, SourceNotFoundError
from halluc.models.lvlm import Lvlm

logger = logging.getLogger(__name__)

WEIGHTS = "adapter_model.safetensors"
ORIGIN = "halluc.json"


def adapter_state(lvlm: Lvlm) -> dict[str, Tensor]:
    """Copy the adapter's weights to the CPU, under PEFT's names.

    Sharded weights are put together, so every rank has to call this.

    Raises:
        ConfigError: If the model has no adapter.
    """
    lvlm.require_adapter()
    state = peft.get_peft_model_state_dict(lvlm.model, save_embedding_layers=False)
    return {name: _whole(tensor).detach().cpu().clone() for name, tensor in state.items()}


def load_adapter_state(lvlm: Lvlm, state: Mapping[str, Tensor]) -> None:
    """Set the weights of an attached adapter.

    Args:
        lvlm: A model with an adapter of the same rank on the same modules.
        state: What ``adapter_state`` returned.

    Raises:
        ResumeError: If names or shapes differ from those of the attached adapter.
        ConfigError: If the model has no adapter.
    """
    present = adapter_state(lvlm)
    wrong = sorted(
        name
        for name in present.keys() | state.keys()
        if name not in present or name not in state or present[name].shape != state[name].shape
    )
    if wrong:
        raise ResumeError(
            f"the saved adapter differs from the attached one in {len(wrong)} of {len(present)} weights, "
            f"first {wrong[0]}. Use the adapter settings (r, target_modules, use_dora) it was saved with."
        )
    peft.set_peft_model_state_dict(lvlm.model, dict(state))


def save_adapter(lvlm: Lvlm, folder: Path) -> None:
    """Write the adapter in PEFT's layout, with a note of the model that it belongs to.

    ``peft.PeftModel.from_pretrained(model, folder)`` loads it without this project.

    Args:
        lvlm: A model with an adapter.
        folder: Made if missing; files in it are overwritten.

    Raises:
        ConfigError: If the model has no adapter.
    """
    state = adapter_state(lvlm)
    folder.mkdir(parents=True, exist_ok=True)
    config = copy(lvlm.model.active_peft_config)
    config.base_model_name_or_path = lvlm.path
    config.inference_mode = True
    config.save_pretrained(str(folder))
    _replace(folder / WEIGHTS, lambda path: save_file(state, path, metadata={"format": "pt"}))
    note = json.dumps({"path": lvlm.path, "max_pixels": lvlm.max_pixels}, indent=2) + "\n"
    _replace(folder / ORIGIN, lambda path: path.write_text(note, encoding="utf-8"))


def load_adapter(lvlm: Lvlm, folder: Path) -> None:
    """Bring a saved adapter back: into the attached one, or by wrapping a model that has none.

    Args:
        lvlm: The model that the adapter was trained on.
        folder: What ``save_adapter`` wrote.

    Raises:
        SourceNotFoundError: If the folder holds no adapter.
        ResumeError: If it does not fit the attached adapter or the model.
    """
    if not (folder / WEIGHTS).is_file():
        raise SourceNotFoundError(
            f"no adapter found in {folder} ({WEIGHTS} is missing). Name a folder that save_adapter wrote, "
            "such as RUN_DIR/adapter."
        )
    _warn_of_other_base(lvlm, folder)
    if lvlm.is_adapted:
        load_adapter_state(lvlm, load_file(folder / WEIGHTS))
        return
    try:
        with without_alias_warning():
            lvlm.model = peft.PeftModel.from_pretrained(lvlm.model, str(folder), is_trainable=True)
    except (RuntimeError, ValueError) as error:
        raise ResumeError(f"the adapter in {folder} does not fit {lvlm.path}: {error}") from error
    lvlm.train(lvlm.training)  # the new layers take the model's mode


@contextmanager
def without_alias_warning() -> Iterator[None]:
    """Silence one warning that peft 0.21 causes in transformers 5.24 by reading an old property name."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"`is_gradient_checkpointing` is deprecated")
        yield


def _warn_of_other_base(lvlm: Lvlm, folder: Path) -> None:
    note = folder / ORIGIN
    origin = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {}
    if origin.get("path", lvlm.path) != lvlm.path:
        logger.warning("adapter %s was trained on %s, not on %s", folder, origin["path"], lvlm.path)


def _whole(tensor: Tensor) -> Tensor:
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place and move it there, so that an interruption leaves the old one."""
    temporary = path.with_name(path.name + ".partial")
    write(temporary)
    temporary.replace(path)
