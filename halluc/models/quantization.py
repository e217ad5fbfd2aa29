"""Frozen weights in 4 or 8 bits, for adapters on top of them (QLoRA, arXiv 2305.14314)."""

import os
from dataclasses import dataclass
from typing import Any, Literal

import torch
from transformers import AutoModelForImageTextToText, BitsAndBytesConfig, PretrainedConfig, PreTrainedModel

from halluc.errors import ConfigError, UnknownOptionError
from halluc.models.families.base import Family

COMPUTE_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True)
class Quantization:
    """Say how the decoder's linear layers are stored; vision tower and output layer stay as they are.

    Attributes:
        bits: 4 or 8.
        quant_type: Code of 4-bit values: ``nf4`` or ``fp4``; ignored with 8 bits.
        double_quant: Whether the 4-bit scales are themselves stored in 8 bits.
        compute_dtype: Number format of the 4-bit matrix products.

    Raises:
        ConfigError: If ``bits`` is neither 4 nor 8.
        UnknownOptionError: If ``compute_dtype`` is unknown.
    """

    bits: int = 4
    quant_type: Literal["nf4", "fp4"] = "nf4"
    double_quant: bool = True
    compute_dtype: str = "bfloat16"

    def __post_init__(self) -> None:
        """Check what bitsandbytes would only notice after the weights are read."""
        if self.bits not in (4, 8):
            raise ConfigError(f"quantization.bits is {self.bits}. Choose 4 or 8, or quantization=null.")
        if self.quant_type not in ("nf4", "fp4"):
            raise UnknownOptionError("quantization.quant_type", self.quant_type, ("nf4", "fp4"))
        if self.compute_dtype not in COMPUTE_DTYPES:
            raise UnknownOptionError("quantization.compute_dtype", self.compute_dtype, COMPUTE_DTYPES)

    def loading_arguments(self, config: PretrainedConfig, family: Family) -> dict[str, Any]:
        """Return the further arguments of ``from_pretrained``.

        Quantised weights can't be moved later, so they go to this process's device at once.

        Args:
            config: The checkpoint's configuration, from which the names of all modules follow.
            family: Knows where the decoder is.
        """
        kept = modules_outside_decoder(config, family)
        if self.bits == 8:
            settings = BitsAndBytesConfig(load_in_8bit=True, llm_int8_skip_modules=kept)
        else:
            settings = BitsAndBytesConfig(
                load_in_4bit=True,
                bnb_4bit_quant_type=self.quant_type,
                bnb_4bit_use_double_quant=self.double_quant,
                bnb_4bit_compute_dtype=COMPUTE_DTYPES[self.compute_dtype],
                llm_int8_skip_modules=kept,
            )
        arguments: dict[str, Any] = {"quantization_config": settings}
        if torch.cuda.is_available():
            arguments["device_map"] = {"": int(os.environ.get("LOCAL_RANK", "0"))}
        return arguments


def modules_outside_decoder(config: PretrainedConfig, family: Family) -> list[str]:
    """Name the modules beside the decoder: the vision tower, the projector, the output layer.

    Full names, since bitsandbytes would take a short one for the decoder's modules too.
    """
    with torch.device("meta"):
        model = AutoModelForImageTextToText.from_config(config)
    decoder = family.decoder(model)
    path = next(name for name, module in model.named_modules() if module is decoder).split(".")
    kept = []
    for depth in range(len(path)):
        parent = model.get_submodule(".".join(path[:depth]))
        kept += [
            ".".join([*path[:depth], name]) for name, _ in parent.named_children() if name != path[depth]
        ]
    return sorted(kept)


def keep_weights_unpacked(model: PreTrainedModel) -> None:
    """Stop bitsandbytes from repacking 4-bit weights during evaluation on a CPU.

    On processors with AVX512-BF16 a forward without gradients repacks the weights for speed, and the
    next training forward then fails (bitsandbytes 0.50).
    """
    for module in model.modules():
        if hasattr(module, "support_avx512bf16_for_cpu"):
            module.support_avx512bf16_for_cpu = False
