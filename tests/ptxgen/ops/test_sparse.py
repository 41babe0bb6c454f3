"""`compress` and `sparse_matmul`: shapes, types, both sides, epilogues, graphs, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, s8
from ptxgen.ops import CompressedMatrix, compress, sparse_matmul, transposed


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernel needs sm_90a")
    return device


def whole(rng, *shape):
    """Numbers whose products every type holds exactly."""
    return rng.integers(-4, 5, shape).astype(np.float32)


def sparse(rng, *shape):
    """The same, with two zeros in each four."""
    values = whole(rng, *shape).reshape(-1, 4)
    for row in values:
        row[rng.permutation(4)[:2]] = 0
    return values.reshape(shape)


def given(dev, values, element):
    return dev.array(values.astype(np.int8) if element is s8 else values, element)


@pytest.mark.parametrize("m, n, depth", [(1, 8, 32), (129, 40, 160)])
@pytest.mark.parametrize("element", [bf16, f16, e4m3, s8])
def test_products(dev, m, n, depth, element):
    rng = np.random.default_rng(m)
    x, y = sparse(rng, m, depth), whole(rng, n, depth)
    w, b = compress(given(dev, x, element)), given(dev, y, element)
    assert isinstance(w, CompressedMatrix)
    assert w.kept.shape == (m, depth // 2)
    product = x @ y.T
    first = sparse_matmul(w, transposed(b))
    assert np.array_equal(first.numpy(), given(dev, product, first.type).numpy() if element is not s8 else product)


def test_a_sparse_weight_behind(dev):
    rng = np.random.default_rng(0)
    x, y = sparse(rng, 136, 96), whole(rng, 33, 96)
    w, b = compress(dev.array(x, bf16)), dev.array(y, bf16)
    bias, out = dev.array(whole(rng, 136)), dev.zeros((33, 136), bf16)
    with dev.capture() as graph:
        sparse_matmul(
            b, transposed(w), out, epilogue=lambda k, value, row, column, bias: value + bias[column], arguments=(bias,)
        )
    graph.launch()
    assert np.array_equal(out.numpy(), dev.array(y @ x.T + bias.numpy(), bf16).numpy())
    across = sparse_matmul(w, dev.array(np.ascontiguousarray(y.T)[:, :32], bf16))
    assert np.array_equal(across.numpy(), dev.array((x @ y.T)[:, :32], bf16).numpy())


def test_the_two_of_largest_magnitude_stay(dev):
    row = np.array([1, -3, 2, 3, 5, 5, 5, 5, 0, 0, -1, 0, -0.5, 0.25, -1, np.nan] * 2, np.float32)[None]
    w = compress(dev.array(row, bf16))
    assert np.array_equal(w.kept.numpy()[0, :8], [-3, 3, 5, 5, 0, -1, -1, np.nan], equal_nan=True)
    ends = np.array([[-128, 127, 0, -128] + [0] * 28], np.int8)
    assert compress(dev.array(ends)).kept.numpy()[0, :2].tolist() == [-128, -128]


@pytest.mark.parametrize(
    "shape, element, said",
    [
        ((4, 40), bf16, r"\(4, 40\)(.|\n)*multiple of 16"),
        ((4, 48), e4m3, r"\(4, 48\)(.|\n)*multiple of 32"),
        ((32,), bf16, r"\(32,\)"),
        ((2, 2, 32), bf16, r"\(m, depth\)"),
        ((4, 32), f32, r"elements of .f32"),
    ],
)
def test_what_cannot_be_compressed(dev, shape, element, said):
    with pytest.raises(px.BuildError, match=said):
        compress(dev.zeros(shape, element))


def test_what_cannot_be_multiplied(dev):
    a = dev.zeros((8, 32), bf16)
    w = compress(a)
    for other, said in (
        ((w, dev.zeros((16, 8), bf16)), r"\(8, 32\) and \(16, 8\)"),
        ((w, dev.zeros((32, 8), f16)), "bf16 and .f16"),
        ((w, dev.zeros((32, 8), bf16), dev.zeros((8, 8), f32)), r"out is .f32"),
        ((a, dev.zeros((32, 8), bf16)), "compress"),
        ((w._replace(metadata=a), dev.zeros((32, 8), bf16)), "as compress made it"),
        ((w, transposed(w)), "CompressedMatrix"),
        ((w, dev.zeros((32, 12), bf16)), "strides|whole 16"),
        ((w, dev.zeros((32, 8), bf16), transposed(w.kept)), "out is"),
        ((dev.zeros((4, 32), bf16), transposed(compress(dev.zeros((5, 32), bf16)))), "whole 16 bytes"),
    ):
        with pytest.raises(px.BuildError, match=said):
            sparse_matmul(*other)
    assert "gemm_sparse" in sparse_matmul(w, dev.zeros((32, 8), bf16), explain=True)
