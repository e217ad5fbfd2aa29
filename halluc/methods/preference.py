"""Preference fine-tuning on pairs of answers, with the model itself as reference."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from halluc.data.records import Preference, Question
from halluc.losses.cross_entropy import LossSum
from halluc.losses.pairs import PairLogps, PreferenceLoss
from halluc.methods.base import (
    FineTune,
    MethodBatch,
    OptimizerFactory,
    SchedulerFactory,
    StepOutcome,
    TrainingSource,
)
from halluc.models.adapters import adapter_disabled
from halluc.models.base_weights import base_fingerprint
from halluc.models.lvlm import Lvlm
from halluc.packing.reference_cache import ReferenceCache
from halluc.packing.reference_keys import ReferenceKeys
from halluc.packing.sequence import ScoredSequence, SequenceScorer


class PreferenceFineTuning(FineTune):
    """Widen the margin between chosen and rejected answers against the frozen reference.

    The reference is the same weights with the adapter switched off, so at step 0 every margin is 0.

    Args:
        loss: Loss a pair, from summed log-probabilities of the answers.
        reference_cache: Where the reference's log-probabilities are kept from epoch to epoch and, if
            asked to, from run to run; None computes them in every step.
        lvlm: See ``FineTune``, as for the arguments below.
        scorer: Computes answer log-probabilities with that model.
        optimizer: Builds the optimizer.
        scheduler: Builds the learning-rate schedule.
        warmup_fraction: Share of the optimizer steps that warm up.
        seed: Seed of the random numbers of each step.

    Reference:
        Rafailov et al., Direct Preference Optimization, arXiv 2305.18290.
    """

    def __init__(
        self,
        lvlm: Lvlm,
        scorer: SequenceScorer[Any],
        *,
        loss: PreferenceLoss,
        reference_cache: ReferenceCache | None = None,
        optimizer: OptimizerFactory,
        scheduler: SchedulerFactory,
        warmup_fraction: float = 0.03,
        seed: int = 0,
    ) -> None:
        super().__init__(
            lvlm,
            scorer,
            optimizer=optimizer,
            scheduler=scheduler,
            warmup_fraction=warmup_fraction,
            seed=seed,
        )
        self._loss = loss
        self._reference_cache = reference_cache
        self._reference_keys = ReferenceKeys(lvlm.encoder)

    @staticmethod
    def records(source: TrainingSource) -> Sequence[Preference]:
        """Take the preferences."""
        return source.preferences()

    def collate(self, records: Sequence[Preference]) -> MethodBatch:
        """Score all chosen answers, then all rejected ones."""
        chosen = [ScoredSequence(pair.question, pair.chosen) for pair in records]
        rejected = [ScoredSequence(_rejected_question(pair), pair.rejected) for pair in records]
        weights = torch.tensor([pair.weight for pair in records], dtype=torch.float32)
        keys = () if self._reference_cache is None else self._reference_keys([*chosen, *rejected])
        return MethodBatch(self.scorer.collate([*chosen, *rejected]), weights, keys)

    def outcome(self, batch: MethodBatch) -> StepOutcome:
        """Sum the preference loss over pairs, and what the log shows beside it."""
        policy_chosen, policy_rejected = self.scorer(batch.scoring).sums().chunk(2)
        reference_chosen, reference_rejected = self._reference_logps(batch).chunk(2)
        pairs = self._loss(
            PairLogps(
                policy_chosen_logps=policy_chosen,
                policy_rejected_logps=policy_rejected,
                reference_chosen_logps=reference_chosen,
                reference_rejected_logps=reference_rejected,
            )
        )
        margins = pairs.chosen_rewards - pairs.rejected_rewards
        logged = {
            "rewards/chosen": pairs.chosen_rewards,
            "rewards/rejected": pairs.rejected_rewards,
            "rewards/margins": margins,
            "rewards/accuracies": (margins > 0).float(),
            "logps/chosen": policy_chosen,
            "logps/rejected": policy_rejected,
        }
        loss = LossSum((batch.weights * pairs.losses).sum(), batch.weights.sum())
        return StepOutcome(loss, {name: (batch.weights * value).sum() for name, value in logged.items()})

    def _reference_logps(self, batch: MethodBatch) -> Tensor:
        """Score chosen and rejected answers with the adapter off, shape ``[2B]``."""

        def compute() -> Tensor:
            with torch.no_grad(), adapter_disabled(self.lvlm):
                return self.scorer(batch.scoring).sums()

        if self._reference_cache is None:
            return compute()
        return self._reference_cache.sums(batch.keys, compute, batch.weights.device, self._reference)

    def _reference(self) -> str:
        """Name the reference, and the number format that it computes in."""
        return f"{self._base_fingerprint} {self.lvlm.compute_dtype}"

    @cached_property
    def _base_fingerprint(self) -> str:
        return base_fingerprint(self.lvlm)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep what the reference said, so that a resumed run works with the very same numbers."""
        super().on_save_checkpoint(checkpoint)
        if self._reference_cache is not None:
            checkpoint["reference_logps"] = self._reference_cache.state_dict()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Take up what the reference said before the interruption."""
        if self._reference_cache is not None:
            self._reference_cache.load_state_dict(checkpoint.get("reference_logps", {}))


def _rejected_question(pair: Preference) -> Question:
    """Ask the rejected side about its own images where it has some."""
    if pair.rejected_images is None:
        return pair.question
    return replace(pair.question, images=pair.rejected_images)
