"""Ask a model the questions of a benchmark: sharded over ranks, with progress, read under a profile."""

from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

import torch
from lightning.pytorch import LightningModule

from halluc.benchmarks.base import Benchmark
from halluc.callbacks.stop_request import StopRequest
from halluc.data.records import Prediction, Question
from halluc.report.progress import progress


class Answerer(Protocol):
    """Answer questions with a model, by likelihood or by generation."""

    def answer(self, questions: Sequence[Question], max_pixels: int | None = None) -> Iterator[Prediction]:
        """Yield one prediction a question, in order."""
        ...


def answers(
    benchmark: Benchmark,
    questions: Sequence[Question],
    answerer: Answerer,
    predictions: MutableMapping[str, Prediction],
) -> Iterator[Prediction]:
    """Ask what is due, round after round, and yield the predictions as they come.

    Text without a parsed answer is read by the benchmark's own reader.

    Args:
        benchmark: Says what is due, which may depend on earlier answers.
        questions: What is to be asked.
        answerer: How questions are answered.
        predictions: Question id to prediction: what is known already, and all that is yielded.
    """
    while due := benchmark.due(questions, predictions):
        answered = answerer.answer(due, max_pixels=benchmark.max_pixels)
        for question, prediction in zip(due, answered, strict=True):
            predictions[question.id] = _read(benchmark, question, prediction)
            yield predictions[question.id]


def ask(
    benchmark: Benchmark,
    questions: Sequence[Question],
    *,
    answerer: Answerer,
    module: LightningModule,
    stop: StopRequest,
    title: str,
) -> list[Prediction]:
    """Answer the questions, each by one rank, and give every rank all predictions in order.

    Questions that the benchmark does not want asked, given the other answers, have no prediction.

    Raises:
        RunInterruptedError: If the run was asked to stop, on all ranks alike.
    """
    share = _share(questions, module.global_rank, module.trainer.world_size)
    mine: dict[str, Prediction] = {}
    with _evaluating(module), progress(title, len(share), shown=module.global_rank == 0) as advance:
        for _ in answers(benchmark, share, answerer, mine):
            advance()
            if stop.here:
                break
    stop.raise_if_requested(module.device, "The evaluation in progress is repeated when the run is resumed.")
    return _gather(list(mine.values()), questions, module.trainer.world_size)


def _share(questions: Sequence[Question], rank: int, world_size: int) -> list[Question]:
    """Take every ``world_size``-th group of questions, so that images are not torn apart."""
    numbers: dict[str, int] = {}
    return [
        question
        for question in questions
        if numbers.setdefault(question.group or question.id, len(numbers)) % world_size == rank
    ]


def _read(benchmark: Benchmark, question: Question, prediction: Prediction) -> Prediction:
    if prediction.parsed is not None or prediction.probabilities is not None or prediction.text is None:
        return prediction
    return replace(prediction, parsed=benchmark.read(question, prediction.text))


def _gather(mine: list[Prediction], questions: Sequence[Question], world_size: int) -> list[Prediction]:
    everyone = [mine]
    if world_size > 1:
        everyone = [[] for _ in range(world_size)]
        torch.distributed.all_gather_object(everyone, mine)
    by_id = {prediction.id: prediction for predictions in everyone for prediction in predictions}
    return [by_id[question.id] for question in questions if question.id in by_id]


@contextmanager
def _evaluating(module: LightningModule) -> Iterator[None]:
    """Switch off dropout and gradients, and leave the mode as it was."""
    was_training = module.training
    module.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        module.train(was_training)
