"""Which families can share prefixes, stated for each; whatever is not listed can not."""

from collections.abc import Mapping

from halluc.models.families.base import Family
from halluc.models.families.trees.base import TreeHooks
from halluc.models.families.trees.gemma3 import Gemma3Tree
from halluc.models.families.trees.mllama import MllamaTree
from halluc.models.families.trees.qwen_vl import QwenVLTree

TREES: Mapping[str, type[TreeHooks]] = {
    "gemma3": Gemma3Tree,
    "idefics3": TreeHooks,
    "internvl": TreeHooks,
    "llava": TreeHooks,
    "llava_next": TreeHooks,
    "llava_onevision": TreeHooks,
    "mllama": MllamaTree,
    "qwen2_5_vl": QwenVLTree,
    "qwen2_vl": QwenVLTree,
    "qwen3_vl": QwenVLTree,
    "smolvlm": TreeHooks,
}
"""By ``config.model_type``. PaliGemma is missing on purpose: all tokens of its prompt see each other, so
a prefix depends on what follows and can't be shared."""


def tree_hooks_for(model_type: str, family: Family) -> TreeHooks | None:
    """Return the hooks of one ``config.model_type``; None if it can't share prefixes."""
    kind = TREES.get(model_type)
    return kind(family) if kind else None
