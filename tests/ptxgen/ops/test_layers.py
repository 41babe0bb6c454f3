"""Permutations, rotary embedding, dropout, quantisation, blocks of GGML and optimisers on arrays."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, s8, u8
from ptxgen.kernels.elements.dropout import words
from ptxgen.kernels.matrices.ggml import FORMATS, random_blocks
from ptxgen.ops import (
    block_matmul,
    block_numbers,
    cast,
    dropout,
    elementwise,
    gelu_backward,
    optimiser_step,
    permute,
    quantise,
    rotary,
    softmax,
)


@pytest.mark.parametrize(
    "shape, axes",
    [
        ((3, 4, 5, 6), (3, 1, 0, 2)), ((64, 128), None), ((2, 3, 4, 5, 6, 7), (5, 3, 1, 0, 2, 4)), ((33,), (0,)),
        ((16, 32, 16), (2, 0, 1)), ((4, 8, 16, 64), (0, 2, 1, 3)), ((1, 1, 5), (2, 1, 0)), ((0, 4), None), ((3, 1000), (-1, 0)),
        ((37, 51), None), ((3, 77, 301), (0, 2, 1)), ((300, 3, 67), (1, 2, 0)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 2])
def test_dimensions_in_any_order(dev, shape, axes, size):
    x = np.random.default_rng(size).integers(0, 250, shape).astype(f"uint{8 * size}")
    order = (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2) if axes is None else axes
    assert np.array_equal(permute(dev.array(x), axes).numpy(), x.transpose(order))


def test_results_are_made_while_a_graph_is_recorded(dev):
    """A graph keeps those that nobody else does."""
    x, y = dev.zeros((3, 5), f32), dev.empty((3, 5), f32)
    with dev.capture() as graph:
        elementwise("neg", permute(softmax(x), (0, 1)), out=y)
    between = [dev.zeros((3, 5), f32) for _ in range(4)]  # in the place of what was freed
    data = np.arange(15, dtype=np.float32).reshape(3, 5) % 7
    x.copy_from(data)
    graph.launch()
    powers = np.exp(data)
    np.testing.assert_allclose(y.numpy(), -powers / powers.sum(1, keepdims=True), rtol=1e-5)
    assert not any(each.numpy().any() for each in between)
    graph.close()


def test_the_slope_of_gelu_far_from_0(dev):
    """Where x^3 is beyond f32 it is still 0 or 1."""
    x = dev.array(np.float32([-1e18, -1e14, -100, 100, 1e14, 1e18]))
    ones = dev.array(np.ones(6, np.float32))
    assert gelu_backward(ones, x).numpy().tolist() == [0, 0, 0, 1, 1, 1]


def test_permute_refuses_what_is_no_order(dev):
    with pytest.raises(px.BuildError, match=r"axes are \(0, 0\)"):
        permute(dev.zeros((2, 2), f32), (0, 0))
    with pytest.raises(px.BuildError, match="no axes are given"):
        permute(dev.zeros(2, f32))


@pytest.mark.parametrize("format, element", [("q4_1", bf16), ("q8_0", f16), ("q5_k", f16), ("q6_k", f16)])
def test_blocks_of_formats_and_types_that_the_catalogue_leaves_out(dev, format, element):
    about, rng = FORMATS[format], np.random.default_rng(5)
    rows, columns = 19, 3 * 256 + (0 if about.elements == 256 else 96)
    blocks = random_blocks(rng, about, rows * columns // about.elements)
    exact = about.decode(blocks).reshape(rows, columns)
    w = dev.array(blocks.reshape(rows, -1))
    assert block_numbers(w, format).numpy().tobytes() == exact.tobytes()
    for batch in (1, 11):
        x = dev.array(rng.standard_normal((batch, columns)).astype(np.float32), element)
        out = dev.empty((batch, rows), f32)
        block_matmul(x, w, format, out, constant=batch == 1)
        expected = x.numpy().astype(np.float64) @ exact.astype(np.float64).T
        assert np.allclose(out.numpy(), expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    with pytest.raises(px.BuildError, match="up to 16"):
        block_matmul(dev.zeros((17, columns), element), w, format)


@pytest.mark.parametrize("power", [-110, 118])
def test_products_of_blocks_keep_the_smallest_and_the_largest_activations(dev, power):
    """Each 32 of them have an exponent of their own; what is infinite touches its own product alone."""
    rng = np.random.default_rng(power + 128)
    blocks = random_blocks(rng, FORMATS["q8_0"], 2 * 8)
    w, exact = dev.array(blocks.reshape(2, -1)), FORMATS["q8_0"].decode(blocks).reshape(2, 256).astype(np.float64)
    x = rng.standard_normal((3, 256)) * np.repeat(2.0 ** np.arange(0, -32, -4), 32)
    x = np.ldexp(x, power)
    x[1, 7] = np.inf
    given = dev.array(x.astype(np.float32), bf16)
    found, x = block_matmul(given, w, "q8_0", dev.empty((3, 2), f32)).numpy(), given.numpy().astype(np.float64)
    assert not np.isfinite(found[1]).any()
    for row in (0, 2):
        limit = 2.0**-20 * np.abs(x[row]).sum() * np.abs(exact).max()
        assert np.abs(found[row] - x[row] @ exact.T).max() <= limit


@pytest.mark.parametrize(
    "target, columns, kernel",
    [("sm_80", 256, "gemv.ptx.j2"), ("sm_90a", 256, "gemv_blocks.ptx.j2"), ("sm_90a", 1 << 20, "gemv.ptx.j2")],
)
def test_products_of_blocks_by_bulk_copies_where_the_device_has_them_and_the_activations_fit(target, columns, kernel):
    place = px.device(f"cpu:{target}")
    x, w = place.zeros((1, columns), bf16), place.zeros((1, columns // 32 * 18), u8)
    assert kernel in block_matmul(x, w, "q4_0", explain=True)


def test_philox_is_that_of_the_paper():
    """Random123's known answers of philox4x32-10."""
    assert [f"{word:08x}" for word in words(4, 0)] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


