"""Answer multiple-choice questions by the likelihood of whole option texts, as V*-Bench's protocol does."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from lightning.fabric.utilities.apply_func import move_data_to_device

from halluc.answering.prefetch import prefetched
from halluc.data.records import Prediction, Question
from halluc.errors import ConfigError
from halluc.metrics.option_likelihood import choose_option
from halluc.models.lvlm import Lvlm
from halluc.packing.sequence import AnswerLogps, ScoredSequence, SequenceScorer

_Asked = tuple[Sequence[Question], Any]


def require_options(questions: Sequence[Question]) -> None:
    """Refuse questions that have no option texts to compare.

    Raises:
        ConfigError: If there is one.
    """
    for question in questions:
        if not question.space.options or not all(question.space.options):
            raise ConfigError(
                f"question {question.id} has no option texts to compare. Set answering=likelihood, or "
                f"ask multiple-choice benchmarks alone."
            )


class OptionLikelihoodAnswerer:
    """Choose the option text that the model finds most likely as the whole answer.

    Every option is scored as an answer of its own, with the end of the turn that closes it, so the
    letters and their order play no part. The question should not list its options: V*-Bench does so with
    ``prompt_profile=likelihood``, which also pads pictures to squares.

    Args:
        lvlm: The model; evaluation mode is set while it answers.
        scorer: Computes log-probabilities with that model.
        batch_size: Number of questions a call of the scorer.
        length_normalized: Compare means over tokens, as published; sums favour short options.

    Raises:
        ConfigError: If ``batch_size`` is not positive.

    Reference:
        Wu and Xie, V*: Guided Visual Search as a Core Mechanism in Multimodal LLMs, arXiv 2312.14135,
        section on evaluation; the rule is ``metrics/option_likelihood.py``.
    """

    def __init__(
        self,
        lvlm: Lvlm,
        scorer: SequenceScorer[Any],
        batch_size: int = 16,
        *,
        length_normalized: bool = True,
    ) -> None:
        if batch_size < 1:
            raise ConfigError(f"answering.batch_size is {batch_size}. Give a positive number of questions.")
        self.lvlm = lvlm
        self.scorer = scorer
        self.batch_size = batch_size
        self.length_normalized = length_normalized

    def answer(self, questions: Sequence[Question], max_pixels: int | None = None) -> Iterator[Prediction]:
        """Yield one prediction a question, in order.

        Args:
            questions: Multiple-choice questions with option texts; answers don't depend on their order.
            max_pixels: Overrides the model's own picture bound.

        Yields:
            Predictions with the letter of the chosen option as ``parsed``, its text as ``text``,
            ``probabilities`` (the sums of log-probabilities, normalised over the options) and ``mass``.

        Raises:
            ConfigError: If a question has no option texts.
        """
        require_options(questions)
        starts = range(0, len(questions), self.batch_size)
        batches = (questions[start : start + self.batch_size] for start in starts)
        for asked, batch in prefetched(
            lambda part: self._prepare(part, max_pixels), batches, self.lvlm.device
        ):
            with torch.no_grad(), self.lvlm.evaluating():
                logps = self.scorer(move_data_to_device(batch, self.lvlm.device))
            yield from self._predict(asked, logps)

    def _prepare(self, questions: Sequence[Question], max_pixels: int | None) -> _Asked:
        sequences = [
            ScoredSequence(question, option) for question in questions for option in question.space.options
        ]
        return questions, self.scorer.collate(sequences, max_pixels)

    def _predict(self, questions: Sequence[Question], logps: AnswerLogps) -> Iterator[Prediction]:
        tokens: list[list[float]] = [[] for _ in range(logps.count)]
        values = logps.token_logps.double().cpu().tolist()
        for place, value in zip(logps.sequence_index.cpu().tolist(), values, strict=True):
            tokens[place].append(-value)
        position = 0
        for question in questions:
            own = tokens[position : position + len(question.space.options)]
            position += len(own)
            chosen = choose_option(own, length_normalized=self.length_normalized)
            sums = -torch.tensor([sum(losses) for losses in own], dtype=torch.float64)
            yield Prediction(
                id=question.id,
                text=question.space.options[chosen],
                parsed=question.space.candidates[chosen],
                probabilities=dict(zip(question.space.candidates, sums.softmax(0).tolist(), strict=True)),
                mass=min(float(sums.logsumexp(0).exp()), 1.0),
            )
