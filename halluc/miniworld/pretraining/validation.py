"""How well the model answers honest questions about pictures that pretraining never shows."""

import random
from collections.abc import Callable

import numpy as np
import torch
from transformers import Qwen2VLForConditionalGeneration

from halluc.miniworld.lessons import curriculum
from halluc.miniworld.pretraining.architecture import HIDDEN
from halluc.miniworld.pretraining.branches import pack_branches
from halluc.miniworld.pretraining.fast_forward import IMAGE_TOKENS, branch_logits, patches, vision_features
from halluc.miniworld.pretraining.tokenizer import TextEncoder
from halluc.miniworld.scenes.drawing import Painter

SEED = 777
BATCH_ROWS = 16


class Validation:
    """Ask a fixed set of questions: evaluation scenes, in drawings of their own.

    Args:
        encode: The tokenizer.
        pictures: Number of pictures, and half as many sequences of two.
    """

    def __init__(self, encode: TextEncoder, pictures: int) -> None:
        self._encode = encode
        self._painter = Painter(SEED, variants=4)
        self._batches = [
            draw(random.Random(f"{SEED}-{number}"), min(pictures, BATCH_ROWS))
            for draw, batches in _plan(pictures)
            for number in range(batches)
        ]

    @torch.no_grad()
    def __call__(self, model: Qwen2VLForConditionalGeneration) -> dict[str, float]:
        """Return the accuracy of the first answer token for each kind of question, a fraction."""
        right: dict[str, list[bool]] = {}
        rng = np.random.default_rng(SEED)
        for pictures, rows in self._batches:
            cells = self._painter.cells([scene for row in pictures for scene in row], rng)
            features = vision_features(model, patches(cells)).view(len(pictures), -1, IMAGE_TOKENS, HIDDEN)
            branches = pack_branches(rows, self._encode)
            first = branches.first_targets()
            logits = branch_logits(model, features, branches, self._encode)[first]
            hits = logits.argmax(-1) == branches.targets[first]
            names = [lesson.name for row in rows for lesson in row]
            for name, hit in zip(names, hits.tolist(), strict=True):
                right.setdefault(name, []).append(hit)
        return {name: sum(hits) / len(hits) for name, hits in sorted(right.items())}


def _plan(pictures: int) -> list[tuple[Callable[[random.Random, int], curriculum.Rows], int]]:
    single = max(1, pictures // BATCH_ROWS)
    return [(curriculum.validation_rows, single), (curriculum.pair_validation_rows, max(1, single // 2))]
