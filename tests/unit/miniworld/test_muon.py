import pytest
import torch
from torch.nn import Parameter

from halluc.miniworld.pretraining.muon import FloatMuon, orthogonalized

SHAPES = ((6, 6), (4, 9), (9, 4), (4, 9), (1, 5))


def trained(optimizer, seed=0, steps=4):
    """Return matrices after some steps with the same random gradients."""
    generator = torch.Generator().manual_seed(seed)
    matrices = [Parameter(torch.randn(shape, generator=generator)) for shape in SHAPES]
    made = optimizer(matrices)
    for _ in range(steps):
        for matrix in matrices:
            matrix.grad = torch.randn(matrix.shape, generator=generator)
        made.step()
    return [matrix.detach() for matrix in matrices]


def test_updates_are_those_of_torch_but_for_its_bfloat16(monkeypatch):
    def torchs(matrices):
        return torch.optim.Muon(matrices, lr=0.1, weight_decay=0.05, adjust_lr_fn="match_rms_adamw")

    ours = trained(lambda matrices: FloatMuon(matrices, lr=0.1, weight_decay=0.05))
    for mine, its in zip(ours, trained(torchs), strict=True):
        torch.testing.assert_close(mine, its, atol=0.02, rtol=0)  # of updates of size 0.04 to 0.06
    with monkeypatch.context() as patch:
        patch.setattr(torch.Tensor, "bfloat16", torch.Tensor.clone)
        for mine, its in zip(ours, trained(torchs), strict=True):
            torch.testing.assert_close(mine, its, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("shape", [(3, 8, 8), (2, 5, 12), (2, 12, 5)])
def test_singular_values_come_near_one(shape):
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    found = orthogonalized(matrices)
    assert found.shape == shape
    values = torch.linalg.svdvals(found)
    assert values.min() > 0.3
    assert values.max() < 1.3


def test_a_matrix_without_gradient_stays():
    first, second = Parameter(torch.ones(3, 3)), Parameter(torch.ones(3, 3))
    first.grad = torch.eye(3)
    FloatMuon([first, second], lr=0.1).step()
    assert torch.equal(second, torch.ones(3, 3))
    assert not torch.equal(first, torch.ones(3, 3))


def test_a_gradient_of_zeros_only_decays():
    matrix = Parameter(torch.ones(3, 3))
    matrix.grad = torch.zeros(3, 3)
    FloatMuon([matrix], lr=0.1, weight_decay=0.5).step()
    torch.testing.assert_close(matrix.detach(), torch.full((3, 3), 0.95))
