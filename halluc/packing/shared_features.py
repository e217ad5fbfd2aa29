"""Score answers on padded rows whose pictures are encoded once, where prefixes can't be shared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from halluc.errors import ModelSupportError
from halluc.models.families.pictures import PICTURES
from halluc.models.lvlm import Lvlm
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.picture_sets import FeatureSource, PictureSets
from halluc.packing.plain import NO_VISION, PaddedRows, PlainBatch, PlainCollator, target_logps
from halluc.packing.sequence import AnswerLogps, ScoredSequence


@dataclass(frozen=True, slots=True)
class SharedFeatureBatch:
    """Hold padded rows and the distinct sets of pictures that they are about, on one device."""

    rows: PlainBatch
    pictures: PictureSets

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "SharedFeatureBatch":
        """Return a copy on another device, as Lightning asks for."""
        return SharedFeatureBatch(self.rows.to(device, non_blocking), self.pictures.to(device, non_blocking))


class SharedFeatureScorer:
    """Compute the same log-probabilities as ``PlainScorer``, each picture encoded once a batch.

    Args:
        lvlm: The model, of a family that takes features in place of pictures.
        rows_per_forward: Most rows of one forward, which bounds memory; None sets no bound.
        feature_cache: Where features of a frozen vision tower are kept across batches; None keeps none.

    Raises:
        ModelSupportError: If the family is not known to take features.
    """

    def __init__(
        self, lvlm: Lvlm, rows_per_forward: int | None = None, feature_cache: FeatureCache | None = None
    ) -> None:
        model_type = lvlm.hf_model.config.model_type
        if model_type not in PICTURES:
            raise ModelSupportError(
                f"{lvlm.path} ({model_type}) is not known to take features in place of pictures; known are "
                f"{', '.join(sorted(PICTURES))}. Set packing=plain."
            )
        self.lvlm = lvlm
        self.collator = PlainCollator(lvlm.encoder, rows_per_forward)
        self.features = FeatureSource(lvlm, PICTURES[model_type], feature_cache)

    def collate(
        self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None
    ) -> SharedFeatureBatch:
        """Turn sequences into padded rows on the CPU; see ``PlainScorer.collate``."""
        rows = self.collator(sequences, max_pixels)
        keyed = self.features.cache is not None
        return SharedFeatureBatch(rows, PictureSets.collect(rows.vision, keyed=keyed))

    def __call__(self, batch: SharedFeatureBatch) -> AnswerLogps:
        """Score a batch on the device that it is on; see ``PlainScorer``."""
        rows = batch.rows
        forwards = ((rows_logps(self.features, each, batch.pictures), each.order) for each in rows.forwards)
        return AnswerLogps.joined(forwards, rows.sequence_index, rows.count)


def rows_logps(features: FeatureSource, rows: PaddedRows, pictures: PictureSets) -> Tensor:
    """Compute the log-probabilities of the scored tokens of rows, shape ``[T]``.

    Args:
        features: Gives the features of pictures.
        rows: One forward.
        pictures: The picture sets that its rows refer to.
    """
    arguments = row_arguments(
        features,
        pictures,
        [index for index in rows.vision_index if index != NO_VISION],
        input_ids=rows.input_ids,
        attention_mask=rows.attention_mask,
        prompt_lengths=rows.prompt_lengths,
    )
    output = features.lvlm.model(**arguments, logits_to_keep=rows.keep, use_cache=False)
    return target_logps(output.logits, rows)


def row_arguments(
    features: FeatureSource,
    pictures: PictureSets,
    seen: Sequence[int],
    *,
    input_ids: Tensor,
    attention_mask: Tensor,
    prompt_lengths: Tensor,
) -> dict[str, Any]:
    """Assemble the arguments of a forward over rows, with features in place of pictures.

    Args:
        features: Gives them.
        pictures: The picture sets of the batch.
        seen: Index of the set of each row that has pictures, in the order of the rows.
        input_ids: Right-padded tokens, shape ``[R, L]``.
        attention_mask: 1 for tokens and 0 for padding, shape ``[R, L]``.
        prompt_lengths: Number of prompt tokens, shape ``[R]``.
    """
    family, model = features.lvlm.family, features.lvlm.hf_model
    vision = family.vision_arguments([pictures.sizes(index) for index in seen])
    arguments = {
        "input_ids": input_ids,
        "attention_mask": attention_mask,
        "position_ids": family.position_ids(model, input_ids, attention_mask, vision),
        **family.text_arguments(model, input_ids, prompt_lengths, vision),
    }
    if seen:
        arguments |= features.hooks.arguments(features.joined(pictures, seen))
    return arguments
