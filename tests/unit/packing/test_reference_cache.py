"""The reference is asked once an answer."""

from dataclasses import replace

import pytest
import torch

from halluc.data.records import AnswerSpace, Question
from halluc.packing.reference_cache import ReferenceCache, reference_key
from halluc.packing.sequence import ScoredSequence

CPU = torch.device("cpu")
QUESTION = Question(id="1", images=("/a.png",), prompt="Is there a cat?", space=AnswerSpace.yes_no())
SEQUENCE = ScoredSequence(QUESTION, "Yes")


class Reference:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> torch.Tensor:
        self.calls += 1
        return torch.tensor([-0.1, -1e-3], requires_grad=True) * self.calls


def test_known_answers_are_not_computed_again_in_any_order():
    reference, cache = Reference(), ReferenceCache()

    first = cache.sums(["a", "b"], reference, CPU)
    again = cache.sums(["b", "a", "b"], reference, CPU)

    assert reference.calls == 1
    assert torch.equal(first[[1, 0, 1]], again)  # to the last bit
    assert not first.requires_grad
    assert first.dtype == again.dtype == torch.float32


def test_one_unknown_answer_computes_the_batch():
    reference, cache = Reference(), ReferenceCache()

    cache.sums(["a", "b"], reference, CPU)
    cache.sums(["a", "c"], reference, CPU)

    assert reference.calls == 2


def test_no_answers():
    assert ReferenceCache().sums([], Reference(), CPU).shape == (0,)


@pytest.mark.parametrize(
    "other",
    [
        replace(SEQUENCE, answer="No"),
        replace(SEQUENCE, ends_turn=False),
        replace(SEQUENCE, question=replace(QUESTION, images=("/b.png",))),
        replace(SEQUENCE, question=replace(QUESTION, image_offsets=(3,))),
        replace(SEQUENCE, question=replace(QUESTION, prompt="Is there a dog?")),
        replace(SEQUENCE, question=replace(QUESTION, system="Be brief.")),
    ],
)
def test_keys_tell_apart_what_is_asked(other: ScoredSequence):
    assert reference_key(other) != reference_key(SEQUENCE)
    assert reference_key(SEQUENCE, max_pixels=100) != reference_key(SEQUENCE)


def test_the_id_does_not_matter():
    assert reference_key(replace(SEQUENCE, question=replace(QUESTION, id="2"))) == reference_key(SEQUENCE)
