"""From questions with answers to token trees, on the CPU."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import torch

from halluc.data.records import View
from halluc.models.families.base import VisionInputs
from halluc.models.families.trees.base import TreeHooks
from halluc.models.prompts import PromptEncoder
from halluc.packing.forest import NO_PICTURES, Branch, PictureTree, build_forest
from halluc.packing.picture_sets import PictureSets
from halluc.packing.sequence import ScoredSequence
from halluc.packing.tree import grow_trees
from halluc.packing.tree_batch import Forest, TreeBatch


class TreeCollator:
    """Turn sequences into a ``TreeBatch``: one tree for each distinct set of pictures.

    It holds no weights and pickles.

    Args:
        encoder: The model's tokenisation and picture preparation.
        hooks: What the model's family can share.
        tokens_per_tree: Most tokens of one tree; None sets no bound. A larger tree is split into several
            that each hold the shared prefix.
        tokens_per_forward: Most tokens of several trees that share a forward; None sets no bound. A
            larger tree has a forward of its own.
        keyed: Whether picture sets are named by their content, as a feature cache needs.
    """

    def __init__(
        self,
        encoder: PromptEncoder,
        hooks: TreeHooks,
        *,
        tokens_per_tree: int | None,
        tokens_per_forward: int | None,
        keyed: bool,
    ) -> None:
        self.encoder = encoder
        self.hooks = hooks
        self.tokens_per_tree = tokens_per_tree
        self.tokens_per_forward = tokens_per_forward
        self.keyed = keyed

    def __call__(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> TreeBatch:
        """Encode, and merge what is shared."""
        visions = self._visions(sequences, max_pixels)
        branches: dict[int, Branch] = {}
        groups: dict[int, list[int]] = {}
        sequence_index: list[int] = []
        for number, sequence in enumerate(sequences):
            pictures, vision = visions[sequence.question.view]
            branch = self._branch(sequence, vision, len(sequence_index))
            if branch.targets:
                branches[number] = branch
                groups.setdefault(pictures, []).append(number)
                sequence_index += [number] * len(branch.targets)
        sets = [vision.tensors for _, vision in visions.values() if vision is not None]
        return TreeBatch(
            tuple(self._forests(groups, branches)),
            PictureSets.collect(sets, keyed=self.keyed),
            torch.tensor(sequence_index, dtype=torch.long),
            len(sequences),
        )

    def _visions(
        self, sequences: Sequence[ScoredSequence], max_pixels: int | None
    ) -> dict[View, tuple[int, VisionInputs | None]]:
        """Prepare each distinct set of pictures once, and number those that are not empty."""
        visions: dict[View, tuple[int, VisionInputs | None]] = {}
        numbers = count()
        for question in (sequence.question for sequence in sequences):
            if question.view not in visions:
                number = next(numbers) if question.images else NO_PICTURES
                visions[question.view] = (number, self.encoder.vision(question, max_pixels))
        return visions

    def _branch(self, sequence: ScoredSequence, vision: VisionInputs | None, first: int) -> Branch:
        encoded = self.encoder.encode(
            sequence.question, sequence.answer, ends_turn=sequence.ends_turn, vision=vision
        )
        ids = encoded.input_ids
        columns = range(encoded.prompt_length, len(ids))
        targets = tuple((column - 1, ids[column], place) for place, column in enumerate(columns, first))
        prompt = ids[: encoded.prompt_length]
        return Branch(ids[:-1], targets, prompt[: max(_last(prompt, self._picture_token_id) + 1, 1)])

    @property
    def _picture_token_id(self) -> int:
        return self.hooks.picture_token_id(self.encoder.processor)

    def _forests(
        self, groups: Mapping[int, Sequence[int]], branches: Mapping[int, Branch]
    ) -> Iterator[Forest]:
        """Grow the trees of each set of pictures, and put those that share a forward side by side."""
        trees = [
            PictureTree(tree, pictures)
            for pictures, numbers in groups.items()
            for tree in grow_trees({n: branches[n].ids for n in numbers}, self.tokens_per_tree)
        ]
        pad_id, picture_token_id = self.encoder.pad_id, self._picture_token_id
        for share in self._shares(trees):
            yield build_forest(share, branches, pad_id=pad_id, picture_token_id=picture_token_id)

    def _shares(self, trees: Sequence[PictureTree]) -> Iterator[Sequence[PictureTree]]:
        """Cut the trees, in order, into what one forward takes."""
        share: list[PictureTree] = []
        for tree in trees:
            if share and not self._fits(share, tree):
                yield share
                share = []
            share.append(tree)
        if share:
            yield share

    def _fits(self, share: Sequence[PictureTree], tree: PictureTree) -> bool:
        if not self.hooks.mixes_pictures and share[0].pictures != tree.pictures:
            return False
        size = sum(len(other.tree) for other in share) + len(tree.tree)
        return self.tokens_per_forward is None or size <= self.tokens_per_forward


def _last(ids: Sequence[int], token_id: int) -> int:
    """Return the last place of a token, -1 if it does not occur."""
    return max((place for place, token in enumerate(ids) if token == token_id), default=-1)
