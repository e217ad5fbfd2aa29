"""What every way has to compute: k questions about each picture, with a right and a wrong answer."""

from dataclasses import dataclass
from itertools import cycle, islice, product
from pathlib import Path

import numpy as np
from PIL import Image

from halluc.data.records import AnswerSpace, Question
from halluc.packing.sequence import ScoredSequence

THINGS = ("circle", "square", "kite", "lamp", "boat", "tree", "mug", "cat", "door", "key", "drum", "leaf")
COLOURS = ("red", "green", "blue", "black", "white", "yellow", "grey", "brown")


@dataclass(frozen=True, slots=True)
class Workload:
    """Hold the questions about one picture.

    Attributes:
        questions: Yes/no questions, worded as POPE words them.
        chosen: The right answer to each, ``Yes`` or ``No``.
    """

    questions: tuple[Question, ...]
    chosen: tuple[str, ...]

    @property
    def rejected(self) -> tuple[str, ...]:
        """The wrong answer to each question."""
        return tuple("No" if answer == "Yes" else "Yes" for answer in self.chosen)

    def samples(self) -> list[ScoredSequence]:
        """Return what supervised fine-tuning scores."""
        return [ScoredSequence(q, a) for q, a in zip(self.questions, self.chosen, strict=True)]

    def pairs(self) -> list[ScoredSequence]:
        """Return what preference fine-tuning scores: all chosen, then all rejected."""
        rejected = [ScoredSequence(q, a) for q, a in zip(self.questions, self.rejected, strict=True)]
        return [*self.samples(), *rejected]

    def candidates(self) -> list[ScoredSequence]:
        """Return what evaluation scores: each question's candidates as beginnings of an answer."""
        return [ScoredSequence(q, a, ends_turn=False) for q in self.questions for a in ("Yes", "No")]


def draw_workload(folder: Path, *, k: int, image_px: int, seed: int = 0) -> Workload:
    """Draw a noise picture and write k different questions about it.

    Args:
        folder: Where the picture is written.
        k: Number of questions.
        image_px: Side of the picture, in pixels.
        seed: Seed of picture and answers.
    """
    random = np.random.default_rng(seed)
    path = folder / f"{image_px}_{seed}.png"
    Image.fromarray(random.integers(0, 256, (image_px, image_px, 3), dtype=np.uint8)).save(path)
    objects = islice(cycle(product(COLOURS, THINGS)), seed, seed + k)
    questions = tuple(
        Question(
            id=f"{seed}/{number}",
            images=(str(path),),
            prompt=f"Is there a {colour} {thing} in the picture? Please answer yes or no.",
            space=AnswerSpace.yes_no(),
        )
        for number, (colour, thing) in enumerate(objects)
    )
    return Workload(questions, tuple(str(answer) for answer in random.choice(["Yes", "No"], k)))
