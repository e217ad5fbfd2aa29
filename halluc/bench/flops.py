"""Count floating-point operations: what is needed at least, whatever a kernel spends on top.

A multiplication and an addition are two operations. The decoder's base weights are frozen, so a
backward pass through a linear layer costs as much as the forward pass (the gradient of its input), and
through attention twice as much. Norms, activations and the optimizer are left out.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from halluc.models.lvlm import Lvlm
from halluc.packing.picture_sets import FeatureSource, PictureSets
from halluc.packing.plain import PlainBatch
from halluc.packing.tree import allowed_attention
from halluc.packing.tree_batch import TreeBatch


@dataclass(frozen=True, slots=True)
class Work:
    """Hold what one pass through the decoder has to do.

    Attributes:
        tokens: Tokens that go through it.
        pairs: Pairs of a token and a token that it attends to.
        kept: Tokens that get logits.
        rows: Prompts whose pictures are encoded if nothing is shared.
    """

    tokens: int
    pairs: int
    kept: int
    rows: int


@dataclass(frozen=True, slots=True)
class ModelCost:
    """Hold the operations of a model.

    Attributes:
        token: Of all linear layers of the decoder, a token.
        pair: Of all attention layers, a pair of tokens.
        logits: Of the output layer, a token.
        picture: Of vision tower and projector, a picture.
    """

    token: float
    pair: float
    logits: float
    picture: float

    def forward(self, work: Work) -> float:
        """Count a forward pass without pictures."""
        return self.token * work.tokens + self.pair * work.pairs + self.logits * work.kept

    def forward_backward(self, work: Work) -> float:
        """Count a forward and a backward pass without pictures."""
        return self.forward(work) + self.backward(work)

    def backward(self, work: Work) -> float:
        """Count a backward pass with frozen base weights."""
        return self.token * work.tokens + 2 * self.pair * work.pairs + self.logits * work.kept


def rows_work(batch: PlainBatch) -> Work:
    """Count what padded rows need, padding aside."""
    lengths = [int(n) for rows in batch.forwards for n in rows.attention_mask.sum(1)]
    kept = sum(
        len(set(zip(rows.target_rows.tolist(), rows.target_slots.tolist(), strict=True)))
        for rows in batch.forwards
    )
    return Work(sum(lengths), sum(n * (n + 1) // 2 for n in lengths), kept, len(lengths))


def trees_work(batch: TreeBatch) -> Work:
    """Count what token trees need."""
    forests = batch.forests
    return Work(
        sum(len(forest.input_ids) for forest in forests),
        sum(int(allowed_attention(forest.subtree_end).sum()) for forest in forests),
        sum(len(forest.keep) for forest in forests),
        len(batch.pictures.tensors),
    )


def model_cost(lvlm: Lvlm, pictures: PictureSets, source: FeatureSource) -> ModelCost:
    """Count the operations of a model.

    Args:
        lvlm: The model.
        pictures: A batch about one picture, on the model's device.
        source: Encodes it, without a cache.
    """
    model = lvlm.hf_model
    decoder = lvlm.family.decoder(model)
    text = model.config.get_text_config()
    head_dim = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    linear = sum(m.weight.numel() for m in decoder.modules() if isinstance(m, nn.Linear))
    # Fused attention is not counted by PyTorch on every device, its plain form is.
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH), torch.no_grad():
        source.joined(PictureSets(pictures.tensors, ()), [0])
    return ModelCost(
        token=2.0 * linear,
        pair=4.0 * text.num_attention_heads * head_dim * text.num_hidden_layers,
        logits=2.0 * text.hidden_size * text.vocab_size,
        picture=float(counter.get_total_flops()),
    )
