"""Equal names and contents have equal digests, everything else has not."""

import pytest
import torch

from halluc.models.tensor_digest import tensor_digest

ONES = torch.ones(2, 3)


def test_content_counts_and_not_the_layout_in_memory():
    columns = torch.arange(6.0).reshape(3, 2).T

    assert tensor_digest([("a", columns)]) == tensor_digest([("a", columns.contiguous())])


@pytest.mark.parametrize(
    "other",
    [
        [("b", ONES)],
        [("a", ONES.bfloat16())],
        [("a", ONES.reshape(3, 2))],
        [("a", ONES * 2)],
        [("a", ONES), ("b", ONES)],
        [],
    ],
)
def test_whatever_differs_changes_the_digest(other: list[tuple[str, torch.Tensor]]):
    assert tensor_digest(other) != tensor_digest([("a", ONES)])


def test_every_number_format_can_be_hashed():
    kinds = [torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.uint8, torch.bool]

    assert len({tensor_digest([("a", ONES.to(kind))]) for kind in kinds}) == len(kinds)


def test_a_scalar_and_an_empty_tensor():
    assert tensor_digest([("a", torch.tensor(1.0))]) != tensor_digest([("a", torch.zeros(0))])
