"""``packing=auto`` checks the shared way on the first batch, and falls back loudly."""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from equality import PROMPTS, ask, assert_equal, compute, mixed_batch

from halluc.errors import ModelSupportError
from halluc.models.families.trees.qwen_vl import QwenVLTree
from halluc.models.lvlm import Lvlm
from halluc.packing.auto_scorer import AutoScorer
from halluc.packing.plain import PlainBatch, PlainScorer
from halluc.packing.sequence import AnswerLogps, ScoredSequence
from halluc.packing.shared_features import SharedFeatureBatch, SharedFeatureScorer
from halluc.packing.tree_scorer import TreeScorer


@pytest.mark.parametrize("family", ["qwen2_vl", "gemma3", "mllama"])
def test_trees_are_used_once_the_first_batch_agrees(
    family: str,
    adapted: Callable[..., Lvlm],
    pictures: tuple[str, ...],
    caplog: pytest.LogCaptureFixture,
):
    lvlm = adapted(family, lora_dropout=0.1)
    scorer = AutoScorer(lvlm)
    assert scorer.uses_trees is None

    single = [ScoredSequence(ask(pictures[:1], PROMPTS[0]), "Yes")]
    scorer(scorer.collate(single))
    assert scorer.uses_trees is None  # one sequence says nothing about branches
    with caplog.at_level(logging.INFO):
        tree = compute(lvlm, scorer, mixed_batch(pictures))
    assert scorer.uses_trees is True
    assert "token trees agree with padded rows" in caplog.text
    assert lvlm.training
    other = compute(lvlm, TreeScorer(lvlm), mixed_batch(pictures))
    assert torch.equal(tree.logps.token_logps, other.logps.token_logps)  # the check drew no dropout


def test_a_wrong_tree_falls_back_loudly(
    adapted: Callable[..., Lvlm],
    pictures: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    right = QwenVLTree.position_ids
    monkeypatch.setattr(QwenVLTree, "position_ids", lambda *a: right(*a) // 2)
    lvlm = adapted("qwen2_vl")
    scorer = AutoScorer(lvlm)
    sequences = mixed_batch(pictures)
    made_before = scorer.collate(sequences)

    with caplog.at_level(logging.WARNING):
        auto = compute(lvlm, scorer, sequences)
    assert scorer.uses_trees is False
    assert "token trees don't agree" in caplog.text
    plain = compute(lvlm, PlainScorer(lvlm), sequences)
    assert_equal(plain, auto)
    assert torch.equal(scorer(made_before).token_logps, plain.logps.token_logps)
    assert torch.equal(scorer(scorer.collate(sequences)).token_logps, plain.logps.token_logps)


def test_a_blind_control_falls_back(
    adapted: Callable[..., Lvlm], pictures: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    """A check that could not have failed proves nothing."""
    lvlm = adapted("qwen2_vl")
    scorer = AutoScorer(lvlm)
    with monkeypatch.context() as patch:
        for kind in (PlainScorer, TreeScorer):
            score = kind.__call__
            patch.setattr(kind, "__call__", lambda s, b, score=score: constant(score(s, b)))
        scorer(scorer.collate(mixed_batch(pictures)))

    assert scorer.uses_trees is False


def test_paligemma_falls_back_to_shared_features(
    adapted: Callable[..., Lvlm], pictures: tuple[str, ...], caplog: pytest.LogCaptureFixture
):
    lvlm = adapted("paligemma")
    with caplog.at_level(logging.WARNING):
        scorer = AutoScorer(lvlm)

    assert scorer.uses_trees is False
    assert "padded rows" in caplog.text
    sequences = mixed_batch(pictures)
    assert isinstance(scorer.collate(sequences).batch, SharedFeatureBatch)
    assert_equal(compute(lvlm, PlainScorer(lvlm), sequences), compute(lvlm, scorer, sequences))


def test_an_unknown_family_falls_back_to_plain_rows(adapted: Callable[..., Lvlm], pictures: tuple[str, ...]):
    lvlm = adapted("qwen2_vl")
    lvlm.hf_model.config.model_type = "qwen9_vl"
    scorer = AutoScorer(lvlm)

    assert isinstance(scorer.collate(mixed_batch(pictures)).batch, PlainBatch)
    with pytest.raises(ModelSupportError, match=r"qwen9_vl.*packing=plain"):
        SharedFeatureScorer(lvlm)


def constant(logps: AnswerLogps) -> AnswerLogps:
    return replace(logps, token_logps=torch.zeros_like(logps.token_logps))
