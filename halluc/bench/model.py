"""The models that are measured: random Qwen2-VL weights of a chosen shape, or any checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from peft import PeftModel

from halluc.errors import UnknownOptionError
from halluc.models.adapters import LoraAdapter
from halluc.models.families.table import family_for
from halluc.models.load import DTYPES, load_lvlm
from halluc.models.lvlm import Lvlm
from halluc.models.tiny.templates import chatml
from halluc.models.tiny.tokenizer import train_tokenizer

PATCH_PX = 14
MERGED = 2
"""Patches a side that make one token, so a token covers 28 x 28 pixels."""

_TEMPLATE = chatml("<|vision_start|><|image_pad|><|vision_end|>").replace("<|im_end|>\n", "<|im_end|>")
"""Without a line break behind a turn's end: TRL would train on it, we do not."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Hold the size of a Qwen2-VL.

    Attributes:
        hidden: Width of the decoder.
        layers: Its number of layers.
        intermediate: Width inside its feed-forward layers.
        heads: Attention heads.
        kv_heads: Heads that hold keys and values.
        vocabulary: Number of tokens; None takes the tokenizer's.
        vision_width: Width of the vision tower.
        vision_depth: Its number of layers.
        vision_heads: Its attention heads.
        mrope_section: How many frequencies of a head each position axis gets.
        tied: Whether the output layer shares the embedding's weights.
    """

    hidden: int
    layers: int
    intermediate: int
    heads: int
    kv_heads: int
    vocabulary: int | None
    vision_width: int
    vision_depth: int
    vision_heads: int
    mrope_section: tuple[int, int, int]
    tied: bool


SHAPES: Mapping[str, Shape] = {
    "small": Shape(256, 6, 768, 4, 2, None, 128, 4, 4, (8, 12, 12), tied=False),
    "qwen2_vl_2b": Shape(1536, 28, 8960, 12, 2, 151_936, 1280, 32, 16, (16, 24, 24), tied=True),
    "qwen2_vl_7b": Shape(3584, 28, 18_944, 28, 4, 152_064, 1280, 32, 16, (16, 24, 24), tied=False),
}
"""``small`` is the fixed default; the others have the published shapes of Qwen2-VL-2B and -7B."""


def build_model(name: str, *, dtype: str, device: str, image_px: int, seed: int = 0) -> Lvlm:
    """Build or load a model with a LoRA adapter, the same for the same arguments.

    Args:
        name: One of ``SHAPES`` for random weights, or the folder of a checkpoint.
        dtype: Number format of the weights, a key of ``DTYPES``.
        device: Where the weights are built.
        image_px: Side of the square pictures, in pixels.
        seed: Seed of the random weights.

    Raises:
        UnknownOptionError: If the name is neither a shape nor a folder.
    """
    if name not in SHAPES and not Path(name).is_dir():
        raise UnknownOptionError("model", name, [*SHAPES, "a folder with a checkpoint"])
    if dtype not in DTYPES:
        raise UnknownOptionError("dtype", dtype, DTYPES)
    torch.manual_seed(seed)
    if name in SHAPES:
        lvlm = _random_model(SHAPES[name], DTYPES[dtype], device, image_px)
    else:
        lvlm = load_lvlm(name, dtype=dtype, max_pixels=image_px**2)
        lvlm.to(device)
    LoraAdapter(r=8, lora_alpha=16, lora_dropout=0.0).attach(lvlm)
    lvlm.to(device)
    _stir(lvlm.model)
    return lvlm


def _random_model(shape: Shape, dtype: torch.dtype, device: str, image_px: int) -> Lvlm:
    tokenizer = train_tokenizer(
        eos="<|im_end|>",
        pad="<|endoftext|>",
        controls=["<|im_start|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"],
    )
    ids = {
        f"{name}_token_id": tokenizer.convert_tokens_to_ids(text)
        for name, text in {
            "image": "<|image_pad|>",
            "video": "<|video_pad|>",
            "vision_start": "<|vision_start|>",
            "vision_end": "<|vision_end|>",
        }.items()
    }
    config = transformers.Qwen2VLConfig(
        text_config=_text(shape, tokenizer),
        vision_config={
            "depth": shape.vision_depth,
            "embed_dim": shape.vision_width,
            "hidden_size": shape.hidden,
            "num_heads": shape.vision_heads,
            "patch_size": PATCH_PX,
        },
        tie_word_embeddings=shape.tied,
        **ids,
    )
    with torch.device(device):
        model = transformers.Qwen2VLForConditionalGeneration._from_config(config, dtype=dtype)
    size = {"shortest_edge": image_px**2, "longest_edge": image_px**2}
    processor = transformers.Qwen2VLProcessor(
        image_processor=transformers.Qwen2VLImageProcessor(patch_size=PATCH_PX, size=size),
        tokenizer=tokenizer,
        video_processor=transformers.Qwen2VLVideoProcessor(patch_size=PATCH_PX),
        chat_template=_TEMPLATE,
    )
    family = family_for(config.model_type)
    return Lvlm(model.eval(), processor, family, path="random Qwen2-VL", max_pixels=image_px**2)


def _text(shape: Shape, tokenizer: transformers.PreTrainedTokenizerFast) -> dict[str, Any]:
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": list(shape.mrope_section)}
    return {
        "vocab_size": shape.vocabulary or len(tokenizer),
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "rope_parameters": rope,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        "max_position_embeddings": 32_768,
    }


def _stir(model: PeftModel) -> None:
    """Give the adapter an effect, so that policy and reference differ as they do in training."""
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.02)
