"""Shared prefixes compute what padded rows compute: log-probabilities, losses, LoRA gradients.

Token trees first; then the features of pictures.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from equality import PROMPTS, TOLERANCE, ask, assert_equal, compute, mixed_batch, relative
from torch import Tensor

from halluc.data.records import Preparation
from halluc.errors import ModelSupportError
from halluc.losses.dpo import SigmoidLoss
from halluc.losses.pairs import PairLogps
from halluc.models.adapters import adapter_disabled
from halluc.models.families.pictures import PICTURES, PictureHooks
from halluc.models.families.trees.table import TREES
from halluc.models.lvlm import Lvlm
from halluc.models.tiny.build import FAMILIES
from halluc.packing import tree_batch
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.plain import PlainScorer
from halluc.packing.sequence import ScoredSequence
from halluc.packing.shared_features import SharedFeatureScorer
from halluc.packing.tree_scorer import TreeScorer

VISIBLE = 1e-3
"""What a mistake changes at least, relative to the largest log-probability."""


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
