"""Which family class speaks to which ``model_type``."""

from collections.abc import Mapping

from halluc.models.families.base import Family
from halluc.models.families.gemma3 import Gemma3
from halluc.models.families.mllama import Mllama
from halluc.models.families.paligemma import PaliGemma
from halluc.models.families.qwen_vl import Qwen2VL, QwenVL

FAMILIES: Mapping[str, type[Family]] = {
    "gemma3": Gemma3,
    "mllama": Mllama,
    "paligemma": PaliGemma,
    "qwen2_vl": Qwen2VL,
    "qwen2_5_vl": QwenVL,
    "qwen3_vl": QwenVL,
}


def family_for(model_type: str) -> Family:
    """Return the hooks for one ``config.model_type``; the generic ones where none are listed."""
    return FAMILIES.get(model_type, Family)()
