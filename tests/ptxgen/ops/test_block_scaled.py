"""`block_scaled_matmul` and `blocked_factors`, and `matmul` on sm_120: formats, layouts, NaN, graphs, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, e5m2, f32, s8, u8
from ptxgen.errors import BuildError
from ptxgen.kernels.matrices.factors import blocked
from ptxgen.kernels.matrices.gemm_block_scaled import E2M1, factor_values
from ptxgen.ops import block_scaled_matmul, blocked_factors, matmul, transposed

pytestmark = pytest.mark.cpu_only


@pytest.fixture(scope="module")
def dev():
    return px.device("cpu:sm_120a")


def whole(rng, *shape):
    """Numbers whose products every type holds exactly."""
    return rng.integers(-2, 3, shape).astype(np.float32)


def packed(values):
    """Numbers of e2m1 as bytes of two."""
    codes = np.searchsorted(E2M1, np.abs(values)).astype(np.uint8) | (values < 0).astype(np.uint8) << 3
    return codes[..., ::2] | codes[..., 1::2] << 4


def problem(dev, format, m, n, depth, *lead):
    """(a, b, scale_a, scale_b, the product): factors are powers of two, so that all is exact."""
    rng = np.random.default_rng(0)
    block = 16 if format == "nvfp4" else 32
    given, matrices = [], []
    for rows, fp8 in ((m, e5m2), (n, e4m3)):
        values, blocks = whole(rng, *lead, rows, depth), -(-depth // block)
        exponents = rng.integers(-1, 2, (*lead, rows, blocks))
        codes = (exponents + 7 << 3 if format == "nvfp4" else exponents + 127).astype(np.uint8)
        matrices.append(values * np.repeat(np.exp2(exponents), block, -1)[..., :depth])
        given.append(dev.array(values, fp8) if format == "mxfp8" else dev.array(packed(values)))
        scales = dev.array(codes)
        given.append(blocked_factors(scales.view(e4m3) if format == "nvfp4" else scales))
    x, y = matrices
    return given[0], transposed(given[2]), given[1], given[3], x @ y.swapaxes(-1, -2)


@pytest.mark.parametrize("format, size", [
    ("mxfp8", (70, 24, 80)), ("mxfp8", (3, 16, 48, 2)), ("mxfp4", (3, 72, 160)), ("nvfp4", (70, 17, 96)),
])  # fmt: skip
def test_formats_and_shapes(dev, format, size):
    m, n, depth, *lead = size
    *given, expected = problem(dev, format, m, n, depth, *lead)
    found = block_scaled_matmul(*given)
    assert found.type is bf16.isa
    assert np.array_equal(found.numpy(), dev.array(expected, bf16).numpy())


def test_an_epilogue_and_a_result_of_f32(dev):
    *given, expected = problem(dev, "nvfp4", 40, 24, 64)
    alpha, c = 0.5, dev.full((40, 24), 3, f32)
    add = {"epilogue": lambda k, value, row, column, c, alpha: value * alpha + c[row, column], "arguments": (c, alpha)}
    assert block_scaled_matmul(*given, c, **add) is c
    assert np.array_equal(c.numpy(), expected * 0.5 + 3)


def test_nan_and_infinities_stay_in_their_rows(dev):
    rng = np.random.default_rng(1)
    x, y, codes = np.abs(whole(rng, 40, 64)) + 1, np.abs(whole(rng, 24, 64)) + 1, np.full((40, 2), 127, np.uint8)
    x[3, 5], codes[5, 1] = np.nan, 0xFF
    a, b = dev.array(x, e5m2), dev.array(y, e4m3)
    a.copy_from(np.where(np.arange(40 * 64).reshape(40, 64) == 7 * 64 + 9, np.inf, x).astype(np.float32))
    ones = blocked_factors(dev.array(np.full((24, 2), 127, np.uint8)))
    found = block_scaled_matmul(a, transposed(b), blocked_factors(dev.array(codes)), ones).numpy()
    assert np.isnan(found[[3, 5]]).all()
    assert np.isfinite(np.delete(found, (3, 5, 7), 0)).all()


def test_factors_of_any_strides(dev):
    x = np.random.default_rng(2).integers(0, 256, (2, 130, 5), dtype=np.uint8)
    turned = transposed(dev.array(np.ascontiguousarray(x.swapaxes(1, 2))))
    out = dev.full(blocked(x).shape, 9, u8)
    assert blocked_factors(turned, out) is out
    assert np.array_equal(out.numpy(), blocked(x))
    assert np.array_equal(blocked_factors(dev.array(x[0])).numpy(), blocked(x[:1]))
    assert np.array_equal(factor_values(np.array([0, 127, 255]), "mxfp4"), [2.0**-127, 1, np.nan], equal_nan=True)


def test_a_graph_keeps_its_arrays(dev):
    *given, expected = problem(dev, "mxfp8", 8, 8, 32)
    out = dev.zeros((8, 8), bf16)
    block_scaled_matmul(*given, out)
    with dev.capture() as graph:
        block_scaled_matmul(*given, out)
    out.fill(0)
    del given
    graph.launch()
    dev.synchronize()
    assert np.array_equal(out.numpy(), dev.array(expected, bf16).numpy())


def changed(given, **others):
    return {**dict(zip(("a", "b", "scale_a", "scale_b"), given)), **others}


def test_what_has_no_kernel_is_refused(dev):
    *given, _ = problem(dev, "mxfp8", 8, 8, 64)
    zeros = dev.zeros
    wrong = (
        ({"a": zeros((8, 64), u8)}, r"of \.u8, \.e4m3, \.u8, \.u8"),
        ({"a": zeros((8, 32), e4m3)}, r"of \(8, 32\) and \(64, 8\)"),
        ({"a": zeros((8, 0), e4m3), "b": zeros((0, 8), e4m3)}, "a depth of 1 or more"),
        ({"scale_a": zeros((8, 2), u8)}, r"scale_a is \(8, 2\) of mxfp8"),
        ({"scale_b": zeros(1024, u8)}, r"scale_b is \(1024,\) of mxfp8"),
        ({"b": zeros((64, 8), e4m3)}, r"b of shape \(64, 8\) has strides"),
        ({"out": zeros((8, 8), s8)}, r"out is \.s8"),
        ({"out": zeros((8, 9), bf16)}, r"out is \.bf16 of \(8, 9\)"),
    )
    for others, said in wrong:
        with pytest.raises(BuildError, match=said):
            block_scaled_matmul(**changed(given, **others))
    with pytest.raises(BuildError, match=r"factors are \.f32 of \(8, 2\)"):
        blocked_factors(zeros((8, 2), f32))
    with pytest.raises(BuildError, match=r"out is \.u8 of \(8,\)"):
        blocked_factors(zeros((8, 2), u8), zeros(8, u8))
    elsewhere = px.device("cpu:sm_90a")
    *given, _ = problem(elsewhere, "mxfp8", 8, 8, 64)
    with pytest.raises(BuildError, match="block_scaled_matmul on sm_90a"):
        block_scaled_matmul(*given)
    assert "gemm_block_scaled" in block_scaled_matmul(*problem(dev, "nvfp4", 8, 8, 64)[:4], explain=True)


# matmul


@pytest.mark.parametrize("element, m, n, depth", [(bf16, 70, 33, 72), (e4m3, 5, 16, 48), (s8, 66, 20, 144)])
def test_matmul_takes_the_kernel_of_sm_120(dev, element, m, n, depth):
    rng = np.random.default_rng(3)
    x, y = whole(rng, m, depth), whole(rng, n, depth)
    if element is s8:
        x, y = x.astype(np.int8), y.astype(np.int8)
    a, b = dev.array(x, element), transposed(dev.array(y, element))
    assert str(matmul(a, b, explain=True)).startswith("gemm_tma: ")
    found = matmul(a, b)
    expected = x.astype(np.float32) @ y.astype(np.float32).T
    assert np.array_equal(found.numpy(), expected if element is s8 else dev.array(expected, found.type).numpy())


def test_matmul_of_other_rows_and_depths_on_sm_120(dev):
    a, b = dev.zeros((9, 7), bf16), dev.zeros((7, 11), bf16)
    assert str(matmul(a, b, explain=True)).startswith("gemm_mma: ")
