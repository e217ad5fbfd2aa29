"""Score answers on padded rows: one row for each distinct prompt with answer, nothing shared.

The way that needs nothing of an architecture but its forward. Shape letters: ``R`` rows, ``L`` tokens
of the longest row, ``K`` kept columns, ``T`` answer tokens, ``S`` sequences.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import torch
from torch import Tensor

from halluc.data.records import View
from halluc.models.families.base import VisionInputs
from halluc.models.lvlm import Lvlm
from halluc.models.prompts import EncodedSequence, PromptEncoder
from halluc.packing.sequence import AnswerLogps, ScoredSequence, require_positive

NO_VISION = -1


@dataclass(frozen=True, slots=True)
class PaddedRows:
    """Hold the rows of one forward, padded on the right, and which tokens of them are scored.

    Attributes:
        input_ids: Shape ``[R, L]``, int64.
        attention_mask: 1 for tokens and 0 for padding, shape ``[R, L]``, int64.
        prompt_lengths: Number of prompt tokens, shape ``[R]``, int64.
        vision_index: Index into the batch's picture sets a row; ``NO_VISION`` for none.
        keep: Columns whose logits are needed, ascending, shape ``[K]``, int64.
        target_rows: Row of each scored token, shape ``[T]``, int64.
        target_slots: Index into ``keep`` of the column that predicts it, shape ``[T]``, int64.
        target_ids: Its token id, shape ``[T]``, int64.
        order: Where its log-probability belongs among all of the batch, shape ``[T]``, int64.
    """

    input_ids: Tensor
    attention_mask: Tensor
    prompt_lengths: Tensor
    vision_index: tuple[int, ...]
    keep: Tensor
    target_rows: Tensor
    target_slots: Tensor
    target_ids: Tensor
    order: Tensor

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "PaddedRows":
        """Return a copy on another device."""
        moved = {
            name: value.to(device, non_blocking=non_blocking)
            for name in self.__slots__
            if isinstance(value := getattr(self, name), Tensor)
        }
        return PaddedRows(vision_index=self.vision_index, **moved)


@dataclass(frozen=True, slots=True)
class PlainBatch:
    """Hold everything that scoring needs, on one device.

    Attributes:
        forwards: The rows, split by picture layout and by ``rows_per_forward``.
        vision: Tensors of each distinct set of pictures; rows refer to them by index.
        sequence_index: The sequence that each scored token belongs to, ascending, shape ``[T]``.
        count: Number of sequences, S.
    """

    forwards: tuple[PaddedRows, ...]
    vision: tuple[Mapping[str, Tensor], ...]
    sequence_index: Tensor
    count: int

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "PlainBatch":
        """Return a copy on another device, as Lightning asks for."""
        return PlainBatch(
            tuple(rows.to(device, non_blocking) for rows in self.forwards),
            tuple(
                {name: tensor.to(device, non_blocking=non_blocking) for name, tensor in tensors.items()}
                for tensors in self.vision
            ),
            self.sequence_index.to(device, non_blocking=non_blocking),
            self.count,
        )


@dataclass(slots=True)
class Row:
    """Collect the scored tokens of one distinct row while a batch is put together.

    Attributes:
        ids: All tokens but the last, from which nothing is predicted.
        prompt_length: Number of prompt tokens.
        vision: Index into the batch's picture sets; ``NO_VISION`` for none.
        layout: What rows of one forward must have in common.
        targets: Column that predicts, token id, and place in the batch's order.
    """

    ids: tuple[int, ...]
    prompt_length: int
    vision: int
    layout: Hashable
    targets: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CollectedRows:
    """Hold the distinct rows of a batch before they are padded.

    Attributes:
        rows: In the order of first occurrence.
        vision: See ``PlainBatch``, as for the next; rows refer to it by index.
        sequence_index: Shape ``[T]``, int64.
    """

    rows: Sequence[Row]
    vision: tuple[Mapping[str, Tensor], ...]
    sequence_index: Tensor


class PlainCollator:
    """Turn sequences into a ``PlainBatch`` on the CPU; holds no weights and pickles.

    Args:
        encoder: The model's tokenisation and picture preparation.
        rows_per_forward: Upper bound of a forward's rows; None puts all that go together into one.
    """

    def __init__(self, encoder: PromptEncoder, rows_per_forward: int | None) -> None:
        self.encoder = encoder
        self.rows_per_forward = rows_per_forward

    def __call__(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> PlainBatch:
        """Encode, share equal rows, and pad."""
        collected = self.collect(sequences, max_pixels)
        pad_id = self.encoder.pad_id
        return PlainBatch(
            tuple(pad_rows(chunk, pad_id) for chunk in self._chunks(collected.rows)),
            collected.vision,
            collected.sequence_index,
            len(sequences),
        )

    def collect(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> CollectedRows:
        """Encode, and share equal rows.

        Sequences that ask about the same pictures share their tensors; sequences that differ in no
        more than their last token share their row.
        """
        visions = self._visions(sequences, max_pixels)
        rows: dict[Hashable, Row] = {}
        sequence_index: list[int] = []
        for index, sequence in enumerate(sequences):
            place, vision = visions[sequence.question.view]
            encoded = self.encoder.encode(
                sequence.question, sequence.answer, ends_turn=sequence.ends_turn, vision=vision
            )
            targets = list(_targets(encoded, start=len(sequence_index)))
            if not targets:
                continue
            sequence_index += [index] * len(targets)
            key = (place, encoded.input_ids[:-1], encoded.prompt_length)
            layout = self.encoder.family.layout(vision)
            row = rows.setdefault(key, Row(encoded.input_ids[:-1], encoded.prompt_length, place, layout))
            row.targets += targets
        sets = [vision for _, vision in visions.values() if vision is not None]  # in order of their number
        index_tensor = torch.tensor(sequence_index, dtype=torch.long)
        return CollectedRows(list(rows.values()), tuple(vision.tensors for vision in sets), index_tensor)

    def _visions(
        self, sequences: Sequence[ScoredSequence], max_pixels: int | None
    ) -> dict[View, tuple[int, VisionInputs | None]]:
        """Prepare each distinct set of pictures once, and number those that are not empty."""
        visions: dict[View, tuple[int, VisionInputs | None]] = {}
        numbers = count()
        for question in (sequence.question for sequence in sequences):
            if question.view not in visions:
                number = next(numbers) if question.images else NO_VISION
                visions[question.view] = (number, self.encoder.vision(question, max_pixels))
        return visions

    def _chunks(self, rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
        """Group rows that one forward can take, in order, and cut at ``rows_per_forward``."""
        groups: dict[Hashable, list[Row]] = {}
        for row in rows:
            groups.setdefault(row.layout, []).append(row)
        for group in groups.values():
            size = self.rows_per_forward or len(group)
            for start in range(0, len(group), size):
                yield group[start : start + size]


class PlainScorer:
    """Compute answer log-probabilities on padded rows.

    Args:
        lvlm: The model.
        rows_per_forward: Upper bound of the rows of one forward, which bounds memory; None sets none.

    Attributes:
        collator: What ``collate`` calls. Hand this to worker processes that are not forked: it pickles
            without the weights.

    Raises:
        ConfigError: If ``rows_per_forward`` is not positive.

    Example:
        ``scorer = PlainScorer(lvlm)``; ``scorer(scorer.collate(sequences)).sums()`` are the answers'
        log-probabilities.
    """

    def __init__(self, lvlm: Lvlm, rows_per_forward: int | None = None) -> None:
        require_positive("packing.rows_per_forward", rows_per_forward)
        self.lvlm = lvlm
        self.collator = PlainCollator(lvlm.encoder, rows_per_forward)

    def collate(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> PlainBatch:
        """Turn sequences into padded rows on the CPU.

        Args:
            sequences: Possibly none.
            max_pixels: Overrides the model's own picture bound.

        Raises:
            RecordError: If a text holds one of the tokenizer's control strings; names the id.
            ImageError: If a picture can't be read; names the id.
        """
        return self.collator(sequences, max_pixels)

    def __call__(self, batch: PlainBatch) -> AnswerLogps:
        """Score a batch on the device that it is on.

        Returns:
            Natural log-probabilities in float32; gradients flow unless they are switched off outside.
            They depend neither on the other sequences of the batch nor on ``rows_per_forward``.
        """
        forwards = ((self._forward(rows, batch.vision), rows.order) for rows in batch.forwards)
        return AnswerLogps.joined(forwards, batch.sequence_index, batch.count)

    def _forward(self, rows: PaddedRows, vision: Sequence[Mapping[str, Tensor]]) -> Tensor:
        seen = [vision[index] for index in rows.vision_index if index != NO_VISION]
        logits = self.lvlm(rows.input_ids, rows.attention_mask, rows.prompt_lengths, seen, rows.keep)
        return target_logps(logits, rows)


def target_logps(logits: Tensor, rows: PaddedRows) -> Tensor:
    """Pick the log-probabilities of the scored tokens.

    Args:
        logits: Of the columns that are kept, shape ``[R, K, V]``.
        rows: What was scored.

    Returns:
        Shape ``[T]``, float32.
    """
    at_targets = logits[rows.target_rows, rows.target_slots].float()
    logps: Tensor = at_targets.log_softmax(-1).gather(-1, rows.target_ids[:, None])[:, 0]
    return logps


def _targets(encoded: EncodedSequence, start: int) -> Iterator[tuple[int, int, int]]:
    for place, column in enumerate(range(encoded.prompt_length, len(encoded.input_ids)), start):
        yield column - 1, encoded.input_ids[column], place


def pad_rows(rows: Sequence[Row], pad_id: int) -> PaddedRows:
    """Pad rows on the right to the longest, and say which tokens of them are scored."""
    length = max(len(row.ids) for row in rows)
    keep = sorted({column for row in rows for column, _, _ in row.targets})
    slots = {column: slot for slot, column in enumerate(keep)}
    targets = [
        (index, slots[column], token, place)
        for index, row in enumerate(rows)
        for column, token, place in row.targets
    ]
    target_rows, target_slots, target_ids, order = torch.tensor(targets, dtype=torch.long).unbind(1)
    return PaddedRows(
        input_ids=torch.tensor([[*row.ids, *[pad_id] * (length - len(row.ids))] for row in rows]),
        attention_mask=torch.tensor([[1] * len(row.ids) + [0] * (length - len(row.ids)) for row in rows]),
        prompt_lengths=torch.tensor([row.prompt_length for row in rows]),
        vision_index=tuple(row.vision for row in rows),
        keep=torch.tensor(keep),
        target_rows=target_rows,
        target_slots=target_slots,
        target_ids=target_ids,
        order=order,
    )
