"""How difficult a MiniWorld data set is, and how large."""

from dataclasses import dataclass

from halluc.errors import UnknownOptionError
from halluc.miniworld.scenes.inventory import KINDS, RARE_KINDS
from halluc.miniworld.scenes.scene import SceneStyle

COMMON_KINDS = tuple(kind for kind in KINDS if kind not in RARE_KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Hold the sizes and styles of a data set.

    Attributes:
        style: Of pictures that are evaluated; mates are often missing, else POPE's adversarial
            negatives would not be mates.
        pair_style: Of the sequences' first pictures, in training and evaluation.
        unusual_style: Of counter-common-sense pictures, and of half of the training pictures.
        pope_images: Pictures of POPE, six questions each and subset.
        phd_images: Pictures of PhD's base, sec and icc modes.
        unusual_images: Counter-common-sense pictures a task.
        sequences: Gated sequences of two pictures.
        comparisons: Sequences of three pictures to compare, four questions each.
        text_images: Pictures of the long texts, ten questions each, and as many to be described.
        detail_images: Pictures of details, for each of the two categories.
        choice_images: Pictures of the multiple-choice questions.
        training_images: Pictures to train on.
        training_sequences: Sequences to train on.
        unasked_kinds: Kinds that no training question names.
        leave_out: Modes of PhD that training has no rows of: ``sec``, ``icc`` or ``ccs``. Without ``ccs``,
            no training picture is drawn to contradict common sense.
    """

    style: SceneStyle
    pair_style: SceneStyle
    unusual_style: SceneStyle
    pope_images: int = 76
    phd_images: int = 36
    unusual_images: int = 30
    sequences: int = 220
    comparisons: int = 40
    text_images: int = 40
    detail_images: int = 60
    choice_images: int = 40
    training_images: int = 240
    training_sequences: int = 400
    unasked_kinds: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()


LEVELS: dict[str, Level] = {
    "normal": Level(
        style=SceneStyle(kinds=COMMON_KINDS, smallest=3, largest=5, mate=0.4, canonical=0.8, duplicate=0.4),
        pair_style=SceneStyle(
            kinds=COMMON_KINDS, smallest=2, largest=4, mate=0.4, canonical=0.5, duplicate=0.5
        ),
        unusual_style=SceneStyle(kinds=COMMON_KINDS, smallest=3, largest=5, mate=0.3, canonical=0.1),
    ),
    "hard": Level(
        style=SceneStyle(
            smallest=5, largest=7, mate=0.4, canonical=0.8, duplicate=0.5, clutter=0.7, flat=True
        ),
        pair_style=SceneStyle(
            smallest=4, largest=5, mate=0.4, canonical=0.5, duplicate=0.5, clutter=0.7, flat=True
        ),
        unusual_style=SceneStyle(smallest=5, largest=7, mate=0.3, canonical=0.1, clutter=0.7, flat=True),
        training_images=60,
        training_sequences=30,
        unasked_kinds=("fork", "spoon", "boat", "anchor", "lock"),
    ),
}
"""``normal`` is cured in minutes; ``hard`` has more kinds, crowded and cluttered pictures, few training
rows, and kinds that training never asks about, so it leaves headroom."""


def find_level(name: str) -> Level:
    """Return a level by name.

    Raises:
        UnknownOptionError: If there is no such level.
    """
    if name not in LEVELS:
        raise UnknownOptionError("data.level", name, LEVELS)
    return LEVELS[name]
