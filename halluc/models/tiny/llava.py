"""Tiny LLaVA-1.5, LLaVA-NeXT and LLaVA-OneVision checkpoints."""

from typing import Any

import transformers
from transformers import PreTrainedModel, PreTrainedTokenizerFast, ProcessorMixin

from halluc.models.tiny.decoder import decoder_config
from halluc.models.tiny.templates import named_speakers, turns
from halluc.models.tiny.tokenizer import train_tokenizer

_PATCH_PX = 14
_IMAGE_PX = 56
_SQUARE = {"height": _IMAGE_PX, "width": _IMAGE_PX}
_PINPOINTS = [[56, 112], [112, 56], [112, 112]]


def _llama_tokenizer() -> PreTrainedTokenizerFast:
    return train_tokenizer(eos="</s>", pad="<pad>", bos="<s>", controls=["<unk>", "<image>"], adds_bos=True)


def _clip() -> dict[str, Any]:
    return {
        "model_type": "clip_vision_model",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "image_size": _IMAGE_PX,
        "patch_size": _PATCH_PX,
        "projection_dim": 64,
    }


def llava() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random LLaVA-1.5; its chat template writes no end of turn."""
    tokenizer = _llama_tokenizer()
    config = transformers.LlavaConfig(
        text_config=decoder_config("llama", tokenizer),
        vision_config=_clip(),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-2,
        vision_feature_select_strategy="default",
    )
    processor = transformers.LlavaProcessor(
        transformers.CLIPImageProcessor(size={"shortest_edge": _IMAGE_PX}, crop_size=_SQUARE),
        tokenizer,
        patch_size=_PATCH_PX,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=named_speakers("<image>\n", tail=" ", images_first=True),
    )
    return transformers.LlavaForConditionalGeneration(config), processor


def llava_next() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random LLaVA-NeXT, which cuts pictures into tiles."""
    tokenizer = _llama_tokenizer()
    config = transformers.LlavaNextConfig(
        text_config=decoder_config("llama", tokenizer),
        vision_config=_clip(),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=_PINPOINTS,
        vision_feature_layer=-2,
        vision_feature_select_strategy="default",
    )
    processor = transformers.LlavaNextProcessor(
        transformers.LlavaNextImageProcessor(
            size={"shortest_edge": _IMAGE_PX}, crop_size=_SQUARE, image_grid_pinpoints=_PINPOINTS
        ),
        tokenizer,
        patch_size=_PATCH_PX,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=named_speakers("<image>\n", tail="</s>", images_first=True),
    )
    return transformers.LlavaNextForConditionalGeneration(config), processor


def llava_onevision() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random LLaVA-OneVision, which tiles single pictures only."""
    tokenizer = train_tokenizer(
        eos="<|im_end|>", pad="<|endoftext|>", controls=["<|im_start|>", "<image>", "<video>"]
    )
    vision = _clip() | {"model_type": "siglip_vision_model", "num_hidden_layers": 2, "vision_use_head": False}
    vision.pop("projection_dim")
    pinpoints = [[56, 56], *_PINPOINTS]
    config = transformers.LlavaOnevisionConfig(
        text_config=decoder_config("qwen2", tokenizer),
        vision_config=vision,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        video_token_index=tokenizer.convert_tokens_to_ids("<video>"),
        image_grid_pinpoints=pinpoints,
    )
    processor = transformers.LlavaOnevisionProcessor(
        transformers.LlavaOnevisionImageProcessor(size=_SQUARE, image_grid_pinpoints=pinpoints),
        tokenizer,
        video_processor=transformers.LlavaOnevisionVideoProcessor(size=_SQUARE),
        num_image_tokens=(_IMAGE_PX // _PATCH_PX) ** 2,
        vision_feature_select_strategy="full",
        # Like the published one, it writes a space in an answered turn that its prompt does not have.
        chat_template=turns(
            "<image>\n",
            head="<|im_start|>ROLE \n",
            tail="<|im_end|>",
            opening="<|im_start|>assistant\n",
            images_first=True,
        ),
    )
    return transformers.LlavaOnevisionForConditionalGeneration(config), processor
