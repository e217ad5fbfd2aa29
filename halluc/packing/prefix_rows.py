"""Sequences that begin alike: one prefix, and what follows it as padded rows.

Shape letters: ``P`` tokens of the prefix, ``R`` rows that follow it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from halluc.models.families.trees.base import TreeHooks
from halluc.models.prompts import PromptEncoder
from halluc.packing.picture_sets import PictureSets
from halluc.packing.plain import NO_VISION, PaddedRows, PlainCollator, Row, pad_rows
from halluc.packing.sequence import ScoredSequence


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    """Hold sequences about the same pictures.

    Attributes:
        input_ids: The tokens that all begin with, the pictures' among them, shape ``[1, P]``, int64.
        seen: 1 for those that the rests may attend to, shape ``[1, P]``, int64; only a mistake made on
            purpose hides any.
        pictures: Index into the batch's picture sets; ``NO_VISION`` for none.
        rests: What follows, a forward each; nothing in a prefix is scored.
    """

    input_ids: Tensor
    seen: Tensor
    pictures: int
    rests: tuple[PaddedRows, ...]

    @property
    def shares(self) -> bool:
        """Whether more than one row follows."""
        return sum(len(rests.input_ids) for rests in self.rests) > 1

    def whole(self, rests: PaddedRows) -> PaddedRows:
        """Put the prefix in front of each row again."""
        rows, length = len(rests.input_ids), self.input_ids.shape[1]
        prefix = self.input_ids.expand(rows, -1)
        return replace(
            rests,
            input_ids=torch.cat([prefix, rests.input_ids], 1),
            attention_mask=torch.cat([torch.ones_like(prefix), rests.attention_mask], 1),
            prompt_lengths=rests.prompt_lengths + length,
            vision_index=(self.pictures,) * rows,
            keep=rests.keep + length,
        )

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "SharedPrefix":
        """Return a copy on another device."""
        return SharedPrefix(
            self.input_ids.to(device, non_blocking=non_blocking),
            self.seen.to(device, non_blocking=non_blocking),
            self.pictures,
            tuple(rests.to(device, non_blocking) for rests in self.rests),
        )


@dataclass(frozen=True, slots=True)
class PrefixBatch:
    """Hold everything that scoring behind shared prefixes needs, on one device.

    Attributes:
        prefixes: Each with its rows.
        pictures: The distinct sets of pictures; prefixes refer to them by index.
        sequence_index: The sequence that each scored token belongs to, ascending, shape ``[T]``.
        count: Number of sequences.
    """

    prefixes: tuple[SharedPrefix, ...]
    pictures: PictureSets
    sequence_index: Tensor
    count: int

    @property
    def branches(self) -> bool:
        """Whether any prefix is followed by more than one row."""
        return any(prefix.shares for prefix in self.prefixes)

    def spoiled(self) -> "PrefixBatch":
        """Return a batch that is wrong on purpose: no row sees its prefix."""
        hidden = (replace(each, seen=torch.zeros_like(each.seen)) for each in self.prefixes)
        return replace(self, prefixes=tuple(hidden))

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "PrefixBatch":
        """Return a copy on another device, as Lightning asks for."""
        return PrefixBatch(
            tuple(each.to(device, non_blocking) for each in self.prefixes),
            self.pictures.to(device, non_blocking),
            self.sequence_index.to(device, non_blocking=non_blocking),
            self.count,
        )


class PrefixCollator:
    """Turn sequences into a ``PrefixBatch`` on the CPU; holds no weights and pickles.

    Args:
        encoder: The model's tokenisation and picture preparation.
        hooks: Know the token that pictures stand at.
        rows_per_forward: Most rows that follow a prefix in one forward; None sets no bound.
        keyed: Whether picture sets are named by their content, as a feature cache needs.
    """

    def __init__(
        self, encoder: PromptEncoder, hooks: TreeHooks, *, rows_per_forward: int | None, keyed: bool
    ) -> None:
        self.encoder = encoder
        self.hooks = hooks
        self.rows_per_forward = rows_per_forward
        self.keyed = keyed

    def __call__(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> PrefixBatch:
        """Encode, share equal rows, and cut off what rows about the same pictures begin with."""
        collected = PlainCollator(self.encoder, None).collect(sequences, max_pixels)
        return PrefixBatch(
            tuple(self._cut(rows) for rows in self._groups(collected.rows)),
            PictureSets.collect(collected.vision, keyed=self.keyed),
            collected.sequence_index,
            len(sequences),
        )

    def _groups(self, rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
        """Bring rows together that are alike up to their last picture token."""
        picture = self.hooks.picture_token_id(self.encoder.processor)
        groups: dict[tuple[int, tuple[int, ...]], list[Row]] = {}
        for row in rows:
            behind = len(row.ids) - row.ids[::-1].index(picture) if picture in row.ids else 1
            groups.setdefault((row.vision, row.ids[:behind]), []).append(row)
        yield from groups.values()

    def _cut(self, rows: Sequence[Row]) -> SharedPrefix:
        """Cut rows behind what they begin with, and before the first token that an answer is scored from."""
        shared = min(common_length([row.ids for row in rows]), *(row.prompt_length - 1 for row in rows))
        rests = [_rest(row, shared) for row in rows]
        size = self.rows_per_forward or len(rests)
        prefix = torch.tensor([rows[0].ids[:shared]])
        return SharedPrefix(
            input_ids=prefix,
            seen=torch.ones_like(prefix),
            pictures=rows[0].vision,
            rests=tuple(
                pad_rows(rests[start : start + size], self.encoder.pad_id)
                for start in range(0, len(rests), size)
            ),
        )


def _rest(row: Row, start: int) -> Row:
    targets = [(column - start, token, place) for column, token, place in row.targets]
    return Row(row.ids[start:], row.prompt_length - start, NO_VISION, None, targets)


def common_length(sequences: Sequence[tuple[int, ...]]) -> int:
    """Count the tokens that all sequences begin with.

    Example:
        >>> common_length([(1, 2, 3), (1, 2, 4, 5), (1, 2)])
        2
    """
    first, last = min(sequences), max(sequences)  # the first and the last in order differ earliest
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(first), len(last)))
