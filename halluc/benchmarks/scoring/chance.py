"""What guessing scores: the level that a score has to beat to mean anything."""

import random
from collections.abc import Sequence
from statistics import fmean

from halluc.benchmarks.base import Benchmark
from halluc.data.records import Prediction, Question

GUESSES = 20
"""Times that everything is guessed; the mean is kept."""


def chance_scores(benchmark: Benchmark, questions: Sequence[Question], *, seed: int = 0) -> dict[str, float]:
    """Compute the scores of a model that picks one of the possible answers blindly.

    Simulated, since gates, pairs and harmonic means have no simple formula.

    Args:
        benchmark: The benchmark.
        questions: Those that are asked.
        seed: Seed of the guesses.

    Returns:
        Keys as ``score`` returns them, as means over ``GUESSES`` times; empty if a question wants free
        text, which nobody can guess.
    """
    if not all(question.space.candidates for question in questions):
        return {}
    rng = random.Random(seed)
    tries = [benchmark.score([_guess(question, rng) for question in questions]) for _ in range(GUESSES)]
    return {key: fmean(found[key] for found in tries) for key in tries[0] if all(key in f for f in tries)}


def _guess(question: Question, rng: random.Random) -> Prediction:
    guess = rng.choice(question.space.candidates)
    return Prediction(id=question.id, text=guess, parsed=guess)
