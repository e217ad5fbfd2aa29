"""Token trees against the naive computation: every sequence alone through a small transformer."""

from typing import ClassVar

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from halluc.packing.tree import NO_PARENT, TokenTree, allowed_attention, grow_trees, join_trees

VOCABULARY, WIDTH, LAYERS = 5, 8, 2
TOLERANCE = 1e-9

tokens = st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=7).map(tuple)
batches = st.lists(tokens, min_size=1, max_size=8).map(lambda rows: dict(enumerate(rows)))


class ToyTransformer:
    """Two attention layers with residuals in float64: every token mixes all that it may attend to."""

    def __init__(self, seed: int = 0) -> None:
        generator = torch.Generator().manual_seed(seed)

        def draw(*shape: int) -> Tensor:
            return torch.randn(*shape, dtype=torch.float64, generator=generator).requires_grad_()

        self.embedding, self.place = draw(VOCABULARY, WIDTH), draw(16, WIDTH)
        self.weights = [[draw(WIDTH, WIDTH) for _ in range(3)] for _ in range(LAYERS)]

    def __call__(self, ids: Tensor, positions: Tensor, allowed: Tensor) -> Tensor:
        hidden = self.embedding[ids] + self.place[positions]
        for query, key, value in self.weights:
            scores = (hidden @ query) @ (hidden @ key).T / WIDTH
            mixed = scores.masked_fill(~allowed, -torch.inf).softmax(-1) @ (hidden @ value)
            hidden = torch.tanh(hidden + mixed)
        return hidden

    def alone(self, sequence: tuple[int, ...]) -> Tensor:
        length = len(sequence)
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        return self(torch.tensor(sequence), torch.arange(length), causal)

    def on_tree(
        self, tree: TokenTree, positions: Tensor | None = None, allowed: Tensor | None = None
    ) -> Tensor:
        positions = torch.tensor(tree.depths) if positions is None else positions
        allowed = allowed_attention(torch.tensor(tree.subtree_end)) if allowed is None else allowed
        return self(torch.tensor(tree.input_ids), positions, allowed)


def ancestors(tree: TokenTree, slot: int) -> set[int]:
    found = set()
    while slot != NO_PARENT:
        found.add(slot)
        slot = tree.parents[slot]
    return found


def worst_difference(tree: TokenTree, hidden: Tensor, sequences: dict[int, tuple[int, ...]]) -> float:
    model = ToyTransformer()
    return max(
        float((hidden[list(path)] - model.alone(sequences[number])).detach().abs().max())
        for number, path in tree.paths.items()
    )


def test_question_with_two_answers_by_hand():
    """Prompt 1 2 has answers 3 4 and 5, and the other prompt 1 6, worked out by hand."""
    (tree,) = grow_trees({0: (1, 2, 3, 4), 1: (1, 2, 5), 2: (1, 6)})

    assert tree.input_ids == (1, 2, 3, 4, 5, 6)
    assert tree.parents == (NO_PARENT, 0, 1, 2, 1, 0)
    assert tree.depths == (0, 1, 2, 3, 2, 1)
    assert tree.subtree_end == (6, 5, 4, 4, 5, 6)
    assert tree.paths == {0: (0, 1, 2, 3), 1: (0, 1, 4), 2: (0, 5)}
    assert tree.branches
    allowed = allowed_attention(torch.tensor(tree.subtree_end)).int().tolist()
    assert allowed == [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 1, 0, 0],
        [1, 1, 0, 0, 1, 0],
        [1, 0, 0, 0, 0, 1],
    ]


def test_one_sequence_and_a_prefix_of_it_do_not_branch():
    (tree,) = grow_trees({0: (1, 2, 3), 1: (1, 2), 2: (1, 2, 3)})

    assert tree.input_ids == (1, 2, 3)
    assert not tree.branches
    assert tree.paths[0] == tree.paths[2] == (0, 1, 2)
    assert tree.paths[1] == (0, 1)


def test_sequences_without_a_common_token_branch_from_the_first_slot():
    (tree,) = grow_trees({0: (1,), 1: (2,)})

    assert tree.parents == (NO_PARENT, NO_PARENT)
    assert tree.branches


@pytest.mark.parametrize("sequences", [{}, {3: ()}, {3: (), 4: (1,)}])
def test_nothing_and_empty_sequences(sequences: dict[int, tuple[int, ...]]):
    trees = list(grow_trees(sequences))

    assert {number for tree in trees for number in tree.paths} == set(sequences)
    assert sum(map(len, trees)) == sum(map(len, sequences.values()))


