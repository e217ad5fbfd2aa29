"""Score answers on token trees: pictures and common prompts once, questions and answers as branches."""

from collections.abc import Sequence

from torch import Tensor

from halluc.errors import ModelSupportError
from halluc.models.families.pictures import PICTURES
from halluc.models.families.trees.table import TREES, tree_hooks_for
from halluc.models.lvlm import Lvlm
from halluc.packing.feature_cache import FeatureCache
from halluc.packing.picture_sets import FeatureSource
from halluc.packing.sequence import AnswerLogps, ScoredSequence, require_positive
from halluc.packing.tree_batch import Forest, TreeBatch
from halluc.packing.tree_collate import TreeCollator


class TreeScorer:
    """Compute the same log-probabilities as ``PlainScorer``, with everything shared computed once.

    Adapter dropout is drawn once for a shared prefix, where padded rows draw it for each row: an
    equally valid estimate of the same gradient, not the same numbers. Without dropout both are equal.

    Args:
        lvlm: The model, of a family that can share prefixes.
        tokens_per_tree: Most tokens of one tree, which bounds memory; None sets no bound. A larger tree is
            split into several that each hold the shared prefix.
        tokens_per_forward: Most tokens of small trees that share a forward; None sets no bound. Fewer
            forwards cost less overhead, but dense attention also pays for pairs across trees.
        feature_cache: Where features of a frozen vision tower are kept across batches; None computes
            them once a batch.

    Attributes:
        collator: What ``collate`` calls. Hand this to worker processes that are not forked: it pickles
            without the weights.

    Raises:
        ConfigError: If a bound is not positive.
        ModelSupportError: If the model can't share prefixes.

    Example:
        ``scorer = TreeScorer(lvlm)``; ``scorer(scorer.collate(sequences)).sums()`` are the answers'
        log-probabilities.
    """

    def __init__(
        self,
        lvlm: Lvlm,
        tokens_per_tree: int | None = None,
        tokens_per_forward: int | None = 512,
        feature_cache: FeatureCache | None = None,
    ) -> None:
        require_positive("packing.tokens_per_tree", tokens_per_tree)
        require_positive("packing.tokens_per_forward", tokens_per_forward)
        config = lvlm.hf_model.config
        hooks = tree_hooks_for(config.model_type, lvlm.family)
        obstacle = (
            hooks.obstacle(config) if hooks else f"its model_type is none of {', '.join(sorted(TREES))}"
        )
        if hooks is None or obstacle:
            raise ModelSupportError(
                f"{lvlm.path} ({config.model_type}) can't share prefixes in token trees: {obstacle}. Set "
                "packing=plain, or packing=auto, which chooses."
            )
        self.lvlm = lvlm
        self.hooks = hooks
        self.features = FeatureSource(lvlm, PICTURES[config.model_type], feature_cache)
        self.collator = TreeCollator(
            lvlm.encoder,
            hooks,
            tokens_per_tree=tokens_per_tree,
            tokens_per_forward=tokens_per_forward,
            keyed=feature_cache is not None,
        )

    def collate(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> TreeBatch:
        """Turn sequences into token trees on the CPU.

        Args:
            sequences: Possibly none.
            max_pixels: Overrides the model's own picture bound.

        Raises:
            RecordError: If a text holds one of the tokenizer's control strings; names the id.
            ImageError: If a picture can't be read; names the id.
        """
        return self.collator(sequences, max_pixels)

    def __call__(self, batch: TreeBatch) -> AnswerLogps:
        """Score a batch on the device that it is on.

        Returns:
            Natural log-probabilities in float32; gradients flow unless they are switched off outside.
        """
        forwards = ((self._forward(forest, batch), forest.order) for forest in batch.forests)
        return AnswerLogps.joined(forwards, batch.sequence_index, batch.count)

    def _forward(self, forest: Forest, batch: TreeBatch) -> Tensor:
        vision = [batch.pictures.sizes(index) for index in forest.head_pictures]
        arguments = self.hooks.arguments(self.lvlm.hf_model, forest.tokens(), vision)
        if forest.pictures:
            features = self.features.joined(batch.pictures, forest.pictures)
            at_tokens = self.features.hooks.at_tokens(features, forest.feature_rows)
            arguments |= self.features.hooks.arguments(at_tokens)
        output = self.lvlm.model(**arguments, logits_to_keep=forest.keep, use_cache=False)
        log_softmax = output.logits[0].float().log_softmax(-1)
        logps: Tensor = log_softmax[forest.target_slots, forest.target_ids]
        return logps
