"""Supervised fine-tuning on answers."""

from collections.abc import Sequence

import torch

from halluc.data.records import Sample
from halluc.losses.cross_entropy import cross_entropy
from halluc.methods.base import FineTune, MethodBatch, StepOutcome, TrainingSource
from halluc.packing.sequence import ScoredSequence


class SupervisedFineTuning(FineTune):
    """Raise the log-probability of the right answer, tokens of the answer and its end only."""

    @staticmethod
    def records(source: TrainingSource) -> Sequence[Sample]:
        """Take the samples."""
        return source.samples()

    def collate(self, records: Sequence[Sample]) -> MethodBatch:
        """Score each sample's answer below its question."""
        sequences = [ScoredSequence(sample.question, sample.answer) for sample in records]
        weights = torch.tensor([sample.weight for sample in records], dtype=torch.float32)
        return MethodBatch(self.scorer.collate(sequences), weights)

    def outcome(self, batch: MethodBatch) -> StepOutcome:
        """Sum the cross-entropy over answer tokens."""
        return StepOutcome(cross_entropy(self.scorer(batch.scoring), batch.weights))
