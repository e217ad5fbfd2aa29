"""Rows behind a prefix's keys and values compute what padded rows compute, with and without masks."""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from equality import PROMPTS, TOLERANCE, ask, assert_equal, compute, mixed_batch, relative

from halluc.answering.likelihood import LikelihoodAnswerer
from halluc.data.records import AnswerSpace
from halluc.errors import ModelSupportError
from halluc.models.families.trees.qwen_vl import QwenVLTree
from halluc.models.families.trees.table import TREES
from halluc.models.lvlm import Lvlm
from halluc.packing.auto_scorer import AutoScorer
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.plain import PlainScorer
from halluc.packing.prefix_rows import PrefixBatch
from halluc.packing.prefix_scorer import PrefixScorer


@pytest.mark.parametrize("family", sorted(f for f, hooks in TREES.items() if hooks.continues_from_cache))
def test_equal_padded_rows(
    family: str, adapted: Callable[..., Lvlm], pictures: tuple[str, ...], caches: list[int]
):
    lvlm = adapted(family)
    sequences = mixed_batch(pictures)

    plain = compute(lvlm, PlainScorer(lvlm), sequences)
    assert_equal(plain, compute(lvlm, PrefixScorer(lvlm), sequences))
    assert len(caches) == 4  # about the first picture, the second, both, and none
    assert min(caches) >= 2
    assert_equal(plain, compute(lvlm, PrefixScorer(lvlm, 2, FeatureCache()), sequences))
    assert len(caches) > 8
    assert max(caches[4:]) == 2


@pytest.mark.parametrize("family", ["qwen2_vl", "llava_next"])
def test_flash_attention_is_served_by_default(
    family: str,
    flash_adapted: Callable[..., Lvlm],
    adapted: Callable[..., Lvlm],
    pictures: tuple[str, ...],
    caplog: pytest.LogCaptureFixture,
):
    lvlm = flash_adapted(family)
    sequences = mixed_batch(pictures)

    with caplog.at_level(logging.INFO):
        scorer = AutoScorer(lvlm)
        found = compute(lvlm, scorer, sequences)

    assert isinstance(scorer.collate(sequences).batch, PrefixBatch)
    assert scorer.uses_trees is False
    assert "flash_like takes no mask" in caplog.text
    assert "shared prefixes agree with padded rows" in caplog.text
    assert "hidden prefixes" in caplog.text
    usual = adapted(family)
    assert_equal(compute(usual, PlainScorer(usual), sequences), found)


def test_the_real_name_chooses_the_same(adapted: Callable[..., Lvlm], pictures: tuple[str, ...]):
    lvlm = adapted("qwen2_vl")
    lvlm.hf_model.config.get_text_config()._attn_implementation_internal = "flash_attention_2"

    assert isinstance(AutoScorer(lvlm).collate(mixed_batch(pictures)).batch, PrefixBatch)


def test_likelihood_answers_are_those_of_padded_rows(
    flash_adapted: Callable[..., Lvlm], pictures: tuple[str, ...], caches: list[int]
):
    lvlm = flash_adapted("qwen2_vl")
    asked = [replace(ask(pictures[:1], prompt, prompt), space=AnswerSpace.yes_no()) for prompt in PROMPTS]

    plain = list(LikelihoodAnswerer(lvlm, PlainScorer(lvlm)).answer(asked))
    found = list(LikelihoodAnswerer(lvlm, AutoScorer(lvlm)).answer(asked))

    for mine, expected in zip(found, plain, strict=True):
        assert mine.probabilities == pytest.approx(expected.probabilities, abs=1e-5)
    assert caches[0] == len(PROMPTS)  # spellings that are one token share their question's row


def test_recomputed_activations_train_on_whole_rows(
    flash_adapted: Callable[..., Lvlm], pictures: tuple[str, ...], caches: list[int]
):
    lvlm = flash_adapted("qwen2_vl", gradient_checkpointing=True)
    sequences = mixed_batch(pictures)
    scorer = PrefixScorer(lvlm)

    plain = compute(lvlm, PlainScorer(lvlm), sequences)
    assert_equal(plain, compute(lvlm, scorer, sequences))
    assert caches == []
    with torch.no_grad():
        found = scorer(scorer.collate(sequences)).token_logps
    assert relative([plain.logps.token_logps], [found]) < TOLERANCE
    assert caches


def test_a_wrong_position_falls_back_loudly(
    flash_adapted: Callable[..., Lvlm],
    pictures: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    right = QwenVLTree.text_positions
    monkeypatch.setattr(QwenVLTree, "text_positions", lambda hooks, positions: right(hooks, positions // 2))
    lvlm = flash_adapted("qwen2_vl")
    scorer = AutoScorer(lvlm)
    sequences = mixed_batch(pictures)

    with caplog.at_level(logging.WARNING):
        found = compute(lvlm, scorer, sequences)

    assert "shared prefixes don't agree" in caplog.text
    assert_equal(compute(lvlm, PlainScorer(lvlm), sequences), found)


@pytest.mark.parametrize(
    ("family", "complaint"),
    [("gemma3", "keys and values alone"), ("mllama", "keys and values alone"), ("paligemma", "none of")],
)
def test_other_families_are_refused(family: str, complaint: str, tiny_lvlm: Callable[..., Lvlm]):
    with pytest.raises(ModelSupportError, match=rf"\({family}\).*{complaint}.*packing=auto"):
        PrefixScorer(tiny_lvlm(family))
