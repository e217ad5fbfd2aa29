"""A tiny InternVL checkpoint."""

import transformers
from transformers import PreTrainedModel, ProcessorMixin

from halluc.models.tiny.decoder import decoder_config
from halluc.models.tiny.templates import chatml
from halluc.models.tiny.tokenizer import train_tokenizer

_IMAGE_PX = 56
_TOKENS_PER_TILE = 4


def internvl() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random InternVL that cuts pictures into up to two tiles."""
    tokenizer = train_tokenizer(
        eos="<|im_end|>",
        pad="<|endoftext|>",
        controls=["<|im_start|>"],
        named={
            "start_image_token": "<img>",
            "end_image_token": "</img>",
            "context_image_token": "<IMG_CONTEXT>",
            "video_token": "<video>",
        },
    )
    vision = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": (_IMAGE_PX, _IMAGE_PX),
        "patch_size": (14, 14),
    }
    config = transformers.InternVLConfig(
        text_config=decoder_config("qwen2", tokenizer),
        vision_config=vision,
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=_TOKENS_PER_TILE,
    )
    size = {"height": _IMAGE_PX, "width": _IMAGE_PX}
    processor = transformers.InternVLProcessor(
        transformers.GotOcr2ImageProcessor(size=size, crop_to_patches=True, min_patches=1, max_patches=2),
        tokenizer,
        video_processor=transformers.InternVLVideoProcessor(size=size),
        image_seq_length=_TOKENS_PER_TILE,
        chat_template=chatml("<IMG_CONTEXT>\n"),
    )
    return transformers.InternVLForConditionalGeneration(config), processor
