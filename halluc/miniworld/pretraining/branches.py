"""Many questions about shared pictures as branches: the pictures once, every question a block of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from halluc.errors import ConfigError
from halluc.miniworld.lessons.single_lessons import Lesson
from halluc.miniworld.pretraining.tokenizer import ASSISTANT, END, TextEncoder

LENGTHS = (8, 11, 16, 24, 40, 64, 120)
"""Blocks are padded to one of these lengths; few different shapes make few, large products."""


@dataclass(frozen=True, slots=True)
class Block:
    """Hold branches of about the same length.

    Attributes:
        input_ids: Shape ``[N, L]``, padded with zeros.
        rows: Shape ``[N]``: the row of pictures that each branch belongs to.
    """

    input_ids: Tensor
    rows: Tensor


@dataclass(frozen=True, slots=True)
class Branches:
    """Hold all branches of a batch, and what they are to predict.

    Attributes:
        blocks: The branches by length.
        slots: Shape ``[T]``: positions in the concatenation of the flattened blocks that predict a target.
        targets: Shape ``[T]``: token ids to be predicted there.
        lessons: Shape ``[T]``: the lesson that each target belongs to, counted row by row.
    """

    blocks: tuple[Block, ...]
    slots: Tensor
    targets: Tensor
    lessons: Tensor

    def first_targets(self) -> Tensor:
        """Return the indices into ``targets`` of each lesson's first answer token, shape ``[lessons]``."""
        changed = self.lessons[1:] != self.lessons[:-1]
        return torch.cat([torch.tensor([0]), changed.nonzero().flatten() + 1])


def pack_branches(rows: Sequence[Sequence[Lesson]], encode: TextEncoder) -> Branches:
    """Pack lessons, one row of lessons for each row of pictures.

    Raises:
        ConfigError: If a lesson is longer than the longest block.
    """
    assistant, end = encode(ASSISTANT), encode(END)
    sequences: list[list[list[int]]] = [[] for _ in LENGTHS]
    owners: list[list[int]] = [[] for _ in LENGTHS]
    places: list[tuple[int, int, int, tuple[int, ...]]] = []
    for row, lessons in enumerate(rows):
        for lesson in lessons:
            prompt = [token for part in lesson.parts for token in encode(part)] + list(assistant)
            answer = encode(lesson.answer)
            ids = prompt + list(answer)
            group = _group(len(ids), lesson)
            places.append((group, len(sequences[group]), len(prompt) - 1, answer + end))
            sequences[group].append(ids + [0] * (LENGTHS[group] - len(ids)))
            owners[group].append(row)
    starts = [0]
    for branches, length in zip(sequences, LENGTHS, strict=True):
        starts.append(starts[-1] + len(branches) * length)
    slots: list[int] = []
    targets: list[int] = []
    lessons_of: list[int] = []
    for number, (group, index, offset, wanted) in enumerate(places):
        first = starts[group] + index * LENGTHS[group] + offset
        slots += range(first, first + len(wanted))
        targets += wanted
        lessons_of += [number] * len(wanted)
    filled = [
        Block(torch.tensor(ids), torch.tensor(own)) for ids, own in zip(sequences, owners, strict=True) if ids
    ]
    return Branches(tuple(filled), torch.tensor(slots), torch.tensor(targets), torch.tensor(lessons_of))


def _group(length: int, lesson: Lesson) -> int:
    for group, longest in enumerate(LENGTHS):
        if length <= longest:
            return group
    raise ConfigError(f"lesson {lesson.name} has {length} tokens, more than {LENGTHS[-1]}: {lesson.parts}.")
