"""Build a tiny random checkpoint and write it to a folder."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from transformers import PreTrainedModel, ProcessorMixin

from halluc.errors import UnknownOptionError
from halluc.models.tiny.gemma import gemma3, paligemma
from halluc.models.tiny.idefics import idefics3, smolvlm
from halluc.models.tiny.internvl import internvl
from halluc.models.tiny.llava import llava, llava_next, llava_onevision
from halluc.models.tiny.mllama import mllama
from halluc.models.tiny.qwen import qwen2_5_vl, qwen2_vl, qwen3_vl

logger = logging.getLogger(__name__)

FAMILIES: Mapping[str, Callable[[], tuple[PreTrainedModel, ProcessorMixin]]] = {
    "qwen2_vl": qwen2_vl,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl,
    "llava": llava,
    "llava_next": llava_next,
    "llava_onevision": llava_onevision,
    "internvl": internvl,
    "idefics3": idefics3,
    "smolvlm": smolvlm,
    "gemma3": gemma3,
    "paligemma": paligemma,
    "mllama": mllama,
}


def build_tiny(family: str, out: Path, seed: int = 0) -> None:
    """Write a random checkpoint of one family to a folder, without any download.

    The folder holds safetensors weights, a configuration, a tokenizer, a processor and a chat
    template, so that ``AutoModelForImageTextToText`` and ``AutoProcessor`` load it.

    Args:
        family: One of ``FAMILIES``.
        out: Folder to write, made if missing.
        seed: Seed of the random weights; the global random state is left as it was.

    Raises:
        UnknownOptionError: If the family is unknown.
    """
    if family not in FAMILIES:
        raise UnknownOptionError("family", family, FAMILIES)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, processor = FAMILIES[family]()
        randomise_zeros(model)
    out.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(out)
    processor.save_pretrained(out)
    count = sum(parameter.numel() for parameter in model.parameters())
    logger.info("wrote a random %s of %d parameters to %s", family, count, out)


def randomise_zeros(model: torch.nn.Module, std: float = 0.3) -> None:
    """Draw every all-zero parameter anew, biases aside.

    Some architectures start with a zero projector or zero gates; such a model ignores its pictures,
    and a test on it proves nothing.

    Args:
        model: Changed in place.
        std: Standard deviation of the new values.
    """
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if not name.endswith("bias") and not parameter.any():
                parameter.normal_(0.0, std)
