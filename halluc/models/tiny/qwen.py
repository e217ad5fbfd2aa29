"""Tiny Qwen2-VL, Qwen2.5-VL and Qwen3-VL checkpoints."""

from typing import Any

import transformers
from transformers import PreTrainedModel, PreTrainedTokenizerFast, ProcessorMixin

from halluc.models.tiny.decoder import INITIALIZER_RANGE
from halluc.models.tiny.templates import chatml
from halluc.models.tiny.tokenizer import train_tokenizer

_HIDDEN = 64
_HEAD = 16


def _tokenizer() -> PreTrainedTokenizerFast:
    return train_tokenizer(
        eos="<|im_end|>",
        pad="<|endoftext|>",
        controls=["<|im_start|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"],
    )


def _text(tokenizer: PreTrainedTokenizerFast, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - config values
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3], **more.pop("rope", {})}
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": _HIDDEN,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": _HIDDEN // _HEAD,
        "num_key_value_heads": 2,
        "rope_parameters": rope,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        "max_position_embeddings": 8192,
        "initializer_range": INITIALIZER_RANGE,
        **more,
    }


def _control_ids(tokenizer: PreTrainedTokenizerFast) -> dict[str, int]:
    return {
        "image_token_id": tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        "video_token_id": tokenizer.convert_tokens_to_ids("<|video_pad|>"),
        "vision_start_token_id": tokenizer.convert_tokens_to_ids("<|vision_start|>"),
        "vision_end_token_id": tokenizer.convert_tokens_to_ids("<|vision_end|>"),
    }


def _processor(kind: type, video: type, tokenizer: PreTrainedTokenizerFast, patch: int) -> ProcessorMixin:
    size = {"shortest_edge": (2 * patch) ** 2, "longest_edge": (8 * patch) ** 2}
    return kind(
        image_processor=transformers.Qwen2VLImageProcessor(patch_size=patch, size=size),
        tokenizer=tokenizer,
        video_processor=video(patch_size=patch),
        chat_template=chatml("<|vision_start|><|image_pad|><|vision_end|>"),
    )


def qwen2_vl() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random Qwen2-VL with 14-pixel patches."""
    tokenizer = _tokenizer()
    config = transformers.Qwen2VLConfig(
        text_config=_text(tokenizer),
        vision_config={"depth": 2, "embed_dim": 64, "hidden_size": _HIDDEN, "num_heads": 4, "patch_size": 14},
        **_control_ids(tokenizer),
    )
    processor = _processor(transformers.Qwen2VLProcessor, transformers.Qwen2VLVideoProcessor, tokenizer, 14)
    return transformers.Qwen2VLForConditionalGeneration(config), processor


def qwen2_5_vl() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random Qwen2.5-VL whose first vision layer attends inside windows."""
    tokenizer = _tokenizer()
    vision = {
        "depth": 2,
        "hidden_size": 64,
        "out_hidden_size": _HIDDEN,
        "intermediate_size": 128,
        "num_heads": 4,
        "fullatt_block_indexes": [1],
        "patch_size": 14,
    }
    config = transformers.Qwen2_5_VLConfig(
        text_config=_text(tokenizer), vision_config=vision, **_control_ids(tokenizer)
    )
    processor = _processor(
        transformers.Qwen2_5_VLProcessor, transformers.Qwen2VLVideoProcessor, tokenizer, 14
    )
    return transformers.Qwen2_5_VLForConditionalGeneration(config), processor


def qwen3_vl() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random Qwen3-VL that injects deepstack features into its first two layers."""
    tokenizer = _tokenizer()
    vision = {
        "depth": 2,
        "hidden_size": 64,
        "out_hidden_size": _HIDDEN,
        "intermediate_size": 128,
        "num_heads": 4,
        "deepstack_visual_indexes": [0, 1],
        "num_position_embeddings": 64,
        "patch_size": 16,
    }
    text = _text(tokenizer, head_dim=_HEAD, rope={"mrope_interleaved": True})
    config = transformers.Qwen3VLConfig(text_config=text, vision_config=vision, **_control_ids(tokenizer))
    processor = _processor(transformers.Qwen3VLProcessor, transformers.Qwen3VLVideoProcessor, tokenizer, 16)
    return transformers.Qwen3VLForConditionalGeneration(config), processor
