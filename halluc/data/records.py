"""The records that flow through the project: questions, training samples, preferences, predictions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from string import ascii_uppercase

from halluc.errors import RecordError


class AnswerKind(StrEnum):
    """Name how a question wants to be answered."""

    YES_NO = "yes_no"
    TRUE_FALSE = "true_false"
    CHOICE = "choice"
    COUNT = "count"
    TEXT = "text"


class Preparation(StrEnum):
    """Name what a protocol does to pictures before the processor sees them.

    What it comes to depends on the model, which ``halluc.models.picture_preparation`` knows.
    """

    NONE = "none"
    LMMS_EVAL = "lmms_eval"
    SQUARE = "square"


View = tuple[tuple[str, ...], Preparation]
"""Images and their preparation: what equal views show is the same to a model."""


@dataclass(frozen=True, slots=True)
class AnswerSpace:
    """Hold the closed set of answers that a question allows.

    Attributes:
        kind: How the answer is read.
        candidates: Canonical answers: ``("yes", "no")``, ``("T", "F")``, ``("A", "B", …)``,
            ``("1", "2", …)``. Empty for free text.
        options: Option texts of a multiple-choice question, aligned with ``candidates``.
    """

    kind: AnswerKind
    candidates: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @classmethod
    def yes_no(cls) -> "AnswerSpace":
        """Allow "yes" and "no"."""
        return cls(AnswerKind.YES_NO, ("yes", "no"))

    @classmethod
    def true_false(cls) -> "AnswerSpace":
        """Allow "T" and "F"."""
        return cls(AnswerKind.TRUE_FALSE, ("T", "F"))

    @classmethod
    def choice(cls, options: tuple[str, ...]) -> "AnswerSpace":
        """Allow one capital letter an option, from A on."""
        return cls(AnswerKind.CHOICE, tuple(ascii_uppercase[: len(options)]), options)

    @classmethod
    def count(cls, largest: int, smallest: int = 0) -> "AnswerSpace":
        """Allow the whole numbers from ``smallest`` to ``largest``."""
        return cls(AnswerKind.COUNT, tuple(str(n) for n in range(smallest, largest + 1)))

    @classmethod
    def text(cls) -> "AnswerSpace":
        """Allow anything; such a question has no likelihood answer."""
        return cls(AnswerKind.TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Hold one question about zero or more images.

    Attributes:
        id: Unique inside its file or benchmark: ``"<subset>/<published id>"``.
        images: Where each picture is: an absolute path, or a ``data:image/…;base64,…`` URI.
        prompt: The whole user text, answer instruction included; never an image placeholder.
        image_offsets: Character offset in ``prompt`` where each image stands; empty means that
            all of them come before the text.
        space: The answers it allows.
        gold: The right answer, one of ``space.candidates``; None where there is none to compare.
        tags: What scores are grouped by: ``subset``, ``mode``, ``task``, ``attribute``, …
        group: What may not be torn apart when questions are sampled, split or resampled, usually
            the images' names. Two questions with the same group share their images.
        system: System text; empty leaves the model's own default in place.
        preparation: What is done to the images before the processor sees them.
    """

    id: str
    images: tuple[str, ...]
    prompt: str
    space: AnswerSpace
    gold: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    system: str = ""
    image_offsets: tuple[int, ...] = ()
    preparation: Preparation = Preparation.NONE

    def __post_init__(self) -> None:
        """Refuse a gold answer outside the answer space, and offsets that fit no image.

        Raises:
            RecordError: If either is the case; the message names the id.
        """
        if self.gold is not None and self.space.candidates and self.gold not in self.space.candidates:
            allowed = ", ".join(self.space.candidates)
            raise RecordError(f"question {self.id}: gold answer {self.gold!r} is none of {allowed}.")
        if self.image_offsets and len(self.image_offsets) != len(self.images):
            raise RecordError(
                f"question {self.id}: {len(self.images)} images but {len(self.image_offsets)} image offsets."
            )

    @property
    def view(self) -> View:
        """Return what a model sees of the images; equal views share picture tensors and features."""
        return self.images, self.preparation


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Hold a question with the answer to be learnt (supervised fine-tuning).

    Attributes:
        question: What is asked.
        answer: The text to be learnt, as the model shall say it.
        weight: Factor on this sample's loss, finite and positive.
    """

    question: Question
    answer: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Hold a question with a better and a worse answer (preference fine-tuning).

    Attributes:
        question: What is asked.
        chosen: The better answer.
        rejected: The worse answer; may equal ``chosen`` only where ``rejected_images`` is given.
        rejected_images: The images that the worse side is asked about; None means the question's own.
        weight: Factor on this pair's loss, finite and positive.
    """

    question: Question
    chosen: str
    rejected: str
    rejected_images: tuple[str, ...] | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Hold what a model answered to one question.

    Attributes:
        id: The question's id.
        text: The answer as text; for a likelihood answer, the most probable candidate. None if missing.
        parsed: The answer as read, one of the question's candidates, or a count or letter that is none
            of them and so is wrong; None means unparsed.
        probabilities: Candidate to probability, summing to 1 over the answer space; None for free text.
        mass: Probability that the model gave to the whole answer space before normalisation, in [0, 1].
    """

    id: str
    text: str | None
    parsed: str | None = None
    probabilities: Mapping[str, float] | None = None
    mass: float | None = None
