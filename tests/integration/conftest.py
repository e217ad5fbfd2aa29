"""Tiny models with adapters that change what they say, for tests of shared computation."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import flash_attention_mask

from halluc.models.adapters import LoraAdapter
from halluc.models.families.prefix_cache import PrefixCache
from halluc.models.lvlm import Lvlm


@pytest.fixture
def adapted(tiny_lvlm: Callable[..., Lvlm]) -> Callable[..., Lvlm]:
    """Load a family and give it a LoRA adapter that changes what it says."""

    def load(family: str, *, attn_implementation: str = "sdpa", **settings: object) -> Lvlm:
        lvlm = tiny_lvlm(family, attn_implementation=attn_implementation)
        torch.manual_seed(1)
        LoraAdapter(r=4, **{"lora_dropout": 0.0, **settings}).attach(lvlm)
        for name, parameter in lvlm.model.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(parameter, std=0.1)
        return lvlm.train()

    return load


def flash_like(
    module: object, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **more: Any
) -> tuple[Tensor, None]:
    """Take what flash attention takes: no mask but that of padding, the last queries at the last keys."""
    rows, _, queries, _ = query.shape
    keys = key.shape[2]
    seen = torch.ones(rows, keys) if mask is None else mask
    assert seen.shape == (rows, keys)
    allowed = torch.ones(queries, keys).tril(keys - queries).bool() & seen.bool()[:, None, None]
    output = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, allowed, scale=more["scaling"], enable_gqa=query.shape[1] != key.shape[1]
    )
    return output.transpose(1, 2), None


@pytest.fixture
def flash_adapted(adapted: Callable[..., Lvlm]) -> Callable[..., Lvlm]:
    """Load a family whose decoder attends as with flash attention."""
    AttentionInterface.register("flash_like", flash_like)
    AttentionMaskInterface.register("flash_like", flash_attention_mask)

    def load(family: str, **settings: object) -> Lvlm:
        lvlm = adapted(family, **settings)
        lvlm.hf_model.config.get_text_config()._attn_implementation = "flash_like"
        return lvlm

    return load


@pytest.fixture
def caches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note for how many rows each prefix's keys and values are repeated."""
    counts: list[int] = []
    repeated = PrefixCache.repeated

    def noting(cache: PrefixCache, count: int) -> PrefixCache:
        counts.append(count)
        return repeated(cache, count)

    monkeypatch.setattr(PrefixCache, "repeated", noting)
    return counts
