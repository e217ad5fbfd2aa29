"""Recognition across pictures, taught at the cells of the second picture themselves.

Whether a thing has the colour that it had in the picture before is asked by few questions, and a small model
learns to answer them late, suddenly, or never. So each cell of the second picture is itself told to say
"yes" or "no": that is many answers a step, right where the two pictures meet. Nobody reads them later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from halluc.miniworld.lessons.pair_lessons import reappearances
from halluc.miniworld.pretraining.fast_forward import cell_place
from halluc.miniworld.pretraining.tokenizer import TextEncoder
from halluc.miniworld.scenes.facts import Facts
from halluc.miniworld.scenes.scene import Scene


@dataclass(frozen=True, slots=True)
class Recognitions:
    """Hold which cells say whether they show something again.

    Attributes:
        slots: Shape ``[M]``: positions in the concatenation of the rows' prefixes.
        targets: Shape ``[M]``: the token to be predicted there, "yes" or "no".
    """

    slots: Tensor
    targets: Tensor


def recognitions(rows: Sequence[Sequence[Scene]], encode: TextEncoder) -> Recognitions:
    """Find the things that occur once in both pictures of a row; rows of one picture have none.

    Args:
        rows: The pictures of each row, of equal numbers.
        encode: For the ids of the two answers.
    """
    slots, targets = [], []
    for number, scenes in enumerate(rows):
        if len(scenes) < 2:
            continue
        first, second = (Facts(scene) for scene in scenes[:2])
        for cell, again in reappearances((first, second)):
            slots.append(cell_place(number, len(scenes), picture=1, cell=cell))
            targets.append(encode("yes" if again else "no")[0])
    return Recognitions(torch.tensor(slots, dtype=torch.long), torch.tensor(targets, dtype=torch.long))
