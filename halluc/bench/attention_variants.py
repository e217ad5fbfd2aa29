"""Time token trees with a dense mask beside flex attention, and hold their gradients against each other."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from halluc.bench.flex_attention import FlexTreeScorer, flex_decoder
from halluc.bench.timing import peak_memory_mb, time_in_turns
from halluc.bench.workload import Workload
from halluc.models.lvlm import Lvlm
from halluc.packing.tree_scorer import TreeScorer

DENSE = "dense mask (SDPA)"
FLEX = "flex attention, blocks of the tree"


@dataclass(frozen=True, slots=True)
class VariantResult:
    """Hold what was measured for one kind of attention.

    Attributes:
        variant: Its name.
        work: ``forward and backward``, or ``forward`` on a CPU, where flex attention has no backward pass.
        median_s: Median duration, in seconds.
        times_dense: How many times faster than the dense mask, the median over rounds.
        peak_memory_mb: See ``peak_memory_mb``.
        logp_difference: Largest difference of a token's log-probability from the dense mask's, in nats.
        gradient_difference: Norm of the difference of all LoRA gradients from the dense mask's, relative
            to the norm of those; None without a backward pass.
    """

    variant: str
    work: str
    median_s: float
    times_dense: float
    peak_memory_mb: float | None
    logp_difference: float
    gradient_difference: float | None


def compare_attention(lvlm: Lvlm, workload: Workload, *, rounds: int) -> list[VariantResult]:
    """Measure both kinds of attention on the sequences of supervised fine-tuning.

    Args:
        lvlm: A model with an adapter, of a family whose decoder attends plainly.
        workload: Questions about one picture.
        rounds: How often each is timed, in turns.

    Raises:
        ModelSupportError: If the decoder needs other masks than the tree's.
    """
    device = lvlm.device
    steps = _steps(lvlm, workload, learns=device.type == "cuda")
    computed = {name: step() for name, step in steps.items()}  # also compiles
    memory = {name: peak_memory_mb(step, device) for name, step in steps.items()}
    timings = time_in_turns(steps, rounds=rounds, device=device)
    expected_logps, expected_gradients = computed[DENSE]
    return [
        VariantResult(
            variant=name,
            work="forward" if gradients is None else "forward and backward",
            median_s=timings[name].median_s,
            times_dense=timings[name].ratio(timings[DENSE]),
            peak_memory_mb=memory[name],
            logp_difference=float((logps - expected_logps).abs().max()),
            gradient_difference=_relative(gradients, expected_gradients),
        )
        for name, (logps, gradients) in computed.items()
    ]


Computed = tuple[Tensor, Tensor | None]


def _steps(lvlm: Lvlm, workload: Workload, *, learns: bool) -> dict[str, Callable[[], Computed]]:
    dense, flex = TreeScorer(lvlm, tokens_per_forward=None), FlexTreeScorer(lvlm)
    batch = dense.collate(workload.samples()).to(lvlm.device)
    lvlm.train()

    def compute(scorer: TreeScorer) -> Computed:
        with torch.set_grad_enabled(learns):
            logps = scorer(batch).token_logps
        if not learns:
            return logps, None
        lvlm.zero_grad()
        logps.mean().backward()  # type: ignore[no-untyped-call]  # PyTorch
        gradients = [p.grad.float().flatten() for p in lvlm.parameters() if p.grad is not None]
        return logps.detach(), torch.cat(gradients)

    def with_flex() -> Computed:
        with flex_decoder(lvlm):
            return compute(flex)

    return {DENSE: lambda: compute(dense), FLEX: with_flex}


def _relative(found: Tensor | None, expected: Tensor | None) -> float | None:
    if found is None or expected is None:
        return None
    return float((found - expected).norm() / expected.norm())
