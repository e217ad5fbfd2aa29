"""Time ways to attend where prefixes are shared, and hold their results and gradients against each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from halluc.bench.flex_attention import FlexTreeScorer, flex_decoder
from halluc.bench.timing import peak_memory_mb, time_in_turns
from halluc.bench.workload import Workload
from halluc.models.lvlm import Lvlm
from halluc.packing.prefix_scorer import PrefixScorer
from halluc.packing.sequence import AnswerLogps, ScoredSequence
from halluc.packing.tree_scorer import TreeScorer

DENSE = "tree, dense mask (SDPA)"
FLEX = "tree, flex attention on its blocks"
PREFIX = "rows behind a prefix's keys and values"


@dataclass(frozen=True, slots=True)
class VariantResult:
    """Hold what was measured for one way to attend.

    Attributes:
        task: ``sft`` or ``evaluation``.
        variant: Its name.
        work: ``forward and backward``, or ``forward`` in evaluation and on a CPU, where flex attention has no
            backward pass.
        median_s: Median duration, in seconds.
        times_dense: How many times faster than the dense mask, the median over rounds.
        peak_memory_mb: See ``peak_memory_mb``.
        logp_difference: Largest difference of a token's log-probability from the dense mask's, in nats.
        gradient_difference: Norm of the difference of all LoRA gradients from the dense mask's, relative
            to the norm of those; None without a backward pass.
    """

    task: str
    variant: str
    work: str
    median_s: float
    times_dense: float
    peak_memory_mb: float | None
    logp_difference: float
    gradient_difference: float | None


def compare_attention(lvlm: Lvlm, workload: Workload, *, rounds: int) -> list[VariantResult]:
    """Measure each way on the sequences of supervised fine-tuning, then on those of likelihood answers.

    Args:
        lvlm: A model with an adapter, of a family whose decoder attends plainly.
        workload: Questions about one picture.
        rounds: How often each is timed, in turns.

    Raises:
        ModelSupportError: If the decoder needs other masks than the tree's.
    """
    lvlm.train()
    learns = lvlm.device.type == "cuda"
    training = _compare("sft", _steps(lvlm, workload.samples(), learns=learns), lvlm.device, rounds)
    lvlm.eval()
    asking = _compare("evaluation", _steps(lvlm, workload.candidates(), learns=False), lvlm.device, rounds)
    return training + asking


Computed = tuple[Tensor, Tensor | None]
"""Log-probabilities of the scored tokens, and the gradients of their mean."""


def _compare(
    task: str, steps: dict[str, Callable[[], Computed]], device: torch.device, rounds: int
) -> list[VariantResult]:
    computed = {name: step() for name, step in steps.items()}  # also compiles
    memory = {name: peak_memory_mb(step, device) for name, step in steps.items()}
    timings = time_in_turns(steps, rounds=rounds, device=device)
    expected_logps, expected_gradients = computed[DENSE]
    return [
        VariantResult(
            task=task,
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


def _steps(
    lvlm: Lvlm, sequences: Sequence[ScoredSequence], *, learns: bool
) -> dict[str, Callable[[], Computed]]:
    dense, flex, prefix = TreeScorer(lvlm, tokens_per_forward=None), FlexTreeScorer(lvlm), PrefixScorer(lvlm)
    tree = dense.collate(sequences).to(lvlm.device)
    rows = prefix.collate(sequences).to(lvlm.device)

    def compute(score: Callable[[], AnswerLogps]) -> Computed:
        with torch.set_grad_enabled(learns):
            logps = score().token_logps
        if not learns:
            return logps, None
        lvlm.zero_grad()
        logps.mean().backward()  # type: ignore[no-untyped-call]  # PyTorch
        gradients = [p.grad.float().flatten() for p in lvlm.parameters() if p.grad is not None]
        return logps.detach(), torch.cat(gradients)

    def with_flex() -> Computed:
        with flex_decoder(lvlm):
            return compute(lambda: flex(tree))

    return {
        DENSE: lambda: compute(lambda: dense(tree)),
        FLEX: with_flex,
        PREFIX: lambda: compute(lambda: prefix(rows)),
    }


def _relative(found: Tensor | None, expected: Tensor | None) -> float | None:
    if found is None or expected is None:
        return None
    return float((found - expected).norm() / expected.norm())
