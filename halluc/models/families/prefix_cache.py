"""Keys and values of a prompt's beginning, kept for what follows it."""

import inspect
from typing import Any

from transformers import DynamicCache, PreTrainedModel


class PrefixCache:
    """Hold the keys and values of tokens that went through a model.

    Args:
        model: The Hugging Face model that fills it.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        named = inspect.signature(model.forward).parameters
        self._name = "cache" if "cache" in named else "past_key_values"  # renamed in transformers 5.24
        self._model = model
        self._cache = DynamicCache(config=model.config.get_text_config())

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of a forward that reads the cache and adds its tokens to it."""
        return {self._name: self._cache, "use_cache": True}

    def repeated(self, count: int) -> "PrefixCache":
        """Return a cache that holds for each of ``count`` rows what this one holds for one row.

        Gradients flow back through it.
        """
        rows = PrefixCache(self._model)
        for number, layer in enumerate(self._cache.layers):
            keys, values = (tensor.expand(count, -1, -1, -1) for tensor in (layer.keys, layer.values))
            rows._cache.update(keys, values, number)
        return rows
