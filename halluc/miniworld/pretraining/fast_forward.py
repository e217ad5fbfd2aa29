"""An exact, fast forward of the small Qwen2-VL for pretraining on a CPU.

Same weights and same mathematics as the Hugging Face forward (a test compares them), in the shape
that pretraining needs: square pictures of 9 merged tokens, branches in blocks by length, logits at
the targets only. Shape letters: ``S`` pictures, ``R`` rows, ``I`` pictures a row, ``D`` hidden size,
``H`` heads, ``N`` branches of a block, ``L`` tokens, ``P`` prefix tokens.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812  (the name that everybody uses)
from transformers import Qwen2VLForConditionalGeneration

from halluc.miniworld.pretraining.branches import Branches
from halluc.miniworld.pretraining.tokenizer import USER, VISION_END, VISION_START, TextEncoder
from halluc.miniworld.scenes.drawing import GRID, FloatArray

PATCHES = 4 * GRID * GRID
"""Patches a picture: 2 x 2 a cell."""

IMAGE_TOKENS = GRID * GRID
Rotary = tuple[Tensor, Tensor]


def patches(cells: FloatArray) -> Tensor:
    """Turn painted cells ``[S, 9, 28, 28, 3]`` into normalised patches of one frame, ``[S, 36, 588]``."""
    scaled = torch.from_numpy(cells) / 127.5 - 1
    split = scaled.view(-1, 2, 14, 2, 14, 3).permute(0, 1, 3, 5, 2, 4)
    return split.reshape(len(cells), PATCHES, 588)


def vision_features(model: Qwen2VLForConditionalGeneration, patches: Tensor) -> Tensor:
    """Encode pictures.

    Args:
        model: The model.
        patches: Shape ``[S, 36, 588]``. A still picture is two equal frames, so the kernels of both
            frames are added instead.

    Returns:
        Shape ``[S, 9, D]``.
    """
    tower = model.model.visual
    kernel = tower.patch_embed.proj.weight.sum(2)
    x = F.linear(patches, kernel.reshape(len(kernel), -1))
    heads = model.config.vision_config.num_heads
    rotary = _vision_rotary(x.shape[-1] // heads)
    for block in tower.blocks:
        q, k, v = block.attn.qkv(block.norm1(x)).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = _attend(_rotate(q, rotary), _rotate(k, rotary), v)
        x = x + block.attn.proj(mixed.transpose(1, 2).flatten(2))
        x = x + block.mlp(block.norm2(x))
    merged = tower.merger(x.reshape(len(x) * PATCHES, -1))
    features: Tensor = merged.view(len(x), IMAGE_TOKENS, -1)
    return features


def branch_logits(
    model: Qwen2VLForConditionalGeneration,
    features: Tensor,
    branches: Branches,
    encode: TextEncoder,
    prefix_slots: Tensor | None = None,
) -> Tensor:
    """Compute logits at the branches' slots, and behind them those at some slots of the prefixes.

    Args:
        model: The model.
        features: Shape ``[R, I, 9, D]``.
        branches: The questions.
        encode: For the ids of the control tokens.
        prefix_slots: Shape ``[M]``, positions in the concatenation of the rows' prefixes; None takes none.

    Returns:
        Shape ``[T + M, vocabulary]``, float32.
    """
    decoder = model.model.language_model
    prefix = _prefix(decoder.embed_tokens, features, encode)
    dims = [(len(x), x.shape[1]) for x in (prefix, *(block.input_ids for block in branches.blocks))]
    rotary = _text_rotary(model, _positions(features.shape[1], dims))
    texts = [decoder.embed_tokens(block.input_ids).flatten(0, 1) for block in branches.blocks]
    x = torch.cat([prefix.flatten(0, 1), *texts])
    for number, layer in enumerate(decoder.layers):
        mixed = _attention(layer, x, branches, dims, rotary)
        if number == len(decoder.layers) - 1:
            kept = branches.slots + prefix.shape[0] * prefix.shape[1]
            if prefix_slots is not None:
                kept = torch.cat([kept, prefix_slots])
            mixed, x = mixed[kept], x[kept]
        x = x + layer.self_attn.o_proj(mixed)
        x = x + layer.mlp(_norm(layer.post_attention_layernorm, x))
    return F.linear(_norm(decoder.norm, x), decoder.embed_tokens.weight).float()


def _attention(
    layer: Any,  # noqa: ANN401  # a layer of transformers, which is untyped
    x: Tensor,
    branches: Branches,
    dims: Sequence[tuple[int, int]],
    rotary: Rotary,
) -> Tensor:
    """Attend from the prefix to itself, and from each branch to its row's prefix and to itself."""
    attn = layer.self_attn
    weight = torch.cat([attn.q_proj.weight, attn.k_proj.weight, attn.v_proj.weight])
    bias = torch.cat([attn.q_proj.bias, attn.k_proj.bias, attn.v_proj.bias])
    joint = F.linear(_norm(layer.input_layernorm, x), weight, bias)
    joint = joint.view(len(x), 3, -1, attn.head_dim)
    sizes = [rows * length for rows, length in dims]
    turned, plain = torch.split(_rotate(joint[:, :2], rotary), sizes), torch.split(joint[:, 2], sizes)
    pieces = zip(turned, plain, dims, strict=True)
    parts = [
        (*torch.unflatten(qk, 0, d).permute(2, 0, 3, 1, 4), torch.unflatten(v, 0, d).transpose(1, 2))
        for qk, v, d in pieces
    ]
    (prefix_q, prefix_k, prefix_v), *rest = parts
    mixed = [_attend(prefix_q, prefix_k, prefix_v, causal=True)]
    for block, (q, k, v) in zip(branches.blocks, rest, strict=True):
        seen_k = torch.cat([prefix_k[block.rows], k], 2)
        seen_v = torch.cat([prefix_v[block.rows], v], 2)
        mixed.append(_attend(q, seen_k, seen_v, causal=True))
    return torch.cat([m.transpose(1, 2).flatten(2).flatten(0, 1) for m in mixed])


