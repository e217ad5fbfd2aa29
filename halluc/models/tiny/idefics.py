"""Tiny Idefics3 and SmolVLM checkpoints."""

from typing import Any

import transformers
from transformers import PreTrainedModel, PreTrainedTokenizerFast, ProcessorMixin

from halluc.models.tiny.decoder import decoder_config
from halluc.models.tiny.templates import named_speakers
from halluc.models.tiny.tokenizer import train_tokenizer

_TILE_PX = 56
_TOKENS_PER_TILE = 4
_SIZE = {"longest_edge": 112}
_TILE = {"longest_edge": _TILE_PX}
_VISION = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": _TILE_PX,
    "patch_size": 14,
}


def _tokenizer(**more: Any) -> PreTrainedTokenizerFast:  # noqa: ANN401 - passed on by name
    tiles = [f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4)]
    controls = ["<fake_token_around_image>", "<global-img>", "<image>", "<end_of_utterance>", *tiles]
    return train_tokenizer(
        eos="<end_of_utterance>", pad="<|pad|>", bos="<|begin|>", controls=controls, adds_bos=True, **more
    )


def _config(kind: type, tokenizer: PreTrainedTokenizerFast) -> Any:  # noqa: ANN401 - either config class
    return kind(
        text_config=decoder_config("llama", tokenizer),
        vision_config=dict(_VISION),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=tokenizer.pad_token_id,
    )


def idefics3() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random Idefics3, which cuts pictures into rows and columns of tiles."""
    tokenizer = _tokenizer()
    config = _config(transformers.Idefics3Config, tokenizer)
    processor = transformers.Idefics3Processor(
        transformers.Idefics3ImageProcessor(size=_SIZE, max_image_size=_TILE),
        tokenizer,
        image_seq_len=_TOKENS_PER_TILE,
        chat_template=named_speakers("<image>", tail="<end_of_utterance>\n"),
    )
    return transformers.Idefics3ForConditionalGeneration(config), processor


def smolvlm() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random SmolVLM, which differs from Idefics3 in its processor."""
    tokenizer = _tokenizer(
        named={
            "image_token": "<image>",
            "fake_image_token": "<fake_token_around_image>",
            "global_image_token": "<global-img>",
            "end_of_utterance_token": "<end_of_utterance>",
        }
    )
    config = _config(transformers.SmolVLMConfig, tokenizer)
    processor = transformers.SmolVLMProcessor(
        transformers.SmolVLMImageProcessor(size=_SIZE, max_image_size=_TILE),
        tokenizer,
        transformers.SmolVLMVideoProcessor(size=_TILE, max_image_size=_TILE),
        image_seq_len=_TOKENS_PER_TILE,
        chat_template=named_speakers("<image>", tail="<end_of_utterance>\n"),
    )
    return transformers.SmolVLMForConditionalGeneration(config), processor
