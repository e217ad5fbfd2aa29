"""Our own ways: token trees and padded rows, with and without what is kept from earlier epochs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from halluc.bench.contestant import Contestant
from halluc.bench.flops import ModelCost, Work, model_cost, rows_work, trees_work
from halluc.bench.workload import Workload
from halluc.losses.cross_entropy import cross_entropy
from halluc.losses.dpo import SigmoidLoss
from halluc.losses.pairs import PairLogps
from halluc.models.adapters import adapter_disabled
from halluc.models.base_weights import base_fingerprint
from halluc.models.families.pictures import PICTURES
from halluc.models.lvlm import Lvlm
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.picture_sets import FeatureSource
from halluc.packing.plain import PlainScorer
from halluc.packing.reference_cache import ReferenceCache
from halluc.packing.reference_keys import ReferenceKeys
from halluc.packing.sequence import ScoredSequence, SequenceScorer
from halluc.packing.shared_features import SharedFeatureScorer
from halluc.packing.tree_scorer import TreeScorer

BETA = 0.1

TREE = "token tree"
TREE_CACHED = "token tree, features cached"
TREE_REFERENCE = "token tree, features and reference cached"
ROWS = "padded rows"
ROWS_SHARED = "padded rows, features shared"


@dataclass(frozen=True, slots=True)
class _Way:
    """Hold one way to score, and how many times it encodes a batch's picture a step."""

    name: str
    scorer: SequenceScorer[Any]
    encodes_rows: bool = False
    encodes: int = 1


class OurWays:
    """Build our contestants for one model.

    The optimizer has learning rate 0: it does its work, and every round finds the same weights. The
    model's mode is set when contestants are built, so those of one task must be measured together.

    Args:
        lvlm: The model with its adapter, on the device that is measured.
    """

    def __init__(self, lvlm: Lvlm) -> None:
        self.lvlm = lvlm
        self._ways = (
            _Way(TREE, TreeScorer(lvlm)),
            _Way(TREE_CACHED, TreeScorer(lvlm, feature_cache=FeatureCache()), encodes=0),
            _Way(ROWS_SHARED, SharedFeatureScorer(lvlm)),
            _Way(ROWS, PlainScorer(lvlm), encodes_rows=True),
        )
        trained = [parameter for parameter in lvlm.parameters() if parameter.requires_grad]
        self._optimizer = torch.optim.AdamW(trained, lr=0.0, fused=True)

    def cost(self, workload: Workload) -> ModelCost:
        """Count the operations of the model, on the picture of a workload."""
        source = FeatureSource(self.lvlm, PICTURES[self.lvlm.hf_model.config.model_type], None)
        batch = TreeScorer(self.lvlm).collate(workload.samples()).to(self.lvlm.device)
        return model_cost(self.lvlm, batch.pictures, source)

    def sft(self, workload: Workload) -> list[Contestant]:
        """Return ways to do one step of supervised fine-tuning; each gives the loss."""
        sequences = workload.samples()
        cost = self.cost(workload)
        self.lvlm.train()

        def contestant(way: _Way) -> Contestant:
            batch = way.scorer.collate(sequences)
            flops = cost.forward_backward(self._work(way, sequences)) + self._pictures(way, cost, sequences)
            weights = torch.ones(len(sequences), device=self.lvlm.device)

            def step() -> Tensor:
                loss = cross_entropy(way.scorer(batch.to(self.lvlm.device)), weights)
                return self._learn(loss.total / loss.weight)

            return Contestant(way.name, step, flops, self._tokens(sequences))

        return [contestant(way) for way in self._ways]

    def dpo(self, workload: Workload) -> list[Contestant]:
        """Return ways to do one step of preference fine-tuning; each gives the loss."""
        self.lvlm.train()
        contestants = [self._dpo(way, workload, None) for way in self._ways]
        cached = _Way(TREE_REFERENCE, self._ways[1].scorer, encodes=0)
        contestants.insert(2, self._dpo(cached, workload, ReferenceCache()))
        return contestants

    def _dpo(self, way: _Way, workload: Workload, cache: ReferenceCache | None) -> Contestant:
        sequences = workload.pairs()
        keys = ReferenceKeys(self.lvlm.encoder)(sequences)
        prepared = way.scorer.collate(sequences)
        loss_of = SigmoidLoss(beta=BETA)
        cost = self.cost(workload)
        work = self._work(way, sequences)
        passes = 2 if way.encodes_rows else 1
        flops = cost.forward_backward(work) + passes * self._pictures(way, cost, sequences)
        flops += cost.forward(work) if cache is None else 0.0

        def step() -> Tensor:
            batch = prepared.to(self.lvlm.device)

            def reference() -> Tensor:
                with torch.no_grad(), adapter_disabled(self.lvlm):
                    return way.scorer(batch).sums()

            policy = way.scorer(batch).sums()
            if cache is None:
                frozen = reference()
            else:
                frozen = cache.sums(keys, reference, policy.device, lambda: base_fingerprint(self.lvlm))
            return self._learn(loss_of(PairLogps(*policy.chunk(2), *frozen.chunk(2))).losses.mean())

        return Contestant(way.name, step, flops, self._tokens(sequences))

    def evaluation(self, workload: Workload) -> list[Contestant]:
        """Return ways to ask for likelihood answers; each gives every candidate's log-probability."""
        sequences = workload.candidates()
        cost = self.cost(workload)
        self.lvlm.eval()

        def contestant(way: _Way) -> Contestant:
            batch = way.scorer.collate(sequences)
            flops = cost.forward(self._work(way, sequences)) + self._pictures(way, cost, sequences)

            def step() -> Tensor:
                with torch.no_grad():
                    return way.scorer(batch.to(self.lvlm.device)).sums()

            return Contestant(way.name, step, flops, self._tokens(sequences))

        return [contestant(way) for way in self._ways]

    def _learn(self, loss: Tensor) -> Tensor:
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # PyTorch
        self._optimizer.step()
        return loss.detach().reshape(1)

    def _work(self, way: _Way, sequences: Sequence[ScoredSequence]) -> Work:
        if way.name.startswith(TREE):
            return trees_work(TreeScorer(self.lvlm).collate(sequences))
        return rows_work(PlainScorer(self.lvlm).collate(sequences))

    def _tokens(self, sequences: Sequence[ScoredSequence]) -> int:
        return rows_work(PlainScorer(self.lvlm).collate(sequences)).tokens

    def _pictures(self, way: _Way, cost: ModelCost, sequences: Sequence[ScoredSequence]) -> float:
        """Count the encoding of pictures in one pass."""
        count = self._work(way, sequences).rows if way.encodes_rows else way.encodes
        return count * cost.picture
