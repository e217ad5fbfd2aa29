"""What stands before the decoder: vision tower, projector, and single parameters such as separators."""

from peft.tuners.tuners_utils import BaseTunerLayer
from peft.utils.other import ModulesToSaveWrapper

from halluc.models.lvlm import Lvlm
from halluc.models.tensor_digest import tensor_digest


def tower_is_frozen(lvlm: Lvlm) -> bool:
    """Say whether all that stands before the decoder stays as it is, so that features can be kept.

    An adapter there counts as trained even while it is switched off, since its features then differ
    from those with the adapter on.
    """
    behind = _decoder_names(lvlm)
    return not any(
        isinstance(module, BaseTunerLayer | ModulesToSaveWrapper)
        or any(parameter.requires_grad for parameter in module.parameters(recurse=False))
        for name, module in lvlm.hf_model.named_modules()
        if not f"{name}.".startswith(behind)
    )


def tower_fingerprint(lvlm: Lvlm) -> str:
    """Hash the weights before the decoder, with their names and number formats.

    Returns:
        A hexadecimal SHA-256; equal for equal weights, on whatever device they are.
    """
    behind = _decoder_names(lvlm)
    weights = sorted(lvlm.hf_model.state_dict().items())
    return tensor_digest((name, tensor) for name, tensor in weights if not name.startswith(behind))


def _decoder_names(lvlm: Lvlm) -> tuple[str, str]:
    """Return the name prefixes of the decoder and of the output layer."""
    output = lvlm.hf_model.get_output_embeddings()
    head = next(name for name, module in lvlm.hf_model.named_modules() if module is output)
    return f"{lvlm.decoder_name}.", f"{head}."
