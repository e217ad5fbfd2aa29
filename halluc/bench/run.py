"""Run the measurement: tasks x questions a picture x ways."""

import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from halluc.bench import one_by_one, ours, trl_steps
from halluc.bench.contestant import Contestant
from halluc.bench.model import build_model
from halluc.bench.timing import Timing, peak_memory_mb, time_in_turns
from halluc.bench.workload import Workload, draw_workload
from halluc.errors import ConfigError, UnknownOptionError
from halluc.models.lvlm import Lvlm

logger = logging.getLogger(__name__)

TASKS = ("sft", "dpo", "evaluation")


@dataclass(frozen=True, kw_only=True)
class BenchSettings:
    """Say what is measured; the defaults are the fixed configuration that results are compared on.

    Attributes:
        model: A shape of random Qwen2-VL weights (``small``, ``qwen2_vl_2b``, ``qwen2_vl_7b``), or the
            folder of a checkpoint.
        device: ``cpu`` or ``cuda``.
        dtype: ``float32``, ``bfloat16`` or ``float16``.
        threads: CPU threads.
        image_px: Side of the square picture, in pixels; 392 make 196 tokens.
        k: Questions a picture, one measurement for each.
        tasks: Which of ``TASKS``.
        rounds: How often every way is timed, in turns.
        trl: Whether TRL's trainers take part, if it is installed.
        peak_tflops: What the device can do at best in this number format, for the utilisation; null
            leaves it out.
    """

    model: str = "small"
    device: str = "cpu"
    dtype: str = "float32"
    threads: int = 1
    image_px: int = 392
    k: list[int] = field(default_factory=lambda: [2, 6, 12])
    tasks: list[str] = field(default_factory=lambda: list(TASKS))
    rounds: int = 7
    trl: bool = True
    peak_tflops: float | None = None

    def __post_init__(self) -> None:
        """Check names and numbers before anything is built.

        Raises:
            ConfigError: If one is wrong.
        """
        for task in self.tasks:
            if task not in TASKS:
                raise UnknownOptionError("tasks", task, TASKS)
        if self.rounds < 1 or self.threads < 1 or not self.k or min(self.k) < 1:
            raise ConfigError(
                f"rounds={self.rounds}, threads={self.threads}, k={self.k} must all be at least 1."
            )
        if self.device == "cuda" and not torch.cuda.is_available():
            raise ConfigError("device=cuda, but PyTorch finds no GPU here. Set device=cpu.")


@dataclass(frozen=True, slots=True)
class Result:
    """Hold what was measured for one way.

    Attributes:
        task: One of ``TASKS``.
        k: Questions a picture.
        way: Name of the way.
        median_s: Median duration of a step, about one picture, in seconds.
        questions_per_s: Questions (pairs for ``dpo``) a second.
        tokens_per_s: Tokens of all sequences a second, shared ones counted as often as they occur, so that
            ways compare.
        times_rows: How many times faster than padded rows, the median over rounds.
        flop_bound: How many times fewer operations than padded rows; None where not counted.
        times_baseline: How many times faster than the public baseline of the task (TRL's trainer, one
            forward a question); None if it did not take part.
        peak_memory_mb: Memory of a step on top of what was in use before, in units of 10^6 bytes.
        max_difference: Largest difference from what padded rows computed: of the loss, or of the
            candidates' log-probabilities, in nats.
        utilisation: Counted operations over what the device can do in that time, in [0, 1].
    """

    task: str
    k: int
    way: str
    median_s: float
    questions_per_s: float
    tokens_per_s: float | None
    times_rows: float
    flop_bound: float | None
    times_baseline: float | None
    peak_memory_mb: float | None
    max_difference: float
    utilisation: float | None


BASELINES = {"sft": trl_steps.SFT, "dpo": trl_steps.DPO, "evaluation": one_by_one.ONE_FORWARD}


def run_bench(settings: BenchSettings) -> Iterator[list[Result]]:
    """Measure all tasks, numbers of questions and ways.

    Yields:
        The results of all ways for one number of questions and one task, as soon as they are there.

    Raises:
        HallucError: If the model can't be built, or can't share prefixes.
    """
    torch.set_num_threads(settings.threads)
    lvlm = build_model(
        settings.model, dtype=settings.dtype, device=settings.device, image_px=settings.image_px
    )
    with tempfile.TemporaryDirectory() as folder:
        for k in settings.k:
            workload = draw_workload(Path(folder), k=k, image_px=settings.image_px)
            for task in settings.tasks:
                logger.info("measuring %s with %d questions a picture", task, k)
                contestants = _contestants(task, lvlm, workload, settings)
                yield _measure(task, k, contestants, settings)


def _contestants(task: str, lvlm: Lvlm, workload: Workload, settings: BenchSettings) -> list[Contestant]:
    ways = ours.OurWays(lvlm)
    if task == "evaluation":
        return [*ways.evaluation(workload), *one_by_one.one_by_one(lvlm, workload)]
    own = ways.sft(workload) if task == "sft" else ways.dpo(workload)
    if not settings.trl:
        return own
    if not trl_steps.trl_installed():
        logger.warning("TRL is not installed, so it is not compared with: pip install trl")
        return own
    build: Callable[[Lvlm, Workload], Contestant] = trl_steps.trl_sft if task == "sft" else trl_steps.trl_dpo
    return [*own, build(lvlm, workload)]


def _measure(task: str, k: int, contestants: Sequence[Contestant], settings: BenchSettings) -> list[Result]:
    device = torch.device(settings.device)
    computed = {each.name: each.step() for each in contestants}  # also warms up
    memory = {each.name: peak_memory_mb(each.step, device) for each in contestants}
    steps = {each.name: each.step for each in contestants}
    timings = time_in_turns(steps, rounds=settings.rounds, device=device)
    rows = next(each for each in contestants if each.name == ours.ROWS)
    baseline = timings.get(BASELINES[task])
    return [
        Result(
            task=task,
            k=k,
            way=each.name,
            median_s=timings[each.name].median_s,
            questions_per_s=k / timings[each.name].median_s,
            tokens_per_s=rows.tokens / timings[each.name].median_s if rows.tokens else None,
            times_rows=timings[each.name].ratio(timings[ours.ROWS]),
            flop_bound=rows.flops / each.flops if rows.flops and each.flops else None,
            times_baseline=timings[each.name].ratio(baseline) if baseline else None,
            peak_memory_mb=memory[each.name],
            max_difference=float((computed[each.name] - computed[ours.ROWS]).abs().max()),
            utilisation=_utilisation(each, timings[each.name], settings.peak_tflops),
        )
        for each in contestants
    ]


def _utilisation(contestant: Contestant, timing: Timing, peak_tflops: float | None) -> float | None:
    if peak_tflops is None or contestant.flops is None:
        return None
    return contestant.flops / timing.median_s / (peak_tflops * 1e12)
