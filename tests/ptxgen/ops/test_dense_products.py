"""Products of few activations and weights of their own type, and how a CTA's warps share its rows (block_matmul)."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen.builder import bf16, f16, f32
from ptxgen.kernels.matrices import quantised
from ptxgen.ops import block_matmul, block_numbers


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


def drawn(dev, shape, element):
    return dev.array(np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32), element)


def exact(x, w):
    return x.numpy().astype(np.float64) @ w.numpy().astype(np.float64).T


@pytest.mark.parametrize("element, batch, columns", [(bf16, 1, 544), (f16, 2, 512), (bf16, 3, 96), (f16, 9, 768)])
def test_weights_of_the_type_of_the_activations(dev, element, batch, columns):
    x, w = drawn(dev, (batch, columns), element), drawn(dev, (37, columns), element)
    found = block_matmul(x, w, element.isa.name, dev.empty((batch, 37), f32), constant=True).numpy()
    assert np.allclose(found, exact(x, w), atol=1e-4 * columns**0.5)


@pytest.mark.parametrize("rows, columns", [(200, 256), (16, 4096), (130, 1280), (3, 0)])
def test_warps_that_share_groups_of_rows(dev, rows, columns, monkeypatch):
    """Less than a piece for each warp, one group for all of them, several groups that begin and end within a warp's run."""
    monkeypatch.setattr(quantised, "CTAS", 1)
    x, w = drawn(dev, (2, columns), bf16), drawn(dev, (rows, columns), bf16)
    plan = quantised.plan(
        "bf16", rows, columns, 2, w, x, out := dev.empty((2, rows), f32), x_step=columns, y_step=rows, result=f32
    )
    plan.launch()
    assert np.allclose(out.numpy(), exact(x, w), atol=1e-4 * max(1, columns) ** 0.5)


def test_other_types_are_refused(dev):
    x, w = dev.zeros((1, 64), bf16), dev.zeros((4, 64), f16)
    with pytest.raises(px.BuildError, match=r"weights of f16 and activations of \.bf16"):
        block_matmul(x, w, "f16")
    with pytest.raises(px.BuildError, match=r"w is \.f16"):
        block_matmul(x, w, "bf16")
    with pytest.raises(px.BuildError, match="block_numbers of bf16"):
        block_numbers(dev.zeros((4, 64), bf16), "bf16")
