"""Put a low-rank adapter on the decoder, and on nothing else unless asked.

LoRA: arXiv 2106.09685. DoRA: arXiv 2402.09353. QLoRA: arXiv 2305.14314.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import peft
from peft.tuners.lora import LoraLayer

from halluc.errors import AdapterTargetError, ConfigError
from halluc.models.adapter_files import (
    adapter_state,
    load_adapter,
    load_adapter_state,
    save_adapter,
    without_alias_warning,
)
from halluc.models.adapter_targets import pattern, resolve_saved, resolve_targets, vision_parts
from halluc.models.lvlm import Lvlm
from halluc.models.quantization import Quantization

logger = logging.getLogger(__name__)

__all__ = [
    "AdapterReport",
    "LoraAdapter",
    "adapter_disabled",
    "adapter_state",
    "load_adapter",
    "load_adapter_state",
    "report_adapter",
    "save_adapter",
]

DEFAULT_TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


@dataclass(frozen=True, slots=True)
class AdapterReport:
    """Hold where an adapter really is, counted after wrapping.

    Attributes:
        names: Full names of the wrapped modules.
        count: How many there are.
        parameters: Number of trainable parameters.
    """

    names: tuple[str, ...]
    count: int
    parameters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraAdapter:
    """Say what low-rank adapter a model gets.

    Attributes:
        r: Rank.
        lora_alpha: Scale; the update is multiplied by ``lora_alpha / r``.
        lora_dropout: Dropout on the adapter's input, in [0, 1).
        target_modules: Short names of linear modules in the decoder, full names, or ``all-linear``
            for every linear module of the decoder.
        use_dora: Whether the update is split into magnitude and direction (DoRA).
        modules_to_save: Full or short names of modules that are trained whole and saved with it.
        include_vision: Whether targets outside the decoder (vision tower, projector) are allowed;
            short names then apply there too.
        gradient_checkpointing: Whether activations are recomputed in the backward pass, which costs
            about a third more time and saves most of their memory.
        quantization: How the frozen weights are stored (QLoRA); the loader reads it.

    Raises:
        ConfigError: If a number is out of range.
    """

    r: int = 16
    lora_alpha: float = 32
    lora_dropout: float = 0.05
    target_modules: Sequence[str] | Literal["all-linear"] = DEFAULT_TARGETS
    use_dora: bool = False
    modules_to_save: Sequence[str] | None = None
    include_vision: bool = False
    gradient_checkpointing: bool = False
    quantization: Quantization | None = None

    def __post_init__(self) -> None:
        """Check the numbers before any weights are loaded."""
        if self.r < 1 or self.lora_alpha <= 0 or not 0 <= self.lora_dropout < 1:
            raise ConfigError(
                f"adapter has r={self.r}, lora_alpha={self.lora_alpha}, lora_dropout={self.lora_dropout}. "
                "Give r >= 1, lora_alpha > 0, and lora_dropout in [0, 1)."
            )
        if not self.target_modules:
            raise ConfigError("adapter.target_modules is empty. Name linear modules, or write all-linear.")

    def attach(self, lvlm: Lvlm) -> AdapterReport:
        """Wrap the model, freeze everything else, and check where the adapter landed.

        Adapter weights are float32, whatever the model's number format.

        Args:
            lvlm: Its ``model`` is replaced by the wrapped one.

        Raises:
            AdapterTargetError: If a target matches nothing, lies outside the decoder without
                ``include_vision``, or if the wrapped modules are not the ones that were meant.
            ConfigError: If the model has an adapter already.
        """
        if lvlm.is_adapted:
            raise ConfigError(f"{lvlm.path} has an adapter already. Load the model anew.")
        wanted = resolve_targets(lvlm, self.target_modules, include_vision=self.include_vision)
        saved = resolve_saved(lvlm, self.modules_to_save or (), include_vision=self.include_vision)
        config = peft.LoraConfig(
            r=self.r,
            lora_alpha=self.lora_alpha,
            lora_dropout=self.lora_dropout,
            target_modules=list(wanted),
            use_dora=self.use_dora,
            modules_to_save=list(saved) or None,
        )
        with without_alias_warning():
            lvlm.model = peft.get_peft_model(lvlm.model, config)
        lvlm.train(
            lvlm.training
        )  # the new layers take the model's mode, so that dropout is off in evaluation
        if self.gradient_checkpointing:
            _recompute_activations(lvlm)
        report = report_adapter(lvlm)
        _check_landing(lvlm, report, wanted, include_vision=self.include_vision)
        _log(report)
        return report


def report_adapter(lvlm: Lvlm) -> AdapterReport:
    """Count the adapter's modules and trainable parameters as they are."""
    names = tuple(name for name, module in lvlm.hf_model.named_modules() if isinstance(module, LoraLayer))
    parameters = sum(p.numel() for p in lvlm.model.parameters() if p.requires_grad)
    return AdapterReport(names, len(names), parameters)


@contextmanager
def adapter_disabled(lvlm: Lvlm) -> Iterator[None]:
    """Run the model as it was before the adapter, as the reference of preference losses.

    Raises:
        ConfigError: If the model has no adapter.
    """
    lvlm.require_adapter()
    with lvlm.model.disable_adapter():
        yield


def _recompute_activations(lvlm: Lvlm) -> None:
    model = lvlm.hf_model
    if hasattr(model, "activation_checkpointing_enable"):
        model.activation_checkpointing_enable({"use_reentrant": False})
    else:  # the name before transformers 5.24
        model.gradient_checkpointing_enable({"use_reentrant": False})


def _check_landing(lvlm: Lvlm, report: AdapterReport, wanted: Sequence[str], *, include_vision: bool) -> None:
    if set(report.names) != set(wanted):
        stray = sorted(set(report.names) ^ set(wanted))
        raise AdapterTargetError(
            f"the adapter was to wrap {len(wanted)} modules but wraps {report.count}; they differ in "
            f"{', '.join(stray[:5])}. Name the targets in full."
        )
    outside = [name for name in report.names if name.startswith(vision_parts(lvlm))]
    if outside and not include_vision:
        raise AdapterTargetError(f"the adapter wraps {outside[0]}, which is outside the decoder.")


def _log(report: AdapterReport) -> None:
    for kind, count in sorted(Counter(pattern(name) for name in report.names).items()):
        logger.info("adapter on %d x %s", count, kind)
    logger.info("adapter on %d modules, %d trainable parameters", report.count, report.parameters)
