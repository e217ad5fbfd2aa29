"""What a benchmark is: questions, a reader of answers, and scores."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from halluc.data.records import Prediction, Preparation, Question


class Benchmark(Protocol):
    """Ask questions and score their answers; knows no model.

    Implementations are built from YAML by their dotted path and read their files on first use.

    Attributes:
        profile: Name of the answer reader: ``strict``, ``official``, ``lmms_eval`` or ``vlmevalkit``.
        prompt_profile: Name of the prompt form; a result names both.
        max_pixels: Pixel bound of this benchmark's pictures; None takes the model's own.
        preparation: What the prompt form's protocol does to pictures; its questions carry it.
    """

    profile: str
    prompt_profile: str
    max_pixels: int | None
    preparation: Preparation

    def questions(self) -> Sequence[Question]:
        """Return every question, in published order; ids are unique."""
        ...

    def due(self, questions: Sequence[Question], predictions: Mapping[str, Prediction]) -> Sequence[Question]:
        """Return which of the questions to ask next; nothing once all is asked that is to be.

        Args:
            questions: What is to be asked, in published order.
            predictions: Question id to prediction, so far.
        """
        ...

    def read(self, question: Question, text: str) -> str | None:
        """Read a response under this benchmark's profile; None means unparsed."""
        ...

    def score(self, predictions: Sequence[Prediction]) -> dict[str, float]:
        """Score the given predictions (any subset of the questions, matched by id).

        Returns:
            Keys without the benchmark's prefix; no key for what is undefined.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
        """
        ...
