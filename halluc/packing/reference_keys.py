"""Name answers by all that their log-probability depends on, the model's weights aside."""

import hashlib
import json
from collections.abc import Sequence

from halluc.data.images import read_source
from halluc.models.prompts import PromptEncoder
from halluc.packing.sequence import ScoredSequence


class ReferenceKeys:
    """Name answers by content, so that a name means the same in any run.

    A name follows from the bytes of the pictures, their preparation and the processor's settings, and
    from the tokens of the conversation as the chat template writes it. It holds no weights and pickles.

    Args:
        encoder: Tokenisation and picture preparation of the model that is asked.
    """

    def __init__(self, encoder: PromptEncoder) -> None:
        self._encoder = encoder
        self._settings = json.dumps(encoder.processor.to_dict(), sort_keys=True, default=str)

    def __call__(self, sequences: Sequence[ScoredSequence], max_pixels: int | None = None) -> tuple[str, ...]:
        """Return the names, each a hexadecimal SHA-256.

        Args:
            sequences: Questions with answers; each distinct picture is read once.
            max_pixels: Overrides the encoder's own bound of a picture.

        Raises:
            RecordError: If a text holds one of the tokenizer's control strings; names the id.
            ImageError: If a picture can't be read.
        """
        sources = {source for sequence in sequences for source in sequence.question.images}
        pictures = {source: hashlib.sha256(read_source(source)).hexdigest() for source in sources}
        bound = self._encoder.max_pixels if max_pixels is None else max_pixels
        return tuple(self._name(sequence, pictures, bound) for sequence in sequences)

    def _name(self, sequence: ScoredSequence, pictures: dict[str, str], bound: int | None) -> str:
        tokens = self._encoder.encode(
            sequence.question, sequence.answer, ends_turn=sequence.ends_turn, vision=None
        )
        shown = [sequence.question.preparation, *(pictures[source] for source in sequence.question.images)]
        content = [self._settings, bound, shown, tokens.prompt_length, tokens.input_ids]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()
