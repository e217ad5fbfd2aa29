import pytest
import torch

from halluc.losses.cross_entropy import cross_entropy
from halluc.packing.sequence import AnswerLogps


def test_sums_tokens_and_counts_them_with_their_answers_weight():
    logps = AnswerLogps(torch.tensor([-1.0, -2.0, -4.0]), torch.tensor([0, 0, 1]), 2)
    loss = cross_entropy(logps, torch.tensor([1.0, 0.5]))
    assert loss.total.item() == pytest.approx(1 + 2 + 0.5 * 4)
    assert loss.weight.item() == pytest.approx(1 + 1 + 0.5)


def test_a_rank_without_a_share_adds_nothing():
    empty = AnswerLogps(torch.zeros(0), torch.zeros(0, dtype=torch.int64), 0)
    loss = cross_entropy(empty, torch.zeros(0))
    assert (loss.total.item(), loss.weight.item()) == (0.0, 0.0)
