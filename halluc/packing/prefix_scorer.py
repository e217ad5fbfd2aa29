"""Score answers behind shared prefixes: a prefix's keys and values once, what follows as rows."""

from collections.abc import Sequence

import torch
from torch import Tensor

from halluc.errors import ModelSupportError
from halluc.models.families.pictures import PICTURES
from halluc.models.families.prefix_cache import PrefixCache
from halluc.models.families.trees.table import TREES, tree_hooks_for
from halluc.models.lvlm import Lvlm
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.picture_sets import FeatureSource, PictureSets
from halluc.packing.plain import NO_VISION, PaddedRows, target_logps
from halluc.packing.prefix_rows import PrefixBatch, PrefixCollator, SharedPrefix
from halluc.packing.sequence import AnswerLogps, ScoredSequence, require_positive
from halluc.packing.shared_features import row_arguments, rows_logps


class PrefixScorer:
    """Compute the same log-probabilities as ``PlainScorer``, with common prefixes computed once.

    Unlike a token tree this takes any attention implementation, flash attention too, since a row behind
    a prefix needs no mask but the one of its padding. It shares less: each row repeats what it has in
    common with only some of the others, and keeps a copy of the prefix's keys and values. Gradients flow
    through those. Recomputing activations in the backward pass (``adapter.gradient_checkpointing``)
    leaves no keys and values, so training then runs whole rows, with shared features.

    Args:
        lvlm: The model, of a family whose text can continue from keys and values.
        rows_per_forward: Most rows that follow a prefix in one forward, which bounds memory; None sets no
            bound.
        feature_cache: Where features of a frozen vision tower are kept across batches; None keeps none.

    Attributes:
        collator: What ``collate`` calls; it pickles without the weights.

    Raises:
        ConfigError: If ``rows_per_forward`` is not positive.
        ModelSupportError: If the model can't continue from keys and values.
    """

    def __init__(
        self, lvlm: Lvlm, rows_per_forward: int | None = None, feature_cache: FeatureCache | None = None
    ) -> None:
        require_positive("packing.rows_per_forward", rows_per_forward)
        config = lvlm.hf_model.config
        hooks = tree_hooks_for(config.model_type, lvlm.family)
        obstacle = (
            hooks.cache_obstacle(config) if hooks else f"its model_type is none of {', '.join(sorted(TREES))}"
        )
        if hooks is None or obstacle:
            raise ModelSupportError(
                f"{lvlm.path} ({config.model_type}) can't continue from shared prefixes: {obstacle}. Set "
                "packing=auto, which chooses."
            )
        self.lvlm = lvlm
        self.hooks = hooks
        self.features = FeatureSource(lvlm, PICTURES[config.model_type], feature_cache)
        self.collator = PrefixCollator(
            lvlm.encoder, hooks, rows_per_forward=rows_per_forward, keyed=feature_cache is not None
        )

    def collate(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> PrefixBatch:
        """Turn sequences into prefixes and rows on the CPU; see ``PlainScorer.collate``."""
        return self.collator(sequences, max_pixels)

    def __call__(self, batch: PrefixBatch) -> AnswerLogps:
        """Score a batch on the device that it is on; see ``PlainScorer``."""
        keeps = not self._recomputes
        forwards = (
            (
                self._forward(prefix, batch.pictures, keeps=keeps),
                torch.cat([rests.order for rests in prefix.rests]),
            )
            for prefix in batch.prefixes
        )
        return AnswerLogps.joined(forwards, batch.sequence_index, batch.count)

    @property
    def _recomputes(self) -> bool:
        """Whether activations are recomputed in the backward pass, so that no keys and values are kept."""
        return (
            torch.is_grad_enabled()
            and self.lvlm.training
            and any(getattr(m, "gradient_checkpointing", False) for m in self.lvlm.hf_model.modules())
        )

    def _forward(self, prefix: SharedPrefix, pictures: PictureSets, *, keeps: bool) -> Tensor:
        """Run the prefix, then what follows from its keys and values; whole rows where none are kept."""
        if not (keeps and prefix.shares):
            whole = (prefix.whole(rests) for rests in prefix.rests)
            return torch.cat([rows_logps(self.features, rows, pictures) for rows in whole])
        cache = PrefixCache(self.lvlm.hf_model)
        arguments = row_arguments(
            self.features,
            pictures,
            [] if prefix.pictures == NO_VISION else [prefix.pictures],
            input_ids=prefix.input_ids,
            attention_mask=torch.ones_like(prefix.input_ids),
            prompt_lengths=torch.tensor([prefix.input_ids.shape[1]], device=prefix.input_ids.device),
        )
        self.lvlm.model(**arguments, logits_to_keep=1, **cache.arguments())
        position = arguments["position_ids"].max() + 1
        return torch.cat([self._rests(prefix, rests, position, cache) for rests in prefix.rests])

    def _rests(self, prefix: SharedPrefix, rests: PaddedRows, position: Tensor, cache: PrefixCache) -> Tensor:
        count, width = rests.input_ids.shape
        columns = torch.arange(width, device=rests.input_ids.device)
        output = self.lvlm.model(
            input_ids=rests.input_ids,
            attention_mask=torch.cat([prefix.seen.expand(count, -1), rests.attention_mask], 1),
            position_ids=self.hooks.text_positions((position + columns).expand(count, width)),
            logits_to_keep=rests.keep,
            **cache.repeated(count).arguments(),
        )
        return target_logps(output.logits, rests)
