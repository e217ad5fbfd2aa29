"""Measure a checkpoint with the project's own benchmarks on MiniWorld's evaluation files."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from halluc.answering.likelihood import LikelihoodAnswerer
from halluc.benchmarks.base import Benchmark
from halluc.benchmarks.longhalqa import LongHalQA
from halluc.benchmarks.own import OwnBenchmark
from halluc.benchmarks.phd import Phd
from halluc.benchmarks.pope import Pope
from halluc.benchmarks.vlm2 import Vlm2
from halluc.benchmarks.vstar import VStar
from halluc.data.records import Prediction, Question
from halluc.miniworld.scenes.drawing import IMAGE_PX
from halluc.models.load import load_lvlm
from halluc.models.lvlm import Lvlm
from halluc.packing.tree_scorer import TreeScorer

SUBTASKS = ("oc_cpr", "oc_cnt", "oc_grp")
BATCH_SIZE = 96
"""Questions a forward pass."""


def miniworld_benchmarks(root: Path) -> Mapping[str, Benchmark]:
    """Build the benchmarks that ``MiniWorld.prepare`` has written to a folder."""
    return {
        "pope": Pope(root / "pope"),
        "phd": Phd(root / "phd"),
        "vlm2": Vlm2(root / "vlm2", subtasks=SUBTASKS),
        "longhalqa": LongHalQA(root / "longhalqa"),
        "vstar": VStar(root / "vstar"),
        "own": OwnBenchmark(root / "own"),
    }


def measure(checkpoint: Path, root: Path) -> dict[str, float]:
    """Ask a checkpoint every evaluation question of a prepared MiniWorld, by likelihood.

    Args:
        checkpoint: Folder of the model.
        root: Folder that ``MiniWorld.prepare`` has written to.

    Returns:
        Scores by ``<benchmark>/<key>``, as fractions.
    """
    return measure_lvlm(load_lvlm(str(checkpoint), dtype="float32", max_pixels=IMAGE_PX**2), root)


def measure_lvlm(lvlm: Lvlm, root: Path) -> dict[str, float]:
    """Ask a model that is loaded, and maybe adapted; see ``measure``."""
    answerer = LikelihoodAnswerer(lvlm, TreeScorer(lvlm), batch_size=BATCH_SIZE)
    scores: dict[str, float] = {}
    for name, benchmark in miniworld_benchmarks(root).items():
        found = benchmark.score(list(_answers(answerer, benchmark.questions())))
        scores |= {f"{name}/{key}": value for key, value in found.items()}
    return scores


def _answers(answerer: LikelihoodAnswerer, questions: Sequence[Question]) -> Iterator[Prediction]:
    """Answer picture by picture, so that questions about one picture share a forward pass."""
    yield from answerer.answer(sorted(questions, key=lambda question: question.images))
