"""The language-model part that most tiny checkpoints share."""

from typing import Any

from transformers import PreTrainedTokenizerFast

INITIALIZER_RANGE = 0.1
"""Standard deviation of random weights. The usual 0.02 is so small at this width that a model with tied
embeddings repeats its last token, whatever the picture."""


def decoder_config(
    model_type: str, tokenizer: PreTrainedTokenizerFast, *, layers: int = 2, **more: object
) -> dict[str, Any]:
    """Describe a decoder of width 64 with four heads, of which two hold keys and values.

    Args:
        model_type: The decoder's own ``model_type``, such as ``llama``.
        tokenizer: Gives the vocabulary's size and the control ids.
        layers: Number of layers.
        **more: Configuration values of this architecture that differ or come on top.
    """
    return {
        "model_type": model_type,
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "max_position_embeddings": 4096,
        "initializer_range": INITIALIZER_RANGE,
        **more,
    }
