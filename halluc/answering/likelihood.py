"""Answer by likelihood: the most probable candidate of a question's closed answer space."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from lightning.fabric.utilities.apply_func import move_data_to_device
from torch import Tensor

from halluc.answering.forms import ambiguous, distinct, surface_forms
from halluc.answering.prefetch import prefetched
from halluc.data.records import AnswerKind, Prediction, Question
from halluc.errors import ConfigError
from halluc.models.lvlm import Lvlm
from halluc.packing.sequence import ScoredSequence, SequenceScorer


@dataclass(frozen=True, slots=True)
class _Asked:
    """Hold a batch of questions and what is scored for each, in order."""

    questions: Sequence[Question]
    spellings: Sequence[Mapping[str, int]]
    """For each question: candidate to number of its scored spellings."""
    batch: Any


class LikelihoodAnswerer:
    """Answer closed questions by comparing the probabilities of their candidates.

    Each candidate has several spellings (``Yes``, ``yes``, ``YES``). A spelling's probability is that of
    beginning the answer with its tokens; the spellings of a candidate add up. Where a spelling of one
    candidate begins another's (1 and 10), all spellings of that question are scored together with the
    end of the turn instead, so that they are complete, disjoint answers.

    Args:
        lvlm: The model; evaluation mode is set while it answers.
        scorer: Computes log-probabilities with that model.
        batch_size: Number of questions a call of the scorer.

    Raises:
        ConfigError: If ``batch_size`` is not positive.
    """

    def __init__(self, lvlm: Lvlm, scorer: SequenceScorer[Any], batch_size: int = 16) -> None:
        if batch_size < 1:
            raise ConfigError(f"answering.batch_size is {batch_size}. Give a positive number of questions.")
        self.lvlm = lvlm
        self.scorer = scorer
        self.batch_size = batch_size

    def answer(self, questions: Sequence[Question], max_pixels: int | None = None) -> Iterator[Prediction]:
        """Yield one prediction a question, in order.

        Args:
            questions: Of any closed answer spaces, mixed at will; answers don't depend on their order.
            max_pixels: Overrides the model's own picture bound.

        Yields:
            Predictions with normalised ``probabilities``, ``mass`` (their sum before), and the most
            probable candidate as ``parsed`` and ``text``; of equally probable ones the first.

        Raises:
            ConfigError: If a question wants free text.
        """
        for question in questions:
            if question.space.kind is AnswerKind.TEXT or not question.space.candidates:
                raise ConfigError(
                    f"question {question.id} wants free text, which likelihood can't answer. "
                    "Set answering=greedy, or leave this benchmark out."
                )
        starts = range(0, len(questions), self.batch_size)
        batches = (questions[start : start + self.batch_size] for start in starts)
        for asked in prefetched(lambda batch: self._prepare(batch, max_pixels), batches, self.lvlm.device):
            yield from self._predict(asked)

    def _prepare(self, questions: Sequence[Question], max_pixels: int | None) -> _Asked:
        sequences: list[ScoredSequence] = []
        spellings: list[Mapping[str, int]] = []
        for question in questions:
            scored = self._scored(question)
            spellings.append({candidate: len(group) for candidate, group in scored.items()})
            sequences += [sequence for group in scored.values() for sequence in group]
        return _Asked(questions, spellings, self.scorer.collate(sequences, max_pixels))

    def _scored(self, question: Question) -> dict[str, list[ScoredSequence]]:
        """Choose the spellings of each candidate whose probabilities may be added."""
        spelled = {
            candidate: self._by_tokens(question, forms)
            for candidate, forms in surface_forms(question.space).items()
        }
        tokens = {candidate: list(forms) for candidate, forms in spelled.items()}
        ends_turn = ambiguous(tokens)
        return {
            candidate: [
                ScoredSequence(question, forms[ids], ends_turn)
                for ids in (tokens[candidate] if ends_turn else distinct(tokens[candidate]))
            ]
            for candidate, forms in spelled.items()
        }

    def _by_tokens(self, question: Question, forms: Sequence[str]) -> dict[tuple[int, ...], str]:
        """Find the tokens of each spelling in its place; of spellings with equal tokens the first stays."""
        spelled: dict[tuple[int, ...], str] = {}
        for form in forms:
            spelled.setdefault(self.lvlm.encoder.answer_ids(question, form), form)
        return spelled

    def _predict(self, asked: _Asked) -> Iterator[Prediction]:
        with torch.no_grad(), self.lvlm.evaluating():
            batch = move_data_to_device(asked.batch, self.lvlm.device)
            logps = self.scorer(batch).sums().double().cpu()
        position = 0
        for question, spellings in zip(asked.questions, asked.spellings, strict=True):
            summed = []
            for count in spellings.values():
                summed.append(logps[position : position + count].logsumexp(0))
                position += count
            yield _prediction(question, list(spellings), torch.stack(summed))


def _prediction(question: Question, candidates: Sequence[str], logps: Tensor) -> Prediction:
    best = candidates[int(logps.argmax())]
    return Prediction(
        id=question.id,
        text=best,
        parsed=best,
        probabilities=dict(zip(candidates, logps.softmax(0).tolist(), strict=True)),
        mass=min(float(logps.logsumexp(0).exp()), 1.0),
    )
