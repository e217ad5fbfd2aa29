"""Stage 0 of pretraining: every cell's vision feature is classified against the words' embeddings.

The embeddings are random and frozen, so the tower learns to speak the decoder's language before the
decoder learns anything; without this stage the decoder hardly starts to learn.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812  (the name that everybody uses)

from halluc.miniworld.lessons.wording import NOTHING
from halluc.miniworld.pretraining.tokenizer import TextEncoder
from halluc.miniworld.scenes.inventory import COLOR_NAMES, COLUMNS, KINDS, MOODS, ROWS, SIZES
from halluc.miniworld.scenes.scene import Scene, SceneStyle

ASPECTS: tuple[tuple[str, ...], ...] = ((*KINDS, NOTHING), COLOR_NAMES, SIZES, ROWS, COLUMNS, MOODS)
"""What a feature has to tell: kind (or nothing), colour, size, row, column, mood."""

ASPECT_NAMES = ("kind", "color", "size", "row", "column", "mood")
STYLE = SceneStyle(smallest=4, largest=7, mate=0.0, canonical=0.0, clutter=0.3, flat=True)
SHARPNESS = 16.0
"""Factor on the logits; features need not be long to be sure."""


def cell_targets(scenes: Sequence[Scene]) -> Tensor:
    """Say what is in each cell.

    Returns:
        Shape ``[S * 9, 6]``: for each aspect the index of its word, -100 where it does not apply.
    """
    return torch.tensor([_targets(scene, cell) for scene in scenes for cell in range(len(scene.things))])


def alignment_loss(
    features: Tensor, embeddings: Tensor, targets: Tensor, encode: TextEncoder
) -> tuple[Tensor, dict[str, float]]:
    """Compare features with the words of each aspect.

    Args:
        features: Shape ``[S, 9, D]``.
        embeddings: Shape ``[vocabulary, D]``.
        targets: Shape ``[S * 9, 6]``, as from ``cell_targets``.
        encode: For the words' ids; each is one token.

    Returns:
        The sum of the aspects' mean cross-entropies, and each aspect's accuracy.
    """
    scores = features.flatten(0, 1).float() @ embeddings.float().T * SHARPNESS
    loss, accuracy = scores.new_zeros(()), {}
    for words, name, wanted in zip(ASPECTS, ASPECT_NAMES, targets.T, strict=True):
        ids = torch.tensor([encode(word)[0] for word in words])
        applies = wanted >= 0
        if applies.any():
            logits, labels = scores[applies][:, ids], wanted[applies]
            loss = loss + F.cross_entropy(logits, labels)
            accuracy[name] = float((logits.argmax(1) == labels).float().mean())
    return loss, accuracy


def _targets(scene: Scene, cell: int) -> list[int]:
    thing = scene.things[cell]
    place = list(divmod(cell, len(COLUMNS)))
    if thing is None:
        return [len(KINDS), -100, -100, *place, -100]
    mood = MOODS.index(thing.mood) if thing.mood else -100
    return [KINDS.index(thing.kind), COLOR_NAMES.index(thing.color), SIZES.index(thing.size), *place, mood]
