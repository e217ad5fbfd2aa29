"""Heads, features and targets of small trees, worked out by hand. Token 9 stands for a picture's token."""

import pytest
import torch

from halluc.packing.forest import NO_PICTURES, Branch, PictureTree, build_forest
from halluc.packing.tree import grow_trees
from halluc.packing.tree_batch import Forest

PICTURE = 9


def forest_of(*groups: tuple[int, dict[int, Branch]]) -> Forest:
    """Build a forest with one tree for each set of pictures."""
    branches = {number: branch for _, group in groups for number, branch in group.items()}
    trees = [
        PictureTree(tree, pictures)
        for pictures, group in groups
        for tree in grow_trees({number: branch.ids for number, branch in group.items()})
    ]
    return build_forest(trees, branches, pad_id=0, picture_token_id=PICTURE)


def test_one_question_with_two_answers():
    """Prompt 1 9 9 2; one answer is 3 and an end, the other 4 and an end (token 5)."""
    head = (1, PICTURE, PICTURE)
    group = {
        0: Branch((1, 9, 9, 2, 3), ((3, 3, 0), (4, 5, 1)), head),
        1: Branch((1, 9, 9, 2, 4), ((3, 4, 2), (4, 5, 3)), head),
    }
    forest = forest_of((0, group))

    assert forest.input_ids.tolist() == [1, 9, 9, 2, 3, 4]
    assert forest.depths.tolist() == [0, 1, 2, 3, 4, 4]
    assert forest.subtree_end.tolist() == [6, 6, 6, 6, 5, 6]
    assert forest.head_ids.tolist() == [[1, 9, 9]]
    assert forest.head_lengths.tolist() == [3]
    assert forest.head_of.tolist() == [0] * 6
    assert forest.feature_rows.tolist() == [0, 1]
    assert (forest.pictures, forest.head_pictures) == ((0,), (0,))
    assert forest.keep.tolist() == [3, 4, 5]
    assert forest.target_slots.tolist() == [0, 1, 0, 2]
    assert forest.target_ids.tolist() == [3, 5, 4, 5]
    assert forest.order.tolist() == [0, 1, 2, 3]
    assert forest.branches


def test_pictures_inside_the_text_are_stored_once_a_branch():
    """Two prompts about the same picture differ before it, so its two tokens have four slots, two heads."""
    group = {
        0: Branch((1, 2, 9, 9, 5), ((4, 7, 0),), (1, 2, 9, 9)),
        1: Branch((1, 3, 3, 9, 9, 5), ((5, 7, 1),), (1, 3, 3, 9, 9)),
    }
    forest = forest_of((0, group))

    assert forest.input_ids.tolist() == [1, 2, 9, 9, 5, 3, 3, 9, 9, 5]
    assert forest.feature_rows.tolist() == [0, 1, 0, 1]
    assert forest.head_ids.tolist() == [[1, 2, 9, 9, 0], [1, 3, 3, 9, 9]]
    assert forest.head_lengths.tolist() == [4, 5]
    assert forest.head_of.tolist()[1:] == [0] * 4 + [1] * 5
    assert forest.head_pictures == (0, 0)


def test_trees_side_by_side_take_features_from_their_own_pictures():
    """A tree about set 2 (two tokens), one without pictures, one about set 0 (one token)."""
    forest = forest_of(
        (2, {0: Branch((1, 9, 9, 5), ((3, 7, 0),), (1, 9, 9))}),
        (NO_PICTURES, {1: Branch((1, 5), ((1, 7, 1),), (1,))}),
        (0, {2: Branch((1, 9, 6), ((2, 7, 2),), (1, 9))}),
    )

    assert forest.pictures == (2, 0)
    assert forest.head_pictures == (2, 0)
    assert forest.feature_rows.tolist() == [0, 1, 2]
    assert forest.head_of.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2]
    assert forest.subtree_end.tolist() == [4, 4, 4, 4, 6, 6, 9, 9, 9]
    assert not forest.branches


def test_slots_behind_their_head_know_how_far():
    forest = forest_of((0, {0: Branch((1, 9, 5, 6), ((3, 7, 0),), (1, 9))}))
    tokens = forest.tokens()

    assert tokens.beyond_head.tolist() == [-2, -1, 0, 1]
    assert tokens.head_columns.tolist() == [0, 1, 1, 1]
    assert tokens.head_mask.tolist() == [[1, 1]]
    assert torch.equal(tokens.allowed, torch.ones(4, 4, dtype=torch.bool).tril())


@pytest.mark.parametrize("field", ["pictures", "branches"])
def test_moving_a_forest_keeps_what_is_no_tensor(field: str):
    forest = forest_of((0, {0: Branch((1, 9, 5), ((2, 7, 0),), (1, 9))}))

    moved = forest.to("meta")

    assert getattr(moved, field) == getattr(forest, field)
    assert moved.input_ids.device.type == moved.feature_rows.device.type == "meta"
