"""From token trees to the tensors of one forward."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from halluc.packing.tree import NO_PARENT, TokenTree, join_trees
from halluc.packing.tree_batch import Forest

NO_PICTURES = -1


@dataclass(frozen=True, slots=True)
class Branch:
    """Hold one sequence as it goes into a tree.

    Attributes:
        ids: All tokens but the last, from which nothing is predicted.
        targets: Depth of the token that predicts, token id, and place in the batch's order.
        head: The tokens up to the last picture token, at least one.
    """

    ids: tuple[int, ...]
    targets: tuple[tuple[int, int, int], ...]
    head: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PictureTree:
    """Hold a tree, and the number of the picture set that all its sequences are about."""

    tree: TokenTree
    pictures: int


def build_forest(
    trees: Sequence[PictureTree], branches: Mapping[int, Branch], *, pad_id: int, picture_token_id: int
) -> Forest:
    """Put trees side by side and say where everything lies.

    Args:
        trees: At least one.
        branches: The trees' sequences by their numbers.
        pad_id: Token that fills heads up.
        picture_token_id: Token that a picture's features replace.
    """
    forest = join_trees([part.tree for part in trees])
    heads = _Heads(len(forest))
    for part in trees:
        for number in part.tree.paths:
            heads.add(part.pictures, branches[number].head, forest.paths[number])
    targets = [
        (path[depth], token, place)
        for number, path in forest.paths.items()
        for depth, token, place in branches[number].targets
    ]
    keep = sorted({slot for slot, _, _ in targets})
    kept = {slot: index for index, slot in enumerate(keep)}
    pictures = tuple(dict.fromkeys(part.pictures for part in trees if part.pictures != NO_PICTURES))
    return Forest(
        input_ids=torch.tensor(forest.input_ids),
        depths=torch.tensor(forest.depths),
        subtree_end=torch.tensor(forest.subtree_end),
        head_ids=heads.padded(pad_id),
        head_lengths=torch.tensor([len(head) for _, head in heads.numbers]),
        head_of=torch.tensor(heads.of_slot),
        feature_rows=torch.tensor(_feature_rows(trees, pictures, picture_token_id), dtype=torch.long),
        pictures=pictures,
        head_pictures=tuple(number for number, _ in heads.numbers if number != NO_PICTURES),
        keep=torch.tensor(keep),
        target_slots=torch.tensor([kept[slot] for slot, _, _ in targets]),
        target_ids=torch.tensor([token for _, token, _ in targets]),
        order=torch.tensor([place for _, _, place in targets]),
        branches=any(part.tree.branches for part in trees),
    )


class _Heads:
    """Number the distinct heads of a forest, and note which slots they serve."""

    def __init__(self, slots: int) -> None:
        self.numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self.of_slot = [0] * slots

    def add(self, pictures: int, head: tuple[int, ...], path: Sequence[int]) -> None:
        """Serve the slots of one sequence; a shared slot has the same values in all its heads."""
        number = self.numbers.setdefault((pictures, head), len(self.numbers))
        for slot in path:
            self.of_slot[slot] = number

    def padded(self, pad_id: int) -> torch.Tensor:
        """Return the heads as rows, padded on the right."""
        width = max(len(head) for _, head in self.numbers)
        return torch.tensor([[*head, *[pad_id] * (width - len(head))] for _, head in self.numbers])


def _feature_rows(trees: Sequence[PictureTree], pictures: Sequence[int], picture_token_id: int) -> list[int]:
    """Give each picture token the row of its feature: the n-th picture token of a sequence has the n-th."""
    ordinals = [(part.pictures, _ordinals(part.tree, picture_token_id)) for part in trees]
    counts = {number: max(found, default=-1) + 1 for number, found in ordinals}
    starts: dict[int, int] = {}
    for number in pictures:
        starts[number] = sum(counts[earlier] for earlier in starts)
    return [starts[number] + ordinal for number, found in ordinals for ordinal in found if ordinal >= 0]


def _ordinals(tree: TokenTree, picture_token_id: int) -> list[int]:
    """Number the picture tokens of each sequence from 0 on; -1 for slots that hold another token."""
    seen: list[int] = []
    ordinals: list[int] = []
    for token, parent in zip(tree.input_ids, tree.parents, strict=True):
        before = 0 if parent == NO_PARENT else seen[parent]
        ordinals.append(before if token == picture_token_id else -1)
        seen.append(before + (token == picture_token_id))
    return ordinals