def test_dropout_is_the_same_for_the_gradient(dev):
    x = np.ones(10_001, np.float32)
    y = dropout(dev.array(x), 0.25, 42, offset=7).numpy()
    assert abs((y == 0).mean() - 0.25) < 0.02
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    half = dropout(dev.array(x, bf16), 0.25, 42, offset=7).numpy()
    assert np.array_equal(half == 0, y == 0), "whatever the type and the vectors"
    with pytest.raises(px.BuildError, match=r"a rate of 1\.0"):
        dropout(dev.array(x), 1.0, 0)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_and_back(dev, interleaved):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((2, 5, 3, 16)).astype(np.float32)
    angles = np.arange(5)[:, None] * 10.0 ** -np.linspace(0, 2, 8)
    cos, sin = (dev.array(each.astype(np.float32)) for each in (np.cos(angles), np.sin(angles)))
    y = rotary(dev.array(x), cos, sin, interleaved=interleaved)
    a, b = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :8], x[..., 8:])
    turned = (a + 1j * b) * np.exp(1j * angles)[:, None]
    parts = [turned.real, turned.imag]
    expected = np.stack(parts, -1).reshape(x.shape) if interleaved else np.concatenate(parts, -1)
    assert np.allclose(y.numpy(), expected, atol=1e-5)
    assert np.allclose(rotary(y, cos, sin, out=y, interleaved=interleaved, inverse=True).numpy(), x, atol=1e-5)
    places = dev.array(np.full((2, 5), 3, np.int32))
    same = rotary(dev.array(x), cos, sin, places, interleaved=interleaved).numpy()
    assert np.allclose(same[:, 3], expected[:, 3], atol=1e-5)
    with pytest.raises(px.BuildError, match=r"cos is .f32 of \(5, 8\)"):
        rotary(dev.array(x[..., :8].copy()), cos, sin)


