"""Shared prefixes compute what padded rows compute: log-probabilities, losses, LoRA gradients.

Token trees first; then the features of pictures, and the keys and values of prefixes.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import flash_attention_mask

from halluc.answering.likelihood import LikelihoodAnswerer
from halluc.data.records import AnswerSpace, Preparation, Question
from halluc.errors import ModelSupportError
from halluc.losses.cross_entropy import cross_entropy
from halluc.losses.dpo import SigmoidLoss
from halluc.losses.pairs import PairLogps
from halluc.models.adapters import LoraAdapter, adapter_disabled
from halluc.models.families.pictures import PICTURES, PictureHooks
from halluc.models.families.prefix_cache import PrefixCache
from halluc.models.families.trees.qwen_vl import QwenVLTree
from halluc.models.families.trees.table import TREES
from halluc.models.lvlm import Lvlm
from halluc.models.tiny.build import FAMILIES
from halluc.packing import tree_batch
from halluc.packing.auto_scorer import AutoScorer
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.plain import PlainBatch, PlainScorer
from halluc.packing.prefix_rows import PrefixBatch
from halluc.packing.prefix_scorer import PrefixScorer
from halluc.packing.sequence import AnswerLogps, ScoredSequence, SequenceScorer
from halluc.packing.shared_features import SharedFeatureBatch, SharedFeatureScorer
from halluc.packing.tree_scorer import TreeScorer

TOLERANCE = 1e-5
VISIBLE = 1e-3
"""What a mistake changes at least, relative to the largest log-probability."""

PROMPTS = (
    "Is there a red cat in the picture? Please answer yes or no.",
    "Is there a green cat in the picture? Please answer yes or no.",
    "How many boats do you see?",
)


@pytest.fixture
def adapted(tiny_lvlm: Callable[..., Lvlm]) -> Callable[..., Lvlm]:
    """Load a family and give it a LoRA adapter that changes what it says."""

    def load(family: str, *, attn_implementation: str = "sdpa", **settings: object) -> Lvlm:
        lvlm = tiny_lvlm(family, attn_implementation=attn_implementation)
        torch.manual_seed(1)
        LoraAdapter(r=4, **{"lora_dropout": 0.0, **settings}).attach(lvlm)
        for name, parameter in lvlm.model.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(parameter, std=0.1)
        return lvlm.train()

    return load


def ask(images: Sequence[str], prompt: str, name: str = "q") -> Question:
    return Question(id=name, images=tuple(images), prompt=prompt, space=AnswerSpace.text())


def mixed_batch(pictures: Sequence[str]) -> list[ScoredSequence]:
    """One picture, another, two at once, and none; chosen and rejected below each question; duplicates."""
    first, second, _ = pictures
    sequences = []
    for prompt in PROMPTS:
        question = ask([first], prompt)
        sequences += [ScoredSequence(question, answer) for answer in ("Yes", "No, there is none.", "No")]
        sequences.append(ScoredSequence(ask([second], prompt), "Yes", ends_turn=False))
    both = ask([first, second], "How many boats do you see in both images?")
    other = ask([first, second], "Does the boat stand to the left in both images?")
    for question in (both, other, ask([], "Is a boat red?")):
        sequences += [ScoredSequence(question, "1"), ScoredSequence(question, "12")]
    repeated, empty = ScoredSequence(both, "1"), ScoredSequence(both, "", ends_turn=False)
    return [*sequences, repeated, empty]


@dataclass(frozen=True)
class Computed:
    """What a scorer gave for a batch, and the LoRA gradients of a loss on it."""

    logps: AnswerLogps
    loss: float
    gradients: dict[str, Tensor]


def compute(
    lvlm: Lvlm, scorer: SequenceScorer[Any], sequences: Sequence[ScoredSequence], seed: int = 0
) -> Computed:
    lvlm.model.zero_grad()
    torch.manual_seed(seed)
    logps = scorer(scorer.collate(sequences))
    loss = cross_entropy(logps, torch.linspace(0.5, 2.0, len(sequences)))
    (loss.total / loss.weight).backward()
    gradients = {n: p.grad.clone() for n, p in lvlm.model.named_parameters() if p.grad is not None}
    return Computed(logps, float((loss.total / loss.weight).detach()), gradients)


def relative(first: Sequence[Tensor], second: Sequence[Tensor]) -> float:
    """Return the largest difference, relative to the largest value."""
    largest = max(float(a.detach().abs().max()) for a in first)
    return max(float((a - b).detach().abs().max()) for a, b in zip(first, second, strict=True)) / largest


def assert_equal(plain: Computed, tree: Computed) -> None:
    assert torch.equal(plain.logps.sequence_index, tree.logps.sequence_index)
    assert plain.logps.count == tree.logps.count
    assert relative([plain.logps.token_logps], [tree.logps.token_logps]) < TOLERANCE
    assert relative([plain.logps.sums()], [tree.logps.sums()]) < TOLERANCE
    assert tree.loss == pytest.approx(plain.loss, rel=TOLERANCE)
    assert plain.gradients.keys() == tree.gradients.keys()
    assert plain.gradients
    names = sorted(plain.gradients)
    assert relative([plain.gradients[n] for n in names], [tree.gradients[n] for n in names]) < TOLERANCE


def difference(lvlm: Lvlm, pictures: Sequence[str]) -> float:
    """Compare log-probabilities of trees and rows without gradients."""
    sequences = mixed_batch(pictures)
    with torch.no_grad():
        first, second = (s(s.collate(sequences)).token_logps for s in (PlainScorer(lvlm), TreeScorer(lvlm)))
    return relative([first], [second])


def test_all_tree_families_are_tested():
    assert len(TREES) == 11
    assert set(FAMILIES) - set(TREES) == {"paligemma"}


@pytest.mark.parametrize("family", sorted(TREES))
def test_logps_losses_and_gradients_equal_padded_rows(
    family: str, adapted: Callable[..., Lvlm], pictures: tuple[str, ...]
):
    lvlm = adapted(family)
    sequences = mixed_batch(pictures)

    plain = compute(lvlm, PlainScorer(lvlm), sequences)
    assert_equal(plain, compute(lvlm, TreeScorer(lvlm), sequences))
    bounded = TreeScorer(lvlm, tokens_per_tree=60, tokens_per_forward=90)
    assert len(bounded.collate(sequences).forests) > len(TreeScorer(lvlm).collate(sequences).forests)
    assert_equal(plain, compute(lvlm, bounded, sequences))


@pytest.mark.parametrize("family", sorted(TREES))
def test_mistakes_show(
    family: str,
    adapted: Callable[..., Lvlm],
    pictures: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
):
    """Negative controls: leaking branches, wrong depths, and pictures that are not the right ones."""
    lvlm = adapted(family)
    assert difference(lvlm, pictures) < TOLERANCE

    with monkeypatch.context() as patch:
        patch.setattr(
            tree_batch, "allowed_attention", lambda ends: torch.ones(len(ends), len(ends)).tril().bool()
        )
        assert difference(lvlm, pictures) > VISIBLE
    with monkeypatch.context() as patch:
        tokens = tree_batch.Forest.tokens

        def by_slot(forest: tree_batch.Forest):
            object.__setattr__(forest, "depths", torch.arange(len(forest.depths)))
            return tokens(forest)

        patch.setattr(tree_batch.Forest, "tokens", by_slot)
        assert difference(lvlm, pictures) > VISIBLE
    with monkeypatch.context() as patch:
        hooks = type(TreeScorer(lvlm).features.hooks)
        encode = hooks.encode
        patch.setattr(hooks, "encode", lambda *a: {n: -t for n, t in encode(*a).items()})
        assert difference(lvlm, pictures) > VISIBLE


@pytest.mark.parametrize("family", ["qwen2_vl", "gemma3", "mllama", "llava"])
def test_eager_attention_takes_the_same_trees(
    family: str, adapted: Callable[..., Lvlm], pictures: tuple[str, ...]
):
    assert difference(adapted(family, attn_implementation="eager"), pictures) < TOLERANCE


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen3_vl", "llava"])
@pytest.mark.parametrize(
    "settings", [{"gradient_checkpointing": True}, {"include_vision": True}], ids=["checkpointing", "vision"]
)
def test_checkpointing_and_trained_towers(
    family: str, settings: dict[str, bool], adapted: Callable[..., Lvlm], pictures: tuple[str, ...]
):
    targets = {"target_modules": "all-linear"} if "include_vision" in settings else {}
    lvlm = adapted(family, **settings, **targets)
    sequences = mixed_batch(pictures)
    scorer = TreeScorer(lvlm, feature_cache=FeatureCache())

    plain = compute(lvlm, PlainScorer(lvlm), sequences)
    assert_equal(plain, compute(lvlm, scorer, sequences))
    assert_equal(plain, compute(lvlm, scorer, sequences))


def test_dropout_is_drawn_once_for_a_shared_prefix(adapted: Callable[..., Lvlm], pictures: tuple[str, ...]):
    lvlm = adapted("qwen2_vl", lora_dropout=0.5)
    sequences = mixed_batch(pictures)
    scorer = TreeScorer(lvlm)

    first, again = (compute(lvlm, scorer, sequences, seed=3) for _ in range(2))
    other = compute(lvlm, scorer, sequences, seed=4)
    assert torch.equal(first.logps.token_logps, again.logps.token_logps)
    assert relative([first.logps.token_logps], [other.logps.token_logps]) > VISIBLE
    twins = [n for n, s in enumerate(sequences) if s.answer == "1" and len(s.question.images) == 2]
    sums = first.logps.sums()
    assert sums[twins[0]] == sums[twins[-1]]  # equal sequences share every token, and so every mask
    lvlm.eval()
    assert difference(lvlm, pictures) < TOLERANCE


class TestFeatureCache:
    @pytest.fixture
    def encoded(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Note every call of the vision tower."""
        calls: list[str] = []
        encode = PictureHooks.encode

        def noting(hooks: PictureHooks, model: object, vision: dict[str, Tensor]) -> dict[str, Tensor]:
            calls.append("encoded")
            return encode(hooks, model, vision)

        monkeypatch.setattr(PictureHooks, "encode", noting)
        return calls

    def test_dpo_step_encodes_each_picture_once(
        self, adapted: Callable[..., Lvlm], pictures: tuple[str, ...], encoded: list[str]
    ):
        lvlm = adapted("qwen2_vl")
        questions = [ask(pictures[:1], prompt) for prompt in PROMPTS]
        pairs = [ScoredSequence(q, "Yes") for q in questions] + [ScoredSequence(q, "No") for q in questions]
        results = []
        for scorer in (PlainScorer(lvlm), TreeScorer(lvlm)):
            batch = scorer.collate(pairs)
            lvlm.model.zero_grad()
            policy = scorer(batch).sums().chunk(2)
            with torch.no_grad(), adapter_disabled(lvlm):
                reference = scorer(batch).sums().chunk(2)
            loss = SigmoidLoss(beta=0.1)(PairLogps(*policy, *reference)).losses.sum()
            loss.backward()
            results.append((loss, [p.grad.clone() for p in lvlm.parameters() if p.grad is not None]))

        (plain_loss, plain), (tree_loss, tree) = results
        assert float(tree_loss.detach()) == pytest.approx(float(plain_loss.detach()), rel=TOLERANCE)
        assert relative(plain, tree) < TOLERANCE
        assert encoded == ["encoded"]

    def test_a_second_run_takes_features_from_disk(
        self, adapted: Callable[..., Lvlm], pictures: tuple[str, ...], encoded: list[str], tmp_path: Path
    ):
        sequences = mixed_batch(pictures)
        results = []
        for _ in range(2):  # each with a model and a cache of its own
            lvlm = adapted("qwen2_vl")
            scorer = TreeScorer(lvlm, feature_cache=FeatureCache(folder=str(tmp_path)))
            results.append(compute(lvlm, scorer, sequences))
            assert len(encoded) == 3  # the first picture, the second, and both together
        assert torch.equal(results[0].logps.token_logps, results[1].logps.token_logps)

    def test_other_tower_weights_are_other_entries(
        self, adapted: Callable[..., Lvlm], pictures: tuple[str, ...], encoded: list[str], tmp_path: Path
    ):
        sequences = [ScoredSequence(ask(pictures[:1], PROMPTS[0]), "Yes")]
        for change in (0.0, 0.1):
            lvlm = adapted("qwen2_vl")
            lvlm.hf_model.model.visual.merger.ln_q.bias.data += change
            scorer = TreeScorer(lvlm, feature_cache=FeatureCache(folder=str(tmp_path)))
            scorer(scorer.collate(sequences))
        assert len(encoded) == 2

    @pytest.mark.parametrize(("family", "entries"), [("qwen2_vl", 2), ("llava", 1)])
    @pytest.mark.parametrize("together", [False, True], ids=["one batch each", "one batch"])
    def test_prepared_pictures_are_other_entries(
        self,
        family: str,
        entries: int,
        together: bool,
        adapted: Callable[..., Lvlm],
        pictures: tuple[str, ...],
        tmp_path: Path,
    ):
        """Only Qwen2-VL sees other pixels under lmms-eval's preparation, so only it has two entries."""
        lvlm = adapted(family)
        plain = ask(pictures[:1], PROMPTS[0])
        asked = [ScoredSequence(q, "Yes") for q in (plain, replace(plain, preparation=Preparation.LMMS_EVAL))]
        batches = [asked] if together else [[sequence] for sequence in asked]
        alone = [PlainScorer(lvlm) for _ in asked]
        with torch.no_grad():
            expected = [s(s.collate([one])).sums() for s, one in zip(alone, asked, strict=True)]
            for build in (TreeScorer, SharedFeatureScorer):
                folder = tmp_path / build.__name__
                scorer = build(lvlm, feature_cache=FeatureCache(folder=str(folder)))
                found = [scorer(scorer.collate(batch)).sums() for batch in batches]
                assert relative([torch.cat(expected)], [torch.cat(found)]) < TOLERANCE
                assert len(list(folder.rglob("*.safetensors"))) == entries
        assert (expected[0] != expected[1]).item() == (entries == 2)


