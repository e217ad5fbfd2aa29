"""Tiny Gemma-3 and PaliGemma checkpoints."""

from typing import Any

import transformers
from transformers import PreTrainedModel, ProcessorMixin

from halluc.models.tiny.decoder import decoder_config
from halluc.models.tiny.templates import turns
from halluc.models.tiny.tokenizer import train_tokenizer

_IMAGE_PX = 56
_SIZE = {"height": _IMAGE_PX, "width": _IMAGE_PX}


def _siglip() -> dict[str, Any]:
    return {
        "model_type": "siglip_vision_model",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": _IMAGE_PX,
        "patch_size": 14,
        "vision_use_head": False,
    }


def gemma3() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random Gemma-3 with one sliding-window layer of 16 tokens and one full layer."""
    tokenizer = train_tokenizer(
        eos="<eos>",
        pad="<pad>",
        bos="<bos>",
        controls=["<start_of_turn>", "<end_of_turn>"],
        adds_bos=True,
        named={
            "boi_token": "<start_of_image>",
            "eoi_token": "<end_of_image>",
            "image_token": "<image_soft_token>",
        },
    )
    text = decoder_config(
        "gemma3_text",
        tokenizer,
        head_dim=16,
        query_pre_attn_scalar=16,
        sliding_window=16,
        layer_types=["sliding_attention", "full_attention"],
    )
    config = transformers.Gemma3Config(
        text_config=text,
        vision_config=_siglip(),
        mm_tokens_per_image=4,
        boi_token_index=tokenizer.convert_tokens_to_ids("<start_of_image>"),
        eoi_token_index=tokenizer.convert_tokens_to_ids("<end_of_image>"),
        image_token_index=tokenizer.convert_tokens_to_ids("<image_soft_token>"),
        eos_token_id=[tokenizer.eos_token_id, tokenizer.convert_tokens_to_ids("<end_of_turn>")],
    )
    processor = transformers.Gemma3Processor(
        transformers.Gemma3ImageProcessor(size=_SIZE),
        tokenizer,
        image_seq_length=4,
        chat_template=turns(
            "<start_of_image>",
            head="<start_of_turn>ROLE\n",
            tail="<end_of_turn>\n",
            begin="{{ bos_token }}",
            assistant="model",
        ),
    )
    return transformers.Gemma3ForConditionalGeneration(config), processor


def paligemma() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random PaliGemma; like the published ones it has no chat template."""
    tokenizer = train_tokenizer(
        eos="<eos>", pad="<pad>", bos="<bos>", named={"image_token": "<image>"}, vocab_size=480
    )
    image_processor = transformers.SiglipImageProcessor(size=_SIZE)
    image_processor.image_seq_length = (_IMAGE_PX // 14) ** 2
    processor = transformers.PaliGemmaProcessor(image_processor, tokenizer)  # adds its location tokens
    config = transformers.PaliGemmaConfig(
        # Gemma scales its embeddings by 8 (the root of the width), so the layers need larger weights too.
        text_config=decoder_config("gemma", tokenizer, head_dim=16, initializer_range=0.3),
        vision_config=_siglip(),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        projection_dim=64,
        hidden_size=64,
        vocab_size=len(tokenizer),
    )
    return transformers.PaliGemmaForConditionalGeneration(config), processor