def _prefix(embed: torch.nn.Embedding, features: Tensor, encode: TextEncoder) -> Tensor:
    """Embed the user token and the pictures, shape ``[R, P, D]``."""
    rows, count = features.shape[:2]
    user, start, end = (
        embed(torch.tensor(encode(token))).expand(rows, 1, -1) for token in (USER, VISION_START, VISION_END)
    )
    pictures = [part for index in range(count) for part in (start, features[:, index].float(), end)]
    return torch.cat([user, *pictures], 1)


def cell_place(row: int, pictures: int, *, picture: int, cell: int) -> int:
    """Return where a cell of a picture lies in the concatenation of the rows' prefixes."""
    around = IMAGE_TOKENS + 2
    return row * (1 + pictures * around) + 1 + picture * around + 1 + cell


@lru_cache(maxsize=8)
def prefix_positions(count: int) -> tuple[Tensor, int]:
    """Return M-RoPE positions of user token and pictures, shape ``[3, P]``, and the next free one."""
    rows = [(0, 0, 0)]
    start = 1
    for _ in range(count):
        rows.append((start,) * 3)
        rows += [
            (start + 1, start + 1 + cell // GRID, start + 1 + cell % GRID) for cell in range(IMAGE_TOKENS)
        ]
        rows.append((start + 1 + GRID,) * 3)
        start += GRID + 2
    return torch.tensor(rows).T, start


def _positions(count: int, dims: Sequence[tuple[int, int]]) -> Tensor:
    """Return the positions of the prefixes and of all branches in a row, shape ``[3, tokens]``."""
    prefix, start = prefix_positions(count)
    texts = [torch.arange(start, start + length).repeat(rows).expand(3, -1) for rows, length in dims[1:]]
    return torch.cat([prefix.repeat(1, dims[0][0]), *texts], 1)


def _text_rotary(model: Qwen2VLForConditionalGeneration, positions: Tensor) -> Rotary:
    """Return cosine and sine of M-RoPE, each ``[tokens, 1, 1, half a head]``."""
    sections = model.config.text_config.rope_parameters["mrope_section"]
    angles = positions[..., None].float() * model.model.language_model.rotary_emb.inv_freq
    chosen = torch.cat([part[index % 3] for index, part in enumerate(angles.split(sections, -1))], -1)
    return chosen.cos()[:, None, None], chosen.sin()[:, None, None]


@lru_cache(maxsize=4)
def _vision_angles(head_size: int) -> Tensor:
    cells = torch.arange(IMAGE_TOKENS).repeat_interleave(4)
    inside = torch.arange(4).repeat(IMAGE_TOKENS)
    down, right = cells // GRID * 2 + inside // 2, cells % GRID * 2 + inside % 2
    half = head_size // 2
    inverse = 10000.0 ** -(torch.arange(0, half, 2).float() / half)
    return torch.cat([down[:, None] * inverse, right[:, None] * inverse], -1)


def _vision_rotary(head_size: int) -> Rotary:
    angles = _vision_angles(head_size)
    return angles.cos(), angles.sin()


def _rotate(x: Tensor, rotary: Rotary) -> Tensor:
    cos, sin = rotary
    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def _attend(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """Attend with plain batched products, which beat the fused kernels at these sizes.

    Args:
        q: Shape ``[N, H, L, head]``.
        k: Shape ``[N, H, K, head]``; the last L keys are the queries' own places.
        v: Shape of ``k``.
        causal: Whether a query sees no later place.
    """
    shape, scale = q.shape, q.shape[-1] ** -0.5
    q, k, v = q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1)
    mask = _causal(q.shape[1], k.shape[1]) if causal else q.new_zeros(())
    scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
    return torch.bmm(scores.softmax(-1), v).view(shape)


@lru_cache(maxsize=64)
def _causal(queries: int, keys: int) -> Tensor:
    return torch.full((queries, keys), -1e4).triu(keys - queries + 1)


class _RootMeanSquareNorm(torch.autograd.Function):
    """RMSNorm with a backward of few passes; the composite one of torch dominates at these sizes."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:  # noqa: ANN401  # torch makes it
        norm = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        inverse = torch.rsqrt(norm.square() / x.shape[-1] + eps)
        unit = x * inverse
        ctx.save_for_backward(unit, weight, inverse)
        return unit * weight

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:  # noqa: ANN401  # torch makes it
        unit, weight, inverse = ctx.saved_tensors
        scaled = grad * weight
        along = (scaled * unit).mean(-1, keepdim=True)
        weight_grad = (grad * unit).sum(0)
        return torch.addcmul(scaled, unit, along, value=-1).mul_(inverse), weight_grad, None


def _norm(module: Any, x: Tensor) -> Tensor:  # noqa: ANN401  # a norm layer of transformers, which is untyped
    """Normalise the rows of ``[tokens, D]``."""
    normed: Tensor = _RootMeanSquareNorm.apply(x, module.weight, module.variance_epsilon)
    return normed
