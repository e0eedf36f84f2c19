"""The gradient of a small matrix, summed in slices."""

from __future__ import annotations

import pytest
import torch

from edgegat.nn import tall_product as module
from edgegat.nn.tall_product import _TallProduct, sum_of_products


@pytest.mark.parametrize("rows", [0, 1, 4, 9, 12])
def test_slices_add_up_to_the_whole(rows):
    g = torch.Generator().manual_seed(rows)
    left, right = (torch.randn(rows, columns, generator=g, dtype=torch.float64) for columns in (3, 2))
    torch.testing.assert_close(sum_of_products(left, right, size=4), left.t() @ right)


def test_gradients_are_those_of_a_product(monkeypatch):
    monkeypatch.setattr(module, "_SLICE", 4)
    g = torch.Generator().manual_seed(0)
    rows = torch.randn(10, 3, generator=g, dtype=torch.float64).requires_grad_()
    matrix = torch.randn(3, 2, generator=g, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(_TallProduct.apply, (rows, matrix))
    upstream = torch.randn(10, 2, generator=g, dtype=torch.float64)
    got = torch.autograd.grad(_TallProduct.apply(rows, matrix), (rows, matrix), upstream)
    truth = torch.autograd.grad(rows @ matrix, (rows, matrix), upstream)
    for ours, theirs in zip(got, truth, strict=True):
        torch.testing.assert_close(ours, theirs)
