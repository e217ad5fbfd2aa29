"""A tiny Mllama (Llama-3.2-Vision) checkpoint."""

import transformers
from transformers import PreTrainedModel, ProcessorMixin

from halluc.models.tiny.decoder import decoder_config
from halluc.models.tiny.templates import turns
from halluc.models.tiny.tokenizer import train_tokenizer

_IMAGE_PX = 56


def mllama() -> tuple[PreTrainedModel, ProcessorMixin]:
    """Build a random Mllama of three layers, the second of which looks at the picture."""
    tokenizer = train_tokenizer(
        eos="<|eot_id|>",
        pad="<|finetune_right_pad_id|>",
        bos="<|begin_of_text|>",
        controls=["<|start_header_id|>", "<|end_header_id|>", "<|python_tag|>"],
        adds_bos=True,
    )
    # The published checkpoints keep the image token outside the output vocabulary, as its last id.
    vocab_size = len(tokenizer)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|image|>"]})
    text = decoder_config(
        "mllama_text_model",
        tokenizer,
        layers=3,
        cross_attention_layers=[1],
        rope_parameters={"rope_type": "default", "rope_theta": 1e4},
    )
    text["vocab_size"] = vocab_size
    vision = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_global_layers": 1,
        "attention_heads": 4,
        "image_size": _IMAGE_PX,
        "patch_size": 14,
        "vision_output_dim": 128,
        "intermediate_layers_indices": [0],
        "max_num_tiles": 2,
        "supported_aspect_ratios": [[1, 1], [1, 2], [2, 1]],
    }
    config = transformers.MllamaConfig(
        text_config=text,
        vision_config=vision,
        image_token_index=tokenizer.convert_tokens_to_ids("<|image|>"),
    )
    processor = transformers.MllamaProcessor(
        transformers.MllamaImageProcessor(size={"height": _IMAGE_PX, "width": _IMAGE_PX}, max_image_tiles=2),
        tokenizer,
        chat_template=turns(
            "<|image|>",
            head="<|start_header_id|>ROLE<|end_header_id|>\n\n",
            tail="<|eot_id|>",
            begin="{{ bos_token }}",
        ),
    )
    return transformers.MllamaForConditionalGeneration(config), processor