@given(batches)
def test_each_distinct_prefix_has_one_slot(sequences: dict[int, tuple[int, ...]]):
    (tree,) = grow_trees(sequences)

    prefixes = {row[:end] for row in sequences.values() for end in range(1, len(row) + 1)}
    assert len(tree) == len(prefixes)
    for number, path in tree.paths.items():
        assert tuple(tree.input_ids[slot] for slot in path) == sequences[number]
        assert tuple(tree.depths[slot] for slot in path) == tuple(range(len(path)))


@given(batches)
def test_attention_is_to_the_own_ancestors(sequences: dict[int, tuple[int, ...]]):
    (tree,) = grow_trees(sequences)

    allowed = allowed_attention(torch.tensor(tree.subtree_end))
    for slot in range(len(tree)):
        assert set(allowed[slot].nonzero().flatten().tolist()) == ancestors(tree, slot)


@given(batches, st.integers(1, 20))
def test_a_bounded_tree_keeps_its_bound_and_every_sequence(sequences: dict[int, tuple[int, ...]], bound: int):
    trees = list(grow_trees(sequences, bound))

    assert sorted(number for tree in trees for number in tree.paths) == sorted(sequences)
    for tree in trees:
        assert len(tree) <= bound or len({tree.paths[number] for number in tree.paths}) == 1
        for number, path in tree.paths.items():
            assert tuple(tree.input_ids[slot] for slot in path) == sequences[number]


@given(batches, st.integers(0, 1000))
def test_the_order_of_sequences_does_not_matter(sequences: dict[int, tuple[int, ...]], seed: int):
    order = torch.randperm(len(sequences), generator=torch.Generator().manual_seed(seed)).tolist()
    shuffled = {number: sequences[number] for number in order}

    assert [t.input_ids for t in grow_trees(shuffled)] == [t.input_ids for t in grow_trees(sequences)]


@settings(deadline=None)
@given(batches, st.integers(2, 30))
def test_forest_equals_every_sequence_alone(sequences: dict[int, tuple[int, ...]], bound: int):
    forest = join_trees(list(grow_trees(sequences, bound)))

    assert set(forest.paths) == set(sequences)
    hidden = ToyTransformer().on_tree(forest)
    assert worst_difference(forest, hidden, sequences) < TOLERANCE


def test_gradients_equal_those_of_every_sequence_alone():
    sequences = {0: (1, 2, 3, 4), 1: (1, 2, 4), 2: (1, 0), 3: (1, 2, 3, 4)}
    (tree,) = grow_trees(sequences)
    merged, alone = ToyTransformer(), ToyTransformer()

    hidden = merged.on_tree(tree)
    sum((hidden[list(path)] ** 2).sum() for path in tree.paths.values()).backward()
    sum((alone.alone(row) ** 2).sum() for row in sequences.values()).backward()

    for layer, twin in zip(merged.weights, alone.weights, strict=True):
        for weight, other in zip(layer, twin, strict=True):
            torch.testing.assert_close(weight.grad, other.grad, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(merged.embedding.grad, alone.embedding.grad, rtol=1e-10, atol=1e-12)


class TestNegativeControls:
    """Each mistake that one could make shows in the comparison above, far over its tolerance."""

    sequences: ClassVar = {0: (1, 2, 3, 4), 1: (1, 2, 4, 3), 2: (1, 0, 2)}

    @pytest.fixture
    def tree(self) -> TokenTree:
        (tree,) = grow_trees(self.sequences)
        return tree

    def test_attention_across_branches(self, tree: TokenTree):
        leaking = torch.ones(len(tree), len(tree), dtype=torch.bool).tril()
        assert worst_difference(tree, ToyTransformer().on_tree(tree, allowed=leaking), self.sequences) > 1e-3

    def test_positions_by_slot(self, tree: TokenTree):
        slots = torch.arange(len(tree))
        assert worst_difference(tree, ToyTransformer().on_tree(tree, slots), self.sequences) > 1e-3

    @pytest.mark.parametrize("shift", [-1, 1])
    def test_subtrees_that_end_one_slot_off(self, tree: TokenTree, shift: int):
        ends = torch.tensor(tree.subtree_end) + shift
        shifted = allowed_attention(ends) | torch.eye(len(tree), dtype=torch.bool)
        assert worst_difference(tree, ToyTransformer().on_tree(tree, allowed=shifted), self.sequences) > 1e-3

    def test_trees_of_a_forest_that_see_each_other(self):
        forest = join_trees([*grow_trees({0: (1, 2)}), *grow_trees({1: (1, 3)})])
        leaking = torch.ones(len(forest), len(forest), dtype=torch.bool).tril()
        rows = {0: (1, 2), 1: (1, 3)}

        assert worst_difference(forest, ToyTransformer().on_tree(forest), rows) < TOLERANCE
        assert worst_difference(forest, ToyTransformer().on_tree(forest, allowed=leaking), rows) > 1e-3
