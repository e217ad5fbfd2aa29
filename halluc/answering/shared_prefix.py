"""Answer by greedy generation, with pictures and common prompt of several questions computed once.

Shape letters: ``R`` questions about the same pictures, ``P`` tokens of their common prefix, ``W`` tokens
of the longest rest of a prompt.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from halluc.answering.generate import GreedyAnswerer, _Prompts
from halluc.data.records import Question, View
from halluc.models.families.prefix_cache import PrefixCache
from halluc.models.families.trees.table import tree_hooks_for
from halluc.models.lvlm import Lvlm
from halluc.packing.prefix_rows import common_length
from halluc.packing.sequence import SequenceScorer

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _SharedPrompts:
    """Hold prompts about the same pictures.

    Attributes:
        places: Place of each question in its batch.
        prefix: The tokens that all begin with, pictures included, shape ``[1, P]``.
        rests: What follows in each, padded on the left, shape ``[R, W]``.
        rests_mask: 1 for tokens and 0 for padding, shape ``[R, W]``.
        vision: Tensors of the pictures; None without any.
    """

    places: Sequence[int]
    prefix: Tensor
    rests: Tensor
    rests_mask: Tensor
    vision: Mapping[str, Tensor] | None


class SharedPrefixAnswerer(GreedyAnswerer):
    """Give the answers of ``GreedyAnswerer``, faster where questions share their pictures.

    The common prefix goes through the model once, its keys and values are copied for every question,
    and the rests of the prompts and the answers follow as rows. Any attention implementation takes
    this, flash attention too. Single questions, and families whose attention depends on more than what
    stands before a token or on distances (Gemma-3, Mllama, PaliGemma), are generated as usual.

    Args:
        lvlm: See ``GreedyAnswerer``, as for the arguments below.
        scorer: Not used.
        batch_size: Number of questions that are prepared together.
        max_new_tokens: Longest answer.
    """

    def __init__(
        self,
        lvlm: Lvlm,
        scorer: SequenceScorer[Any] | None = None,
        *,
        batch_size: int = 16,
        max_new_tokens: int = 128,
    ) -> None:
        super().__init__(lvlm, scorer, batch_size=batch_size, max_new_tokens=max_new_tokens)
        hooks = tree_hooks_for(lvlm.hf_model.config.model_type, lvlm.family)
        self._hooks = hooks if hooks and hooks.continues_from_cache else None
        if self._hooks is None:
            logger.info("%s is asked without sharing prefixes", lvlm.hf_model.config.model_type)

    def _prepare(  # type: ignore[override]  # what it returns only _generate sees
        self, questions: Sequence[Question], max_pixels: int | None
    ) -> list[_Prompts | _SharedPrompts]:
        """Bring questions about the same pictures together; the others stay as they are."""
        groups: dict[View, list[int]] = {}
        for place, question in enumerate(questions):
            groups.setdefault(question.view, []).append(place)
        prepared: list[_Prompts | _SharedPrompts] = []
        single: list[int] = []
        for places in groups.values():
            shared = self._share(questions, places, max_pixels)
            if shared is None:
                single += places
            else:
                prepared.append(shared)
        alone = super()._prepare([questions[place] for place in single], max_pixels)
        return prepared + [replace(each, places=[single[place] for place in each.places]) for each in alone]

    def _share(
        self, questions: Sequence[Question], places: Sequence[int], max_pixels: int | None
    ) -> _SharedPrompts | None:
        if self._hooks is None or len(places) == 1:
            return None
        encoder = self.lvlm.encoder
        vision = encoder.vision(questions[places[0]], max_pixels)
        prompts = [encoder.encode_prompt(questions[place], vision) for place in places]
        length = min(common_length(prompts), min(map(len, prompts)) - 1)
        rests = [prompt[length:] for prompt in prompts]
        picture_token_id = self._hooks.picture_token_id(self.lvlm.processor)
        if length == 0 or any(picture_token_id in rest for rest in rests):
            return None
        width = max(map(len, rests))
        return _SharedPrompts(
            places=places,
            prefix=torch.tensor([prompts[0][:length]]),
            rests=torch.tensor([[*[encoder.pad_id] * (width - len(rest)), *rest] for rest in rests]),
            rests_mask=torch.tensor([[0] * (width - len(rest)) + [1] * len(rest) for rest in rests]),
            vision=vision.tensors if vision else None,
        )

    def _generate(self, prompts: _Prompts | _SharedPrompts) -> Iterator[tuple[int, list[int]]]:
        """Return each prompt's place with the new tokens, up to and including the end of the turn."""
        if isinstance(prompts, _Prompts):
            yield from super()._generate(prompts)
            return
        with torch.no_grad(), self.lvlm.evaluating():
            rows = self._continue(prompts)
        ends = self._ends()
        for place, row in zip(prompts.places, rows, strict=True):
            end = next((index for index, token in enumerate(row) if token in ends), len(row) - 1)
            yield place, row[: end + 1]

    def _continue(self, prompts: _SharedPrompts) -> list[list[int]]:
        """Generate for all prompts until each has ended or is too long."""
        assert self._hooks is not None
        device = self.lvlm.device
        position, cache = self._prefix(prompts)
        tokens, new_mask = prompts.rests.to(device), prompts.rests_mask.to(device)
        mask = torch.cat([new_mask.new_ones(len(tokens), prompts.prefix.shape[1]), new_mask], 1)
        positions = (position + new_mask.cumsum(1) - 1).clamp(min=0)
        ends = torch.tensor(self._ends(), device=device)
        ended = torch.zeros(len(tokens), dtype=torch.bool, device=device)
        generated: list[Tensor] = []
        while len(generated) < self.max_new_tokens and not bool(ended.all()):
            output = self.lvlm.model(
                input_ids=tokens,
                attention_mask=mask,
                position_ids=self._hooks.text_positions(positions),
                logits_to_keep=1,
                **cache.arguments(),
            )
            tokens = output.logits[:, -1].argmax(-1, keepdim=True)
            generated.append(tokens)
            ended |= torch.isin(tokens[:, 0], ends)
            mask = torch.cat([mask, mask.new_ones(len(mask), 1)], 1)
            positions = positions[:, -1:] + 1
        return torch.cat(generated, 1).tolist()

    def _prefix(self, prompts: _SharedPrompts) -> tuple[Tensor, PrefixCache]:
        """Return the position that follows the prefix, and a cache that holds it for all prompts."""
        cache = PrefixCache(self.lvlm.hf_model)
        device = self.lvlm.device
        prefix = prompts.prefix.to(device)
        mask = torch.ones_like(prefix)
        vision = {name: tensor.to(device) for name, tensor in (prompts.vision or {}).items()}
        lengths = torch.tensor([prefix.shape[1]], device=device)
        inputs = self.lvlm.inputs(prefix, mask, lengths, [vision] if vision else [])
        positions = self.lvlm.family.position_ids(self.lvlm.hf_model, prefix, mask, inputs)
        self.lvlm.model(**inputs, position_ids=positions, logits_to_keep=1, **cache.arguments())
        return positions.max() + 1, cache.repeated(len(prompts.places))
