"""Weights as codes with scales of their own, quantised here by their public definitions; the catalogue has other shapes."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, s8, u8
from ptxgen.kernels.cases import rounded
from ptxgen.kernels.matrices.scaled_codes import NF4
from ptxgen.ops import block_matmul, block_numbers, geglu, quantise, swiglu

ROWS, COLUMNS = 37, 448


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def product(dev, w, format, exact, element=bf16, **scales):
    """Compared with float64, for one row of activations and for more than one launch takes."""
    for batch in (1, 9):
        x = dev.array(drawn(batch, exact.shape[1], seed=batch), element)
        found = block_matmul(x, w, format, dev.empty((batch, len(exact)), f32), **scales).numpy()
        expected = x.numpy().astype(np.float64) @ exact.astype(np.float64).T
        assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max(), batch


@pytest.mark.parametrize("group", [32, 128])
def test_nf4_as_bitsandbytes_keeps_it(dev, group):
    """Each group by its largest size; the nearest of 16 values; the first of two codes in the upper half of a byte."""
    w = drawn(ROWS, 3 * 128)
    parts = w.reshape(ROWS, -1, group)
    absmax = np.abs(parts).max(axis=2)
    codes = np.abs((parts / absmax[..., None])[..., None] - np.float32(NF4)).argmin(axis=-1).reshape(ROWS, -1)
    packed = dev.array((codes[:, ::2] << 4 | codes[:, 1::2]).astype(np.uint8))
    scales = dev.array(absmax)
    exact = (np.float32(NF4)[codes].reshape(parts.shape) * absmax[..., None]).reshape(w.shape)
    assert np.array_equal(block_numbers(packed, "nf4", scales=scales).numpy(), exact)
    assert np.abs(exact - w).max() < 0.16 * np.abs(w).max(), "half of the widest step between values"
    half = rounded(np.float32(NF4), f16)[codes].reshape(parts.shape) * absmax[..., None]
    product(dev, packed, "nf4", half.reshape(w.shape), f16, scales=scales)


@pytest.mark.parametrize("zeros, element", [(False, f16), (True, f32)])
def test_int4_with_scales_and_zeros(dev, zeros, element):
    w = drawn(ROWS, COLUMNS) + 0.5 * zeros
    parts = w.reshape(ROWS, -1, 64)
    least, most = parts.min(axis=2), parts.max(axis=2)
    step = rounded((most - least) / 15 if zeros else np.abs(parts).max(axis=2) / 7, element).astype(np.float32)
    zero = np.clip(np.round(-least / step), 0, 15).astype(np.uint8) if zeros else np.full(step.shape, 8, np.uint8)
    codes = np.clip(np.round(parts / step[..., None]) + zero[..., None], 0, 15).astype(np.uint8).reshape(ROWS, -1)
    packed = dev.array(codes[:, ::2] | codes[:, 1::2] << 4)
    given = {"scales": dev.array(step, element)} | ({"zeros": dev.array(zero)} if zeros else {})
    exact = ((codes.reshape(parts.shape) - zero[..., None].astype(np.float32)) * step[..., None]).reshape(w.shape)
    assert np.array_equal(block_numbers(packed, "int4", **given).numpy(), exact)
    product(dev, packed, "int4", exact, **given)


def test_e4m3_as_quantise_makes_it(dev):
    w = dev.array(drawn(ROWS, COLUMNS))
    for block in (None, 64):
        codes, scales = quantise(w, e4m3, block=block)
        exact = codes.numpy() * np.repeat(scales.numpy().reshape(ROWS, -1), block or COLUMNS, axis=1)
        assert np.array_equal(block_numbers(codes, "e4m3", scales=scales).numpy(), exact)
        assert np.array_equal(block_numbers(codes.view(u8), "e4m3", bf16, scales=scales).numpy(), rounded(exact, bf16))
        product(dev, codes, "e4m3", exact, scales=scales)


def test_e4m3_of_blocks_of_128_by_128(dev):
    w, scales = dev.array(drawn(150, 256), e4m3), drawn(2, 2) ** 2
    exact = w.numpy() * scales.repeat(128, axis=0)[:150].repeat(128, axis=1)
    product(dev, w, "e4m3", exact, scales=dev.array(scales))


def test_a_nan_and_subnormal_numbers_of_e4m3(dev):
    bits = np.zeros((3, 32), np.uint8)
    bits[0, 5], bits[1, 5], bits[2, :3] = 0x7F, 0xFF, (1, 0x81, 7)
    w, ones = dev.array(bits), dev.array(np.ones(3, np.float32))
    for element in (bf16, f16):
        found = block_matmul(dev.full((1, 32), 1, element), w, "e4m3", dev.empty((1, 3), f32), scales=ones).numpy()[0]
        assert np.isnan(found[:2]).all()
        assert found[2] == 7 * 2.0**-9
    assert np.isnan(block_numbers(w, "e4m3", scales=ones).numpy()[:2, 5]).all()


def test_zeros_as_large_as_bf16_holds_them(dev):
    w, scales = dev.array(np.array([[0x0F] * 16, [0xF0] * 16], np.uint8)), dev.full((2, 1), 1, f32)
    x, zeros = dev.array(np.arange(32, dtype=np.float32)[None], bf16), dev.array(np.array([[127], [0]], np.uint8))
    codes = np.array([[15, 0] * 16, [0, 15] * 16]) - [[127], [0]]
    found = block_matmul(x, w, "int4", dev.empty((1, 2), f32), scales=scales, zeros=zeros)
    assert np.array_equal(found.numpy()[0], codes @ np.arange(32))


def test_a_graph_reads_scales_that_change(dev):
    w, scales = dev.full((8, 64), 0x99, u8), dev.full((8, 4), 1, f32)  # ones, by a zero of 8
    x, out = dev.full((2, 128), 1, bf16), dev.zeros((2, 8), f32)
    with dev.capture() as graph:
        block_matmul(x, w, "int4", out, scales=scales)
    for scale in (1, 0.5):
        scales.fill(scale)
        graph.launch()
        assert (out.numpy() == 128 * scale).all()


@pytest.mark.parametrize(
    "format, scales, zeros, said",
    [
        ("nf4", None, None, "no scales for nf4"),
        ("q4_0", ((8, 2), f32), None, "scales for q4_0"),
        ("nf4", ((8, 2), f32), ((8, 2), u8), "zeros for nf4"),
        ("nf4", ((8, 3), f32), None, r"scales is .f32 of \(8, 3\)(.|\n)*32, 64 or 128 of 128 elements"),
        ("int4", ((8, 2), s8), None, r"scales is .s8"),
        ("int4", ((8, 2), f32), ((8, 1), u8), r"zeros is .u8 of \(8, 1\)(.|\n)*\(8, 2\)"),
        ("nf5", ((8, 2), f32), None, r"no format 'nf5'(.|\n)*q4_0(.|\n)*nf4, int4, e4m3"),
    ],
)
def test_scales_that_are_not_theirs(dev, format, scales, zeros, said):
    w = dev.zeros((8, 72 if format == "q4_0" else 64), u8)
    given = {"scales": scales and dev.zeros(*scales), "zeros": zeros and dev.zeros(*zeros)}
    with pytest.raises(px.BuildError, match=said):
        block_numbers(w, format, **given)
    with pytest.raises(px.BuildError, match=said):
        block_matmul(dev.zeros((1, 128), bf16), w, format, **given)


def test_results_over_scales_and_codes_of_other_sizes(dev):
    scales = dev.zeros((8, 2), f32)
    with pytest.raises(px.BuildError, match="overlaps scales"):
        block_matmul(dev.zeros((2, 128), bf16), dev.zeros((8, 64), u8), "nf4", scales.reshape(2, 8), scales=scales)
    with pytest.raises(px.BuildError, match="whole blocks of 16 bytes"):
        block_numbers(dev.zeros((8, 20), u8), "int4", scales=scales)
    with pytest.raises(px.BuildError, match=r"w is .s8"):
        block_numbers(dev.zeros((8, 32), s8), "e4m3", scales=scales)


@pytest.mark.parametrize("glu, batch", [("silu", 10), ("gelu", 2)])
def test_gate_bias_and_glu_are_what_they_are_one_by_one(dev, glu, batch):
    """Of e4m3 whose rows share scales by 128, so that the gate's and the others' lie in one block; of GGML's in the catalogue."""
    w, scales = dev.array(drawn(2 * ROWS, 256), e4m3), dev.array(drawn(1, 2) ** 2 / 8)
    x, bias = dev.array(drawn(batch, 256), bf16), dev.array(drawn(2 * ROWS, seed=2), f16)
    out = dev.zeros((batch, ROWS), f32)
    block_matmul(x, w, "e4m3", out, scales=scales, bias=bias, glu=glu)
    plain = block_matmul(x, w, "e4m3", dev.empty((batch, 2 * ROWS), f32), scales=scales).numpy() + bias.numpy()
    gate, up = (dev.array(np.ascontiguousarray(each)) for each in np.split(plain, 2, axis=1))
    expected = (swiglu if glu == "silu" else geglu)(gate, up).numpy()
    assert np.allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)
    only = block_matmul(x, w, "e4m3", dev.empty((batch, 2 * ROWS), f32), scales=scales, bias=bias)
    assert np.array_equal(only.numpy(), plain)


def test_what_no_gate_has(dev):
    x, w = dev.zeros((1, 32), bf16), dev.zeros((6, 18), u8)
    for options, said in (
        ({"glu": "relu"}, r"glu='relu'(.|\n)*silu or gelu"),
        ({"bias": dev.zeros(5, f32)}, r"bias is .f32 of \(5,\)(.|\n)*\(6,\)"),
        ({"bias": dev.zeros(6, s8)}, "bias is .s8"),
        ({"glu": "silu", "out": dev.zeros((1, 6), bf16)}, r"out has the shape \(1, 6\)"),
    ):
        with pytest.raises(px.BuildError, match=said):
            block_matmul(x, w, "q4_0", **options)
    with pytest.raises(px.BuildError, match="of 5 rows"):
        block_matmul(x, w[:5], "q4_0", glu="gelu")
    assert "glu='silu'" in block_matmul(x, w, "q4_0", glu="silu", explain=True)
