"""What two scorers give for one batch, and how far they lie apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from halluc.data.records import AnswerSpace, Question
from halluc.losses.cross_entropy import cross_entropy
from halluc.models.lvlm import Lvlm
from halluc.packing.sequence import AnswerLogps, ScoredSequence, SequenceScorer

TOLERANCE = 1e-5
PROMPTS = (
    "Is there a red cat in the picture? Please answer yes or no.",
    "Is there a green cat in the picture? Please answer yes or no.",
    "How many boats do you see?",
)


def ask(images: Sequence[str], prompt: str, name: str = "q") -> Question:
    return Question(id=name, images=tuple(images), prompt=prompt, space=AnswerSpace.text())


def mixed_batch(pictures: Sequence[str]) -> list[ScoredSequence]:
    """One picture, another, two at once, and none; chosen and rejected below each question; duplicates."""
    first, second, _ = pictures
    sequences = []
    for prompt in PROMPTS:
        question = ask([first], prompt)
        sequences += [ScoredSequence(question, answer) for answer in ("Yes", "No, there is none.", "No")]
        sequences.append(ScoredSequence(ask([second], prompt), "Yes", ends_turn=False))
    both = ask([first, second], "How many boats do you see in both images?")
    other = ask([first, second], "Does the boat stand to the left in both images?")
    for question in (both, other, ask([], "Is a boat red?")):
        sequences += [ScoredSequence(question, "1"), ScoredSequence(question, "12")]
    repeated, empty = ScoredSequence(both, "1"), ScoredSequence(both, "", ends_turn=False)
    return [*sequences, repeated, empty]


@dataclass(frozen=True)
class Computed:
    """What a scorer gave for a batch, and the LoRA gradients of a loss on it."""

    logps: AnswerLogps
    loss: float
    gradients: dict[str, Tensor]


def compute(
    lvlm: Lvlm, scorer: SequenceScorer[Any], sequences: Sequence[ScoredSequence], seed: int = 0
) -> Computed:
    lvlm.model.zero_grad()
    torch.manual_seed(seed)
    logps = scorer(scorer.collate(sequences))
    loss = cross_entropy(logps, torch.linspace(0.5, 2.0, len(sequences)))
    (loss.total / loss.weight).backward()
    gradients = {n: p.grad.clone() for n, p in lvlm.model.named_parameters() if p.grad is not None}
    return Computed(logps, float((loss.total / loss.weight).detach()), gradients)


def relative(first: Sequence[Tensor], second: Sequence[Tensor]) -> float:
    """Return the largest difference, relative to the largest value."""
    largest = max(float(a.detach().abs().max()) for a in first)
    return max(float((a - b).detach().abs().max()) for a, b in zip(first, second, strict=True)) / largest


def assert_equal(plain: Computed, tree: Computed) -> None:
    assert torch.equal(plain.logps.sequence_index, tree.logps.sequence_index)
    assert plain.logps.count == tree.logps.count
    assert relative([plain.logps.token_logps], [tree.logps.token_logps]) < TOLERANCE
    assert relative([plain.logps.sums()], [tree.logps.sums()]) < TOLERANCE
    assert tree.loss == pytest.approx(plain.loss, rel=TOLERANCE)
    assert plain.gradients.keys() == tree.gradients.keys()
    assert plain.gradients
    names = sorted(plain.gradients)
    assert relative([plain.gradients[n] for n in names], [tree.gradients[n] for n in names]) < TOLERANCE
