"""The MiniWorld model: Qwen2-VL with 1.5 million parameters, seeded."""

import torch
from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

from halluc.miniworld.pretraining.tokenizer import (
    END,
    IMAGE,
    PAD,
    VIDEO,
    VISION_END,
    VISION_START,
    build_tokenizer,
)

HIDDEN = 128
EMBEDDING_STD = 0.06
"""Large enough for the vision tower to be aligned with the random embeddings of the words."""


def build_config() -> Qwen2VLConfig:
    """Build the configuration; sizes are in the code below, nothing else is set."""
    tokenizer = build_tokenizer()
    number = tokenizer.convert_tokens_to_ids
    return Qwen2VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": HIDDEN,
            "intermediate_size": 320,
            "num_hidden_layers": 5,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
            "max_position_embeddings": 1024,
            "rope_parameters": {"rope_type": "default", "mrope_section": [4, 6, 6], "rope_theta": 10000.0},
            "tie_word_embeddings": True,
            "bos_token_id": None,
            "eos_token_id": number(END),
            "pad_token_id": number(PAD),
        },
        vision_config={
            "depth": 2,
            "embed_dim": 96,
            "num_heads": 4,
            "hidden_size": HIDDEN,
            "mlp_ratio": 3,
            "patch_size": 14,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "in_channels": 3,
        },
        image_token_id=number(IMAGE),
        video_token_id=number(VIDEO),
        vision_start_token_id=number(VISION_START),
        vision_end_token_id=number(VISION_END),
        tie_word_embeddings=True,
    )


def build_model(seed: int) -> Qwen2VLForConditionalGeneration:
    """Build the model with random weights that depend on the seed alone."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Qwen2VLForConditionalGeneration(build_config())
        with torch.no_grad():
            model.model.language_model.embed_tokens.weight.normal_(0, EMBEDDING_STD)
    model.generation_config.eos_token_id = model.config.text_config.eos_token_id
    model.generation_config.pad_token_id = model.config.text_config.pad_token_id
    model.generation_config.bos_token_id = None
    return model
