"""The committed MiniWorld checkpoint: where it is, and how it is loaded."""

from pathlib import Path

from halluc.miniworld.scenes.drawing import IMAGE_PX
from halluc.models.load import load_lvlm
from halluc.models.lvlm import Lvlm
from halluc.models.quantization import Quantization

CHECKPOINT = Path(__file__).parent / "checkpoint"
"""Folder of weights, processor and record."""

RECORD_FILE = "RECORD.json"
"""Stands with every checkpoint that ``python -m halluc pretrain`` makes, and holds the command."""


def is_miniworld_model(path: str) -> bool:
    """Tell whether a checkpoint was pretrained on MiniWorld."""
    return (Path(path) / RECORD_FILE).is_file()


def load_miniworld(
    path: str | None = None,
    *,
    dtype: str = "float32",
    max_pixels: int = IMAGE_PX**2,
    quantization: Quantization | None = None,
) -> Lvlm:
    """Load the committed checkpoint, or another one made by ``python -m halluc pretrain``.

    Args:
        path: Folder of another checkpoint; None takes the committed one.
        dtype: ``float32`` is the fastest on most CPUs; the weights are kept in bfloat16.
        max_pixels: Bound of a picture's width times height; MiniWorld's pictures have 84 x 84 pixels.
        quantization: How the decoder's frozen weights are stored; None keeps them in ``dtype``.

    Raises:
        ModelNotFoundError: If there is no checkpoint.
    """
    return load_lvlm(
        str(CHECKPOINT) if path is None else path,
        dtype=dtype,
        max_pixels=max_pixels,
        quantization=quantization,
    )
