"""Find the modules that an adapter's target names mean."""

import re
from collections.abc import Sequence

from torch import nn

from halluc.errors import AdapterTargetError
from halluc.models.lvlm import Lvlm

ALL_LINEAR = "all-linear"


def resolve_targets(lvlm: Lvlm, targets: Sequence[str] | str, *, include_vision: bool) -> tuple[str, ...]:
    """Turn target names into full names of linear modules, in the model's order.

    A bare ``q_proj`` would hit the vision tower of most families too, so short names are looked up in
    the decoder alone.

    Args:
        lvlm: The model, without an adapter.
        targets: Short names (``q_proj``, ``self_attn.q_proj``), full names, or ``all-linear``.
        include_vision: Whether modules outside the decoder count. The output layer never does.

    Raises:
        AdapterTargetError: If a name matches nothing or lies outside the decoder; the message lists
            what there is.
    """
    model = lvlm.hf_model
    output = model.get_output_embeddings()
    linear = [n for n, m in model.named_modules() if isinstance(m, nn.Linear) and m is not output]
    prefix = f"{lvlm.decoder_name}."
    allowed = linear if include_vision else [name for name in linear if name.startswith(prefix)]
    if targets == ALL_LINEAR:
        return tuple(allowed)
    names = [targets] if isinstance(targets, str) else list(targets)
    chosen: set[str] = set()
    for target in names:
        found = [name for name in allowed if f".{name}".endswith(f".{target}")]
        if not found:
            raise AdapterTargetError(_complaint(target, linear, allowed))
        chosen.update(found)
    return tuple(name for name in allowed if name in chosen)


def resolve_saved(lvlm: Lvlm, names: Sequence[str], *, include_vision: bool) -> tuple[str, ...]:
    """Turn names of modules that are trained whole into full names.

    Raises:
        AdapterTargetError: If a name matches nothing, or lies outside the decoder and the output layer
            without ``include_vision``.
    """
    vision = vision_parts(lvlm)
    modules = [name for name, _ in lvlm.hf_model.named_modules() if name]
    chosen: list[str] = []
    for wanted in names:
        found = [name for name in modules if f".{name}".endswith(f".{wanted}")]
        if not include_vision:
            found = [name for name in found if not f"{name}.".startswith(vision)]
        if not found:
            raise AdapterTargetError(
                f"adapter.modules_to_save has {wanted!r}, which matches no module"
                f"{'' if include_vision else ' outside the vision tower and the projector'}. Give a name as "
                "the model writes it, such as lm_head."
            )
        chosen += found
    return tuple(chosen)


def vision_parts(lvlm: Lvlm) -> tuple[str, ...]:
    """Return the name prefixes of everything beside the decoder, the output layer left out."""
    model, path = lvlm.hf_model, lvlm.decoder_name.split(".")
    output = model.get_output_embeddings()
    parts = []
    for depth in range(len(path)):
        parent = ".".join(path[:depth])
        for name, child in model.get_submodule(parent).named_children():
            if name != path[depth] and child is not output:
                parts.append(".".join([*path[:depth], name]) + ".")
    return tuple(parts)


def pattern(name: str) -> str:
    """Replace the layer numbers of a module's name by stars."""
    return re.sub(r"(?<=\.)\d+(?=\.|$)", "*", name)


def _complaint(target: str, linear: Sequence[str], allowed: Sequence[str]) -> str:
    outside = [name for name in linear if f".{name}".endswith(f".{target}")]
    if outside:
        return (
            f"adapter.target_modules has {target!r}, which exists only outside the decoder "
            f"({pattern(outside[0])}). Set adapter.include_vision=true to train it, or name decoder modules."
        )
    kinds = ", ".join(sorted({name.rsplit(".", 1)[-1] for name in allowed}))
    return (
        f"adapter.target_modules has {target!r}, which matches no linear module of the decoder. "
        f"There are: {kinds}. Choose among them, or write {ALL_LINEAR}."
    )