@pytest.mark.parametrize("element, limit", [(s8, 127), (e4m3, 448)])
@pytest.mark.parametrize("block", [None, 32])
def test_quantise(dev, element, limit, block):
    x = np.random.default_rng(3).standard_normal((5, 96)).astype(np.float32)
    x[1] = 0
    y, scales = quantise(dev.array(x), element, block=block)
    blocks = x.reshape(5, -1, block or 96)
    assert np.allclose(scales.numpy().reshape(5, -1), abs(blocks).max(-1) / limit)
    back = y.numpy().astype(np.float32).reshape(blocks.shape) * scales.numpy().reshape(5, -1, 1)
    assert np.abs(back - blocks).max() <= np.abs(x).max() / (2 * limit if element is s8 else 16) * 1.001
    with pytest.raises(px.BuildError, match="blocks of 40"):
        quantise(dev.array(x), element, block=40)


def test_an_optimiser_finds_the_least(dev):
    """Of (p - 3)^2, from 0."""
    p, m, v = dev.zeros(100, f32), dev.zeros(100, f32), dev.zeros(100, f32)
    for step in range(1, 120):
        g = dev.array((2 * (p.numpy() - 3)).astype(np.float32))
        optimiser_step("adamw", p, g, m, v, rate=0.1, step=step)
    assert np.allclose(p.numpy(), 3, atol=0.05)


def test_gradients_are_scaled_to_a_norm(dev):
    g, squares = np.full(4, 10, np.float32), dev.array(np.float32([400]))
    p, m = dev.zeros(4, f32), dev.zeros(4, f32)
    optimiser_step("lion", p, dev.array(g), m, rate=1.0, beta2=0.0, squares=squares, most=2.0)
    assert np.allclose(m.numpy(), 1.0)
    assert np.array_equal(p.numpy(), np.full(4, -1))
    with pytest.raises(px.BuildError, match="lion with v"):
        optimiser_step("lion", p, dev.array(g), m, m)
    with pytest.raises(px.BuildError, match="step is 0"):
        optimiser_step("adam", p, dev.array(g), m, m, step=0)
    with pytest.raises(px.BuildError, match="eps is None"):
        optimiser_step("lion", p, dev.array(g), m, eps=None)


@pytest.mark.parametrize("target", ["sm_80", "sm_120a"])
def test_products_of_weights_fit_a_devices_shared_memory(target):
    """Weights of x's own type take the most: three stages in sm_90's 227 KiB, two in 163 KiB, two of half the warps in 99."""
    place = px.device(f"cpu:{target}")
    x, w = (np.random.default_rng(0).integers(-4, 5, (rows, 320)).astype(np.float32) for rows in (1, 17))
    found = block_matmul(place.array(x, bf16), place.array(w, bf16), "bf16", place.empty((1, 17), f32))
    assert np.array_equal(found.numpy(), x @ w.T)


def test_what_old_targets_have_not():
    old = px.device("cpu:sm_75")
    x = old.zeros((1, 32), f32)
    with pytest.raises(px.BuildError, match=r"cast of \.f32 to \.e4m3 on sm_75\n  Fix: a device from sm_89 on"):
        cast(x, e4m3)
    with pytest.raises(px.BuildError, match=r"quantise to \.e4m3 on sm_75"):
        quantise(x, e4m3)
    with pytest.raises(px.BuildError, match=r"block_matmul of q4_0 on sm_75\n  Fix: a device from sm_80 on"):
        block_matmul(old.zeros((1, 32), bf16), old.zeros((1, 18), u8), "q4_0")


def test_blocks_need_whole_bytes(dev):
    with pytest.raises(px.BuildError, match="rows of whole blocks of 18 bytes"):
        block_numbers(dev.zeros((2, 20), u8), "q4_0")
