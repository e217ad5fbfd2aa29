"""Check a machine before anything is measured there: versions, hooks into transformers, token trees."""

import importlib.metadata
import inspect
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
import transformers
from packaging.version import Version

from halluc.bench.attention_variants import DENSE, compare_attention
from halluc.bench.model import build_model
from halluc.bench.workload import draw_workload
from halluc.errors import ConfigError, ModelSupportError
from halluc.models.adapters import LoraAdapter
from halluc.models.load import load_lvlm
from halluc.models.tiny.build import build_tiny
from halluc.packing.plain import PlainScorer
from halluc.packing.self_check import check_sharing
from halluc.packing.tree_scorer import TreeScorer

MINIMUM: Mapping[str, str] = {
    "torch": "2.11",
    "transformers": "5.18",  # the first with mm_encoder_outputs
    "peft": "0.19",
    "trl": "1.16",
}
IMAGE_PX = 112
ATTENTION_TOLERANCE = 1e-3
"""Largest difference that rounding in float32 explains: in nats, of gradients relative to their norm."""

PEAK_BF16_TFLOPS: Mapping[str, float] = {
    "B200": 2250.0,
    "H200": 989.0,
    "H100 PCIe": 756.0,
    "H100": 989.0,
    "A100": 312.0,
    "L40S": 362.0,
    "L4": 121.0,
    "RTX 4090": 165.0,
}
"""Dense bfloat16 peaks by a part of the GPU's name, longer names first; from the makers' data sheets."""


def check_versions(device: str, minimum: Mapping[str, str] = MINIMUM) -> dict[str, str]:
    """Check what is installed, and that the device is there.

    Args:
        device: ``cpu`` or ``cuda``.
        minimum: Lowest version of each package.

    Returns:
        The versions found.

    Raises:
        ConfigError: Listing everything that is missing or too old.
    """
    found: dict[str, str] = {}
    problems = []
    for package, lowest in minimum.items():
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            problems.append(f"{package} is not installed (at least {lowest})")
            continue
        if Version(found[package]) < Version(lowest):
            problems.append(f"{package} is {found[package]} (at least {lowest})")
    forward = transformers.Qwen2VLModel.forward
    if "mm_encoder_outputs" not in inspect.signature(forward).parameters:
        problems.append("Qwen2VLModel.forward takes no mm_encoder_outputs (transformers 5.18 has it)")
    if device == "cuda" and not torch.cuda.is_available():
        problems.append(f"torch {torch.__version__} finds no GPU")
    if problems:
        raise ConfigError(
            f"This machine is not ready: {'; '.join(problems)}. Bring the wheels along, as the docstring of "
            "scripts/gpu_check.py says."
        )
    return found


def check_families(families: Sequence[str], device: str) -> dict[str, str]:
    """Check on tiny random checkpoints that token trees agree with padded rows on the device.

    Args:
        families: Names for ``build_tiny``.
        device: ``cpu`` or ``cuda``.

    Returns:
        For each family what the comparison found, in words.

    Raises:
        ModelSupportError: Listing the families whose trees disagree, or whose control shows nothing.
    """
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    with tempfile.TemporaryDirectory() as folder:
        checks = {family: _check_family(family, Path(folder), device) for family in families}
    failed = [f"{family}: {said}" for family, (passed, said) in checks.items() if not passed]
    if failed:
        raise ModelSupportError(
            f"Token trees disagree with padded rows on {device} ({'; '.join(failed)}). Measure nothing "
            "there; train with packing=plain."
        )
    return {family: said for family, (_, said) in checks.items()}


def check_attention(device: str) -> dict[str, dict[str, float | None]]:
    """Check on a small model in float32 that all ways to attend give what the dense mask gives.

    Returns:
        For each way and task the differences of log-probabilities and of gradients.

    Raises:
        ModelSupportError: Listing the ways that differ by more than rounding explains.
    """
    lvlm = build_model("small", dtype="float32", device=device, image_px=IMAGE_PX)
    with tempfile.TemporaryDirectory() as folder:
        workload = draw_workload(Path(folder), k=3, image_px=IMAGE_PX)
        results = compare_attention(lvlm, workload, rounds=1)
    found = {
        f"{each.variant} ({each.task})": {"logp": each.logp_difference, "gradient": each.gradient_difference}
        for each in results
        if each.variant != DENSE
    }
    wrong = {
        name: differences
        for name, differences in found.items()
        if any(value is not None and not value <= ATTENTION_TOLERANCE for value in differences.values())
    }
    if wrong:
        raise ModelSupportError(
            f"Some ways to attend disagree with the dense mask on {device}: {wrong}. Don't use them there; "
            "packing=tree attends with the dense mask."
        )
    return found


def peak_tflops(gpu: str) -> float | None:
    """Look up what a GPU can do at best in bfloat16; None if it is not known."""
    return next((peak for name, peak in PEAK_BF16_TFLOPS.items() if name in gpu), None)


def _check_family(family: str, folder: Path, device: str) -> tuple[bool, str]:
    build_tiny(family, folder / family)
    lvlm = load_lvlm(str(folder / family), dtype="float32", max_pixels=IMAGE_PX**2)
    LoraAdapter(r=4, lora_dropout=0.0).attach(lvlm)
    lvlm.to(device).eval()
    sequences = draw_workload(folder, k=3, image_px=IMAGE_PX).pairs()
    tree, plain = TreeScorer(lvlm), PlainScorer(lvlm)
    trees, rows = tree.collate(sequences).to(device), plain.collate(sequences).to(device)
    found = check_sharing(tree, plain, trees, rows)
    return found.passed, str(found)
