"""Flex attention on token trees gives what dense attention gives."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from halluc.bench.flex_attention import (
    NAME,
    FlexTreeScorer,
    flex_decoder,
    subtree_ends,
    tree_block_mask,
    tree_flex_attention,
)
from halluc.bench.model import build_model
from halluc.bench.workload import draw_workload
from halluc.errors import ModelSupportError
from halluc.packing.tree import allowed_attention, grow_trees
from halluc.packing.tree_scorer import TreeScorer

# On a CPU there is no fused kernel: https://docs.pytorch.org/docs/stable/nn.attention.flex_attention.html
pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile:UserWarning")


@pytest.fixture
def ends():
    prefix = list(range(150))
    (tree,) = grow_trees({n: [*prefix, 200 + n % 4, *range(300 + n, 330 + n)] for n in range(8)})
    return torch.tensor(tree.subtree_end)


def test_ends_of_subtrees_are_read_off_the_mask(ends):
    assert torch.equal(subtree_ends(allowed_attention(ends)), ends)


def test_block_mask_skips_blocks_that_no_branch_has():
    prefix = list(range(128))
    (tree,) = grow_trees({n: [*prefix, *range(1000 * n, 1000 * n + 128)] for n in range(1, 5)})

    blocks = tree_block_mask(torch.tensor(tree.subtree_end)).to_dense()[0, 0]

    # The prefix is one block and each of the four branches another: each sees the prefix and itself.
    expected = torch.eye(5, dtype=blocks.dtype)
    expected[:, 0] = 1
    assert torch.equal(blocks, expected)


def test_attends_as_dense_attention_does(ends):
    torch.manual_seed(0)
    query = torch.randn(1, 4, len(ends), 16)
    key, value = torch.randn(2, 1, 2, len(ends), 16)

    found, weights = tree_flex_attention(
        torch.nn.Identity(), query, key, value, tree_block_mask(ends), scaling=0.3
    )

    allowed = allowed_attention(ends)
    expected = scaled_dot_product_attention(query, key, value, allowed, scale=0.3, enable_gqa=True)
    causal = scaled_dot_product_attention(query, key, value, is_causal=True, scale=0.3, enable_gqa=True)
    assert weights is None
    assert torch.allclose(found, expected.transpose(1, 2), atol=1e-6)
    assert not torch.allclose(found, causal.transpose(1, 2), atol=1e-3)


@torch.no_grad()  # PyTorch has no backward pass of flex attention on a CPU; the GPU check compares gradients
def test_a_whole_model_scores_the_same(tmp_path):
    lvlm = build_model("small", dtype="float32", device="cpu", image_px=112)
    text = lvlm.hf_model.config.get_text_config()
    before = text._attn_implementation
    sequences = draw_workload(tmp_path, k=3, image_px=112).samples()
    dense, flex = TreeScorer(lvlm), FlexTreeScorer(lvlm)
    batch = dense.collate(sequences)

    expected = dense(batch).token_logps
    with flex_decoder(lvlm):
        assert text._attn_implementation == NAME
        found = flex(batch).token_logps

    assert torch.allclose(found, expected, atol=1e-5)
    assert text._attn_implementation == before


def test_a_decoder_with_windows_is_refused(tiny_lvlm):
    with pytest.raises(ModelSupportError, match="sliding_attention"):
        FlexTreeScorer(tiny_lvlm("gemma3"))