@pytest.mark.parametrize("family", sorted(PICTURES))
def test_shared_features_equal_padded_rows(
    family: str, adapted: Callable[..., Lvlm], pictures: tuple[str, ...]
):
    lvlm = adapted(family)
    sequences = mixed_batch(pictures)

    plain = compute(lvlm, PlainScorer(lvlm), sequences)
    assert_equal(plain, compute(lvlm, SharedFeatureScorer(lvlm), sequences))
    assert_equal(plain, compute(lvlm, SharedFeatureScorer(lvlm, 2, FeatureCache()), sequences))


def flash_like(
    module: object, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **more: Any
) -> tuple[Tensor, None]:
    """Take what flash attention takes: no mask but that of padding, the last queries at the last keys."""
    rows, _, queries, _ = query.shape
    keys = key.shape[2]
    seen = torch.ones(rows, keys) if mask is None else mask
    assert seen.shape == (rows, keys)
    allowed = torch.ones(queries, keys).tril(keys - queries).bool() & seen.bool()[:, None, None]
    output = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, allowed, scale=more["scaling"], enable_gqa=query.shape[1] != key.shape[1]
    )
    return output.transpose(1, 2), None


@pytest.fixture
def flash_adapted(adapted: Callable[..., Lvlm]) -> Callable[..., Lvlm]:
    """Load a family whose decoder attends as with flash attention."""
    AttentionInterface.register("flash_like", flash_like)
    AttentionMaskInterface.register("flash_like", flash_attention_mask)

    def load(family: str, **settings: object) -> Lvlm:
        lvlm = adapted(family, **settings)
        lvlm.hf_model.config.get_text_config()._attn_implementation = "flash_like"
        return lvlm

    return load


