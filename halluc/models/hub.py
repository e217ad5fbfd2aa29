"""Find a checkpoint on disk, in the local Hugging Face cache, or on the hub, and say so if it is nowhere."""

import json
import logging
from pathlib import Path

from huggingface_hub import HfApi, constants, snapshot_download
from huggingface_hub.errors import (  # type: ignore[attr-defined] # HTTPError comes from httpx or httpx2
    HFValidationError,
    HTTPError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from halluc.errors import ModelNotFoundError

logger = logging.getLogger(__name__)

_FILES = ["*.json", "*.safetensors", "*.jinja", "*.txt", "*.model", "*.py"]
_PROBE_TIMEOUT_S = 5.0


def find_checkpoint(path: str, revision: str | None = None) -> Path:
    """Return the folder of a checkpoint, downloading it only if it is nowhere on this machine.

    A cached copy is used as it is; name a ``revision`` to pin one. Only safetensors weights are taken.

    Args:
        path: A folder, or a hub name such as ``Qwen/Qwen2-VL-7B-Instruct``.
        revision: Branch, tag or commit on the hub; None means the default branch.

    Raises:
        ModelNotFoundError: If it is neither a folder with safetensors weights, nor in the cache, nor
            on a hub that answers within seconds.
    """
    folder = Path(path).expanduser()
    if folder.is_dir():
        return _checked_folder(folder)
    try:
        cached = _cached(path, revision)
    except HFValidationError as error:  # such as a path with three parts
        raise ModelNotFoundError(f"model.path={path} is no folder. {_way_out()}") from error
    if cached is not None:
        return cached
    _check_hub(path, revision)
    logger.info("downloading %s from the hub", path)
    return _checked_folder(Path(snapshot_download(path, revision=revision, allow_patterns=_FILES)))


def _checked_folder(folder: Path) -> Path:
    if not (folder / "config.json").is_file():
        raise ModelNotFoundError(
            f"model.path={folder} holds no config.json, so it is no checkpoint. {_way_out()}"
        )
    if not _has_all_weights(folder):
        raise ModelNotFoundError(
            f"model.path={folder} lacks safetensors weights (model.safetensors, or every part that "
            "model.safetensors.index.json names). Pickled weights (*.bin) are not loaded; convert them with "
            "`model.save_pretrained(folder)`, or finish the download."
        )
    return folder


def _has_all_weights(folder: Path) -> bool:
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        return any(folder.glob("*.safetensors"))
    names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    return all((folder / name).is_file() for name in names)


def _cached(path: str, revision: str | None) -> Path | None:
    try:
        folder = Path(snapshot_download(path, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None
    return folder if (folder / "config.json").is_file() and _has_all_weights(folder) else None


def _check_hub(path: str, revision: str | None) -> None:
    """Ask the hub for the configuration once, with a short timeout and no retry."""
    if constants.HF_HUB_OFFLINE:
        raise ModelNotFoundError(
            f"model.path={path} is no folder and not in the local cache ({constants.HF_HUB_CACHE}), and "
            f"HF_HUB_OFFLINE is set. {_way_out()}"
        )
    try:
        HfApi().model_info(path, revision=revision, timeout=_PROBE_TIMEOUT_S)
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise ModelNotFoundError(
            f"model.path={path} (revision {revision or 'main'}) is neither a folder nor a model that the hub "
            "shows you. Check the name; for a private or gated model log in with `hf auth login`."
        ) from error
    except HTTPError as error:
        raise ModelNotFoundError(
            f"model.path={path} is no folder and not in the local cache ({constants.HF_HUB_CACHE}), and the "
            f"hub {constants.ENDPOINT} can't be reached ({type(error).__name__}). {_way_out()}"
        ) from error


def _way_out() -> str:
    return (
        "Set model.path to a folder that holds the checkpoint (config.json and *.safetensors), or fetch it "
        "on a machine with a network (`hf download NAME`), copy the cache, and set HF_HUB_OFFLINE=1."
    )
