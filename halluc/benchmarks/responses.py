"""Scoring of responses that any tool has written to a file."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.rows import Row
from halluc.data.records import Prediction, Question
from halluc.errors import BenchmarkError, RecordError
from halluc.metrics.bootstrap import Interval, bootstrap_intervals

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ResponseScores:
    """Hold the scores of a response file.

    Attributes:
        scores: As the benchmark returns them.
        questions: How many questions were scored.
        missing: How many of them had no response; each counts as unparsed.
        unasked: How many further ones had none and need none, such as those behind a closed gate.
        unparsed: How many had a response that the profile could not read.
        intervals: Score name to its confidence interval, clustered by image; empty if not asked for.
    """

    scores: dict[str, float]
    questions: int
    missing: int
    unasked: int
    unparsed: int
    intervals: dict[str, Interval] = field(default_factory=dict)


def holds_gold(row: Row) -> bool:
    """Tell a whole published record, with its gold answer, from a mere id and response."""
    return row.gold_field is not None or bool(row.record.keys() & {"coarse", "objects"})


def score_responses(
    benchmark: PublishedBenchmark, rows: Sequence[Row], *, resamples: int = 0, confidence: float = 0.95
) -> ResponseScores:
    """Read the responses of all rows under the benchmark's profile, and score every question.

    Args:
        benchmark: Knows the questions; its pictures are not looked for.
        rows: The rows of the response files.
        resamples: Number of resamples for the intervals; 0 computes none.
        confidence: Probability that an interval shall cover the true score.

    Raises:
        RecordError: If two rows answer the same question.
        BenchmarkError: If a row answers no question of this benchmark, or there is nothing to score.
    """
    responses = _responses(benchmark, rows)
    questions = benchmark.published()
    if not questions:
        raise BenchmarkError("There is nothing to score: the files hold no questions.")
    extra = [Prediction(id=name, text=None) for name in responses if name not in questions]
    given = [_prediction(benchmark, question, responses) for question in questions.values()]
    unasked = benchmark.unasked(given)
    predictions = [prediction for prediction in given if prediction.id not in unasked]
    if unasked:
        logger.warning("%d questions behind closed gates have no response; taken as not asked.", len(unasked))
    missing = sum(prediction.text is None for prediction in predictions)
    if missing:
        logger.warning(
            "%d of %d questions have no response; they count as unparsed.", missing, len(predictions)
        )
    tally = benchmark.tally([*predictions, *extra])
    intervals = {}
    if resamples:
        intervals = bootstrap_intervals(tally, resamples=resamples, confidence=confidence)
    return ResponseScores(
        scores=benchmark.score_tally(tally),
        questions=len(predictions),
        missing=missing,
        unasked=len(unasked),
        unparsed=sum(p.text is not None and p.parsed is None for p in predictions),
        intervals=intervals,
    )


def _responses(benchmark: PublishedBenchmark, rows: Sequence[Row]) -> dict[str, str | None]:
    """Return id to response of all rows."""
    responses: dict[str, str | None] = {}
    twice = []
    for row in rows:
        for name, response in benchmark.row_responses(row).items():
            if name in responses:
                twice.append(f"{row.where}: {name}")
            responses[name] = response
    if twice:
        raise RecordError(f"{len(twice)} responses repeat an id. Keep one response a question:", twice)
    return responses


def _prediction(
    benchmark: PublishedBenchmark, question: Question, responses: Mapping[str, str | None]
) -> Prediction:
    text = responses.get(question.id)
    parsed = None if text is None else benchmark.read(question, text)
    return Prediction(id=question.id, text=text, parsed=parsed)