@pytest.fixture
def caches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note for how many rows each prefix's keys and values are repeated."""
    counts: list[int] = []
    repeated = PrefixCache.repeated

    def noting(cache: PrefixCache, count: int) -> PrefixCache:
        counts.append(count)
        return repeated(cache, count)

    monkeypatch.setattr(PrefixCache, "repeated", noting)
    return counts


class TestPrefixes:
    @pytest.mark.parametrize("family", sorted(f for f, hooks in TREES.items() if hooks.continues_from_cache))
    def test_equal_padded_rows(
        self, family: str, adapted: Callable[..., Lvlm], pictures: tuple[str, ...], caches: list[int]
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
        self,
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

    def test_the_real_name_chooses_the_same(self, adapted: Callable[..., Lvlm], pictures: tuple[str, ...]):
        lvlm = adapted("qwen2_vl")
        lvlm.hf_model.config.get_text_config()._attn_implementation_internal = "flash_attention_2"

        assert isinstance(AutoScorer(lvlm).collate(mixed_batch(pictures)).batch, PrefixBatch)

    def test_likelihood_answers_are_those_of_padded_rows(
        self, flash_adapted: Callable[..., Lvlm], pictures: tuple[str, ...], caches: list[int]
    ):
        lvlm = flash_adapted("qwen2_vl")
        asked = [replace(ask(pictures[:1], prompt, prompt), space=AnswerSpace.yes_no()) for prompt in PROMPTS]

        plain = list(LikelihoodAnswerer(lvlm, PlainScorer(lvlm)).answer(asked))
        found = list(LikelihoodAnswerer(lvlm, AutoScorer(lvlm)).answer(asked))

        for mine, expected in zip(found, plain, strict=True):
            assert mine.probabilities == pytest.approx(expected.probabilities, abs=1e-5)
        assert caches[0] == len(PROMPTS)  # spellings that are one token share their question's row

    def test_recomputed_activations_train_on_whole_rows(
        self, flash_adapted: Callable[..., Lvlm], pictures: tuple[str, ...], caches: list[int]
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
        self,
        flash_adapted: Callable[..., Lvlm],
        pictures: tuple[str, ...],
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ):
        right = QwenVLTree.text_positions
        monkeypatch.setattr(
            QwenVLTree, "text_positions", lambda hooks, positions: right(hooks, positions // 2)
        )
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
    def test_other_families_are_refused(self, family: str, complaint: str, tiny_lvlm: Callable[..., Lvlm]):
        with pytest.raises(ModelSupportError, match=rf"\({family}\).*{complaint}.*packing=auto"):
            PrefixScorer(tiny_lvlm(family))


class TestAuto:
    @pytest.mark.parametrize("family", ["qwen2_vl", "gemma3", "mllama"])
    def test_trees_are_used_once_the_first_batch_agrees(
        self,
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
        self,
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
        self, adapted: Callable[..., Lvlm], pictures: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
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
        self, adapted: Callable[..., Lvlm], pictures: tuple[str, ...], caplog: pytest.LogCaptureFixture
    ):
        lvlm = adapted("paligemma")
        with caplog.at_level(logging.WARNING):
            scorer = AutoScorer(lvlm)

        assert scorer.uses_trees is False
        assert "padded rows" in caplog.text
        sequences = mixed_batch(pictures)
        assert isinstance(scorer.collate(sequences).batch, SharedFeatureBatch)
        assert_equal(compute(lvlm, PlainScorer(lvlm), sequences), compute(lvlm, scorer, sequences))

    def test_an_unknown_family_falls_back_to_plain_rows(
        self, adapted: Callable[..., Lvlm], pictures: tuple[str, ...]
    ):
        lvlm = adapted("qwen2_vl")
        lvlm.hf_model.config.model_type = "qwen9_vl"
        scorer = AutoScorer(lvlm)

        assert isinstance(scorer.collate(mixed_batch(pictures)).batch, PlainBatch)
        with pytest.raises(ModelSupportError, match=r"qwen9_vl.*packing=plain"):
            SharedFeatureScorer(lvlm)


def constant(logps: AnswerLogps) -> AnswerLogps:
    return replace(logps, token_logps=torch.zeros_like(logps.token_logps))


def test_paligemma_is_refused_with_a_way_out(tiny_lvlm: Callable[..., Lvlm]):
    lvlm = tiny_lvlm("paligemma")

    with pytest.raises(ModelSupportError, match=r"\(paligemma\) can't share prefixes.*packing=auto"):
        TreeScorer(lvlm)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"layer_types": ["linear_attention", "full_attention"]}, "linear_attention"),
        ({"layer_types": ["sliding_attention", "sliding_attention"]}, "sliding_attention"),
        ({"_attn_implementation_internal": "flash_attention_2"}, "flash_attention_2 takes no mask"),
    ],
)
def test_decoders_that_take_no_mask_are_refused(
    change: dict[str, object], complaint: str, tiny_lvlm: Callable[..., Lvlm]
):
    lvlm = tiny_lvlm("qwen2_vl")
    for name, value in change.items():
        setattr(lvlm.hf_model.config.get_text_config(), name, value)

    with pytest.raises(ModelSupportError, match=complaint):
        TreeScorer(lvlm)


def test_no_sequences(tiny_lvlm: Callable[..., Lvlm]):
    scorer = TreeScorer(tiny_lvlm("qwen2_vl"))

    scored = scorer(scorer.collate([]))

    assert scored.count == 0
    assert scored.sums().shape == (0,)
