"""Load a checkpoint from disk, the cache or the hub."""

import logging

import torch
from transformers import (
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
    AutoConfig,
    AutoModelForImageTextToText,
    AutoProcessor,
    GenerationConfig,
)

from halluc.errors import ModelSupportError, UnknownOptionError
from halluc.models.families.table import family_for
from halluc.models.hub import find_checkpoint
from halluc.models.lvlm import Lvlm
from halluc.models.quantization import Quantization, keep_weights_unpacked

logger = logging.getLogger(__name__)

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def load_lvlm(
    path: str,
    *,
    dtype: str = "bfloat16",
    max_pixels: int | None = 1_003_520,
    attn_implementation: str = "sdpa",
    quantization: Quantization | None = None,
    revision: str | None = None,
    trust_remote_code: bool = False,
) -> Lvlm:
    """Load a vision-language model and its processor, in evaluation mode.

    Everything cheap is checked before any weights are read. The weights stay on the CPU, where the
    trainer picks them up, unless they are quantised: those go to this process's GPU if there is one.

    Args:
        path: A folder, or a hub name such as ``Qwen/Qwen2-VL-7B-Instruct``.
        dtype: One of ``DTYPES``.
        max_pixels: Upper bound of a picture's width times height; larger ones are scaled down. None
            leaves the processor's own bound.
        attn_implementation: ``sdpa``, ``eager``, ``flash_attention_2``, …
        quantization: How the decoder's frozen weights are stored; None keeps them in ``dtype``.
        revision: Branch, tag or commit on the hub.
        trust_remote_code: Whether Python code in the checkpoint may run.

    Raises:
        ModelNotFoundError: If the checkpoint is neither on this machine nor on a hub that answers
            within seconds, or has no safetensors weights.
        ModelSupportError: If it is no vision-language model that transformers knows.
        UnknownOptionError: If ``dtype`` is unknown.
    """
    if dtype not in DTYPES:
        raise UnknownOptionError("model.dtype", dtype, DTYPES)
    folder = find_checkpoint(path, revision)
    source = {"trust_remote_code": trust_remote_code, "local_files_only": True}
    config = AutoConfig.from_pretrained(folder, **source)
    if type(config) not in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING and not trust_remote_code:
        raise ModelSupportError(
            f"model.path={path} has model_type {config.model_type!r}, which transformers does not know as an "
            "image-text-to-text model. Choose a vision-language checkpoint (those converted for transformers "
            "are often named *-hf)."
        )
    processor = AutoProcessor.from_pretrained(folder, **source)
    family = family_for(config.model_type)
    _ = family.chat(processor).frame  # renders one answer; raises if the chat template can't
    arguments = quantization.loading_arguments(config, family) if quantization else {}
    model = AutoModelForImageTextToText.from_pretrained(
        folder,
        config=config,
        dtype=DTYPES[dtype],
        attn_implementation=attn_implementation,
        use_safetensors=True,
        **source,
        **arguments,
    )
    keep_weights_unpacked(model)
    model.generation_config = _plain_generation(model.generation_config)
    logger.info("loaded %s (%s) from %s", path, config.model_type, folder)
    return Lvlm(model, processor, family, path=path, max_pixels=max_pixels).eval()


def _plain_generation(published: GenerationConfig) -> GenerationConfig:
    """Keep the control ids of a published generation config, and drop its penalties and samplers.

    Those would change what greedy decoding says: Qwen2-VL comes with ``repetition_penalty``, ``top_k``
    and ``temperature``.
    """
    kept = {name: getattr(published, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    return GenerationConfig(**kept)
