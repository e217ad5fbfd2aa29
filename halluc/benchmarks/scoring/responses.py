"""Scoring of responses that any tool has written to a file."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from halluc.benchmarks.files.rows import Row
from halluc.benchmarks.files.run_rows import is_run_row, likelihood_of
from halluc.benchmarks.published import PublishedBenchmark
from halluc.data.records import Prediction, Question
from halluc.errors import BenchmarkError, RecordError
from halluc.metrics.bootstrap import Interval, bootstrap_intervals

logger = logging.getLogger(__name__)

GROUP_FIELDS = frozenset({"sequence_id", "vid"})
"""Where records say which images they are about without naming them."""


@dataclass(frozen=True, slots=True)
class ResponseScores:
    """Hold the scores of a response file.

    Attributes:
        scores: As the benchmark returns them.
        questions: How many questions were scored.
        missing: How many of them had no response; each counts as unparsed.
        unasked: How many further ones had none and need none, such as those behind a closed gate.
        unparsed: How many had a response that the profile could not read.
        likelihoods: How many were answered by likelihood, which no profile reads.
        resampled: What the intervals resample: ``images``, or ``questions`` where images are not told.
        intervals: Score name to its confidence interval, clustered by image; empty if not asked for.
    """

    scores: dict[str, float]
    questions: int
    missing: int
    unasked: int
    unparsed: int
    likelihoods: int
    resampled: str
    intervals: dict[str, Interval] = field(default_factory=dict)


def holds_gold(row: Row) -> bool:
    """Tell a whole published record, with its gold answer, from a mere id and response."""
    return row.gold_field is not None or bool(row.record.keys() & {"coarse", "objects"})


def require_same_gold(asked: PublishedBenchmark, answered: PublishedBenchmark, where: str) -> None:
    """Refuse answers whose records hold other gold answers than the questions of the same ids.

    Args:
        asked: The questions that count.
        answered: The same, as the answers' own records hold them.
        where: Names the two for the message, as "the questions in --root and in the files".

    Raises:
        BenchmarkError: If a gold answer differs, by its text where it is an option.
    """
    questions = answered.published()
    common = [(name, one, questions[name]) for name, one in asked.published().items() if name in questions]
    apart = [name for name, one, other in common if _gold_text(one) != _gold_text(other)]
    if apart:
        raise BenchmarkError(
            f"{len(apart)} of {len(common)} questions have one id but different gold answers in {where}, as "
            f"{apart[0]}. They are not about the same questions: the ids may count something else."
        )


def _gold_text(question: Question) -> str | None:
    """Return the right answer in a form that does not depend on the order of options."""
    if question.gold is None or not all(question.space.options):
        return question.gold
    texts = dict(zip(question.space.candidates, question.space.options, strict=False))
    return texts.get(question.gold, question.gold)


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
    responses = predictions_of(benchmark, rows)
    questions = benchmark.published()
    if not questions:
        raise BenchmarkError("There is nothing to score: the files hold no questions.")
    extra = [prediction for name, prediction in responses.items() if name not in questions]
    given = [responses.get(name, Prediction(id=name, text=None)) for name in questions]
    unasked = benchmark.unasked(given)
    predictions = [prediction for prediction in given if prediction.id not in unasked]
    if unasked:
        logger.warning("%d questions behind closed gates have no response; taken as not asked.", len(unasked))
    missing = sum(prediction.text is None for prediction in predictions)
    if missing:
        logger.warning(
            "%d of %d questions have no response; they count as unparsed.", missing, len(predictions)
        )
    likelihoods = sum(prediction.probabilities is not None for prediction in predictions)
    if 0 < likelihoods < len(predictions):
        logger.warning(
            "%d of %d answers are by likelihood, the others are text: scores mix the two.",
            likelihoods,
            len(predictions),
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
        likelihoods=likelihoods,
        resampled=resampled_units(benchmark, rows, aloud=resamples > 0),
        intervals=intervals,
    )


def predictions_of(benchmark: PublishedBenchmark, rows: Sequence[Row]) -> dict[str, Prediction]:
    """Read the responses of all rows under the benchmark's profile.

    An answer by likelihood, in a predictions file of a run, is kept as it is: it needs no reader.

    Args:
        benchmark: Knows the questions.
        rows: The rows of response files.

    Returns:
        Id to prediction, in the order of the rows; without text where the response is missing, and
        unparsed where the question is unknown.

    Raises:
        RecordError: If two rows answer the same question.
    """
    questions = benchmark.published()
    found: dict[str, Prediction] = {}
    twice = []
    for row in rows:
        for name, response in responses_of(benchmark, row).items():
            if name in found:
                twice.append(f"{row.where}: {name}")
            found[name] = _prediction(benchmark, name, questions.get(name), response, row)
    if twice:
        raise RecordError(f"{len(twice)} responses repeat an id. Keep one response a question:", twice)
    return found


def responses_of(benchmark: PublishedBenchmark, row: Row) -> dict[str, str | None]:
    """Return id to response of one row, of a run's own predictions or of anybody's file."""
    return {row.text("id"): row.response} if is_run_row(row) else benchmark.row_responses(row)


def resampled_units(benchmark: PublishedBenchmark, rows: Iterable[Row], *, aloud: bool = True) -> str:
    """Name what intervals resample: ``images``, or ``questions`` where nothing tells their images.

    Args:
        benchmark: Knows the images where it was built from published files.
        rows: The rows of the response files, from which it was built otherwise.
        aloud: Warn that intervals which resample questions are too narrow.
    """
    told = any(question.images for question in benchmark.published().values())
    if told or all(row.image_name() or row.record.keys() & GROUP_FIELDS for row in rows):
        return "images"
    if aloud:
        logger.warning(
            "The files do not tell which questions share an image, so intervals take every question for "
            "independent and are too narrow. With --root they are clustered by image."
        )
    return "questions"


def _prediction(
    benchmark: PublishedBenchmark, name: str, question: Question | None, response: str | None, row: Row
) -> Prediction:
    if question is None or response is None:
        return Prediction(id=name, text=response)
    likelihood = likelihood_of(row, question) if row.record.get("id") == name else None
    return likelihood or Prediction(id=name, text=response, parsed=benchmark.read(question, response))
