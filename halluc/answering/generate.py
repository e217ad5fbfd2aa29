"""Answer by greedy generation, as published protocols do."""

import logging
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig

from halluc.answering.prefetch import prefetched
from halluc.data.records import Prediction, Question, View
from halluc.errors import ConfigError
from halluc.models.families.base import VisionInputs
from halluc.models.lvlm import Lvlm
from halluc.packing.sequence import SequenceScorer

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Prompts:
    """Hold prompts that one generation takes together, padded on the left, shape ``[R, L]``."""

    places: Sequence[int]
    input_ids: Tensor
    attention_mask: Tensor
    vision: Sequence[Mapping[str, Tensor]]


class GreedyAnswerer:
    """Answer with the most probable next token again and again; the caller reads the text.

    Nothing but the logits decides: penalties and samplers of published generation configs (Qwen2-VL:
    ``repetition_penalty``, ``top_k``, ``temperature``) are off.

    Args:
        lvlm: The model; evaluation mode is set while it answers.
        scorer: Not used; both answerers are built from the same two parts.
        batch_size: Number of questions a generation.
        max_new_tokens: Longest answer; a longer one is cut there, and counted in a warning.

    Raises:
        ConfigError: If a number is not positive.
    """

    def __init__(
        self,
        lvlm: Lvlm,
        scorer: SequenceScorer[Any] | None = None,
        *,
        batch_size: int = 16,
        max_new_tokens: int = 128,
    ) -> None:
        del scorer
        if batch_size < 1 or max_new_tokens < 1:
            raise ConfigError(
                f"answering has batch_size={batch_size}, max_new_tokens={max_new_tokens}. "
                "Give positive numbers."
            )
        self.lvlm = lvlm
        self.batch_size = batch_size
        self.max_new_tokens = max_new_tokens

    def answer(self, questions: Sequence[Question], max_pixels: int | None = None) -> Iterator[Prediction]:
        """Yield one prediction a question, in order, with ``text`` and nothing else.

        Args:
            questions: Of any answer space; answers don't depend on their order or on ``batch_size``.
            max_pixels: Overrides the model's own picture bound.
        """
        starts = range(0, len(questions), self.batch_size)
        batches = (questions[start : start + self.batch_size] for start in starts)
        cut = 0
        for batch, groups in prefetched(
            lambda batch: (batch, self._prepare(batch, max_pixels)), batches, self.lvlm.device
        ):
            rows = dict(pair for prompts in groups for pair in self._generate(prompts))
            cut += sum(
                len(row) == self.max_new_tokens and row[-1] not in self._ends() for row in rows.values()
            )
            for place, question in enumerate(batch):
                text = self.lvlm.processor.tokenizer.decode(rows[place], skip_special_tokens=True)
                yield Prediction(id=question.id, text=text.strip())
        if cut:
            logger.warning(
                "%d of %d answers were cut at max_new_tokens=%d", cut, len(questions), self.max_new_tokens
            )

    def _prepare(self, questions: Sequence[Question], max_pixels: int | None) -> list[_Prompts]:
        """Encode prompts, and group them by what one forward can take."""
        encoder = self.lvlm.encoder
        visions: dict[View, VisionInputs | None] = {}
        groups: dict[Hashable, list[tuple[int, tuple[int, ...], VisionInputs | None]]] = {}
        for place, question in enumerate(questions):
            if question.view not in visions:
                visions[question.view] = encoder.vision(question, max_pixels)
            vision = visions[question.view]
            row = (place, encoder.encode_prompt(question, vision), vision)
            groups.setdefault(encoder.family.layout(vision), []).append(row)
        return [_pad_left(rows, encoder.pad_id) for rows in groups.values()]

    def _generate(self, prompts: _Prompts) -> Iterator[tuple[int, list[int]]]:
        """Return each prompt's place with the new tokens, up to and including the end of the turn."""
        device = self.lvlm.device
        input_ids = prompts.input_ids.to(device)
        width = input_ids.shape[1]
        with torch.no_grad(), self.lvlm.evaluating():
            inputs = self.lvlm.inputs(
                input_ids,
                prompts.attention_mask.to(device),
                torch.full((len(input_ids),), width, device=device),
                [{name: tensor.to(device) for name, tensor in seen.items()} for seen in prompts.vision],
            )
            output = self.lvlm.hf_model.generate(**inputs, generation_config=self._config())
        ends = self._ends()
        for place, row in zip(prompts.places, output[:, width:].tolist(), strict=True):
            end = next((index for index, token in enumerate(row) if token in ends), len(row) - 1)
            yield place, row[: end + 1]

    def _ends(self) -> list[int]:
        """Token ids that end an answer: the end of the turn, and what the checkpoint names."""
        named = self.lvlm.hf_model.generation_config.eos_token_id
        named = [named] if isinstance(named, int) else list(named or [])
        return sorted({self.lvlm.encoder.end_of_turn_id, *named})

    def _config(self) -> GenerationConfig:
        """Say what could move greedy decoding; the loader already dropped a checkpoint's own settings."""
        return GenerationConfig(
            max_new_tokens=self.max_new_tokens,
            do_sample=False,
            num_beams=1,
            repetition_penalty=1.0,
            no_repeat_ngram_size=0,
            eos_token_id=self._ends(),
            pad_token_id=self.lvlm.encoder.pad_id,
        )


def _pad_left(rows: Sequence[tuple[int, tuple[int, ...], VisionInputs | None]], pad_id: int) -> _Prompts:
    width = max(len(ids) for _, ids, _ in rows)
    return _Prompts(
        places=[place for place, _, _ in rows],
        input_ids=torch.tensor([[*[pad_id] * (width - len(ids)), *ids] for _, ids, _ in rows]),
        attention_mask=torch.tensor([[0] * (width - len(ids)) + [1] * len(ids) for _, ids, _ in rows]),
        vision=[vision.tensors for _, _, vision in rows if vision is not None],
    )
