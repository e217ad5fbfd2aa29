"""Merge token sequences that share prefixes into one tree, each shared token once.

A tree is stored in pre-order: a token's slot comes after the slots of all tokens before it in its
sequences, and a branch is one unbroken run of slots. Three vectors say it all: the token ids, the
depths (a token's place in its own sequences), and ``subtree_end``. Token *i* may attend to token *j*
exactly when ``j <= i < subtree_end[j]``, which is causal attention inside every sequence and nothing
across branches, so every sequence gets what it would get alone.

The prefixes are found in the tokens of whole, normally tokenised sequences; nothing is assumed about
where token boundaries fall. Nothing here knows of models. Shape letters: ``N`` slots.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

NO_PARENT = -1


@dataclass(frozen=True, slots=True)
class TokenTree:
    """Hold merged sequences in pre-order; several trees side by side (a forest) have the same form.

    Attributes:
        input_ids: Token of each slot, length N.
        parents: Slot of the token before it, ``NO_PARENT`` for a first token, length N.
        depths: Its place in its own sequences, from 0, length N.
        subtree_end: One past the last slot below it, length N.
        paths: For each sequence, by its number, the slots of its tokens in order.
    """

    input_ids: tuple[int, ...]
    parents: tuple[int, ...]
    depths: tuple[int, ...]
    subtree_end: tuple[int, ...]
    paths: Mapping[int, tuple[int, ...]]

    def __len__(self) -> int:
        """Count the slots."""
        return len(self.input_ids)

    @property
    def branches(self) -> bool:
        """Whether some token is followed by more than one, or several sequences begin apart."""
        return any(parent != slot - 1 for slot, parent in enumerate(self.parents))


def grow_trees(sequences: Mapping[int, Sequence[int]], max_tokens: int | None = None) -> Iterator[TokenTree]:
    """Merge sequences into one tree, or into several if one would be too large.

    The sequences are taken in lexicographic order, so that each shares with the one before it the
    longest prefix that it shares with any before; the result does not depend on the order given. A
    tree that would outgrow ``max_tokens`` is closed and the next sequence begins another, where the
    shared prefix is stored again: bounded branches for bounded memory.

    Args:
        sequences: Token ids of each sequence by its number; equal ones share all their slots.
        max_tokens: Most slots of a tree. A single longer sequence still makes a tree of its own, since
            nothing is ever cut off.

    Yields:
        Trees whose ``paths`` together hold every number once.

    Example:
        >>> (tree,) = grow_trees({0: [7, 8, 9], 1: [7, 8, 4], 2: [7, 8]})
        >>> tree.input_ids, tree.depths, tree.subtree_end
        ((7, 8, 4, 9), (0, 1, 2, 2), (4, 4, 3, 4))
        >>> tree.paths
        {2: (0, 1), 1: (0, 1, 2), 0: (0, 1, 3)}
    """
    growing = _GrowingTree()
    for number in sorted(sequences, key=lambda number: tuple(sequences[number])):
        sequence = sequences[number]
        if max_tokens is not None and growing.paths and growing.size_with(sequence) > max_tokens:
            yield growing.finish()
            growing = _GrowingTree()
        growing.add(number, sequence)
    if growing.paths:
        yield growing.finish()


def join_trees(trees: Sequence[TokenTree]) -> TokenTree:
    """Put trees side by side in one forest; no tree attends to another.

    Args:
        trees: At least none; their sequence numbers are distinct.
    """
    input_ids: list[int] = []
    parents: list[int] = []
    depths: list[int] = []
    subtree_end: list[int] = []
    paths: dict[int, tuple[int, ...]] = {}
    for tree in trees:
        start = len(input_ids)
        input_ids += tree.input_ids
        parents += [NO_PARENT if parent == NO_PARENT else start + parent for parent in tree.parents]
        depths += tree.depths
        subtree_end += [start + end for end in tree.subtree_end]
        paths |= {number: tuple(start + slot for slot in path) for number, path in tree.paths.items()}
    return TokenTree(tuple(input_ids), tuple(parents), tuple(depths), tuple(subtree_end), paths)


def allowed_attention(subtree_end: Tensor) -> Tensor:
    """Say which slot may attend to which.

    Args:
        subtree_end: Shape ``[N]``, int64.

    Returns:
        Shape ``[N, N]``, bool: row *i*, column *j* is ``j <= i < subtree_end[j]``.
    """
    slots = torch.arange(len(subtree_end), device=subtree_end.device)
    queries = slots[:, None]
    return (slots <= queries) & (queries < subtree_end)


class _GrowingTree:
    """Grow a tree by sequences in lexicographic order."""

    def __init__(self) -> None:
        self.paths: dict[int, tuple[int, ...]] = {}
        self._input_ids: list[int] = []
        self._parents: list[int] = []
        self._depths: list[int] = []
        self._subtree_end: list[int] = []
        self._last: list[int] = []
        """Slots of the sequence added last; those above may still gain branches."""

    def size_with(self, sequence: Sequence[int]) -> int:
        """Count the slots there would be with one more sequence."""
        return len(self._input_ids) + len(sequence) - self._shared(sequence)

    def add(self, number: int, sequence: Sequence[int]) -> None:
        """Append what the sequence does not share with the one before."""
        shared = self._shared(sequence)
        self._close_below(shared)
        for depth in range(shared, len(sequence)):
            slot = len(self._input_ids)
            self._input_ids.append(sequence[depth])
            self._parents.append(self._last[-1] if self._last else NO_PARENT)
            self._depths.append(depth)
            self._subtree_end.append(slot)  # set when its subtree is complete
            self._last.append(slot)
        self.paths[number] = tuple(self._last)

    def finish(self) -> TokenTree:
        """Complete all subtrees and return the tree."""
        self._close_below(0)
        return TokenTree(
            tuple(self._input_ids),
            tuple(self._parents),
            tuple(self._depths),
            tuple(self._subtree_end),
            self.paths,
        )

    def _shared(self, sequence: Sequence[int]) -> int:
        pairs = zip(self._last, sequence, strict=False)
        differ = (depth for depth, (slot, token) in enumerate(pairs) if self._input_ids[slot] != token)
        return next(differ, min(len(self._last), len(sequence)))

    def _close_below(self, depth: int) -> None:
        """No later sequence passes through the slots from this depth on: their subtrees are complete."""
        for slot in self._last[depth:]:
            self._subtree_end[slot] = len(self._input_ids)
        del self._last[depth:]
