"""Score answers on padded rows whose pictures are encoded once, where prefixes can't be shared."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from halluc.errors import ModelSupportError
from halluc.models.families.pictures import PICTURES
from halluc.models.lvlm import Lvlm
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.picture_sets import FeatureSource, PictureSets
from halluc.packing.plain import NO_VISION, PaddedRows, PlainBatch, PlainCollator
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
        if not rows.forwards:
            empty = torch.zeros(0, dtype=torch.float32, device=rows.sequence_index.device)
            return AnswerLogps(empty, rows.sequence_index, rows.count)
        logps = torch.cat([self._forward(padded, batch.pictures) for padded in rows.forwards])
        order = torch.cat([padded.order for padded in rows.forwards])
        return AnswerLogps(logps[torch.argsort(order)], rows.sequence_index, rows.count)

    def _forward(self, rows: PaddedRows, pictures: PictureSets) -> Tensor:
        family, model = self.lvlm.family, self.lvlm.hf_model
        seen = [index for index in rows.vision_index if index != NO_VISION]
        vision = family.vision_arguments([pictures.sizes(index) for index in seen])
        arguments = {
            "input_ids": rows.input_ids,
            "attention_mask": rows.attention_mask,
            "position_ids": family.position_ids(model, rows.input_ids, rows.attention_mask, vision),
            **family.text_arguments(model, rows.input_ids, rows.prompt_lengths, vision),
        }
        if seen:
            arguments |= self.features.hooks.arguments(self.features.joined(pictures, seen))
        output = self.lvlm.model(**arguments, logits_to_keep=rows.keep, use_cache=False)
        at_targets = output.logits[rows.target_rows, rows.target_slots].float()
        logps: Tensor = at_targets.log_softmax(-1).gather(-1, rows.target_ids[:, None])[:, 0]
        return logps
