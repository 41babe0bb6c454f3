"""Reductions of whole arrays and histograms, beside numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, f64, s32, s64, u8, u16, u32, u64
from ptxgen.errors import BuildError
from ptxgen.ops import Histogram, Reduce

NUMPY = {u32: "u4", s32: "i4", u64: "u8", s64: "i8", f16: "f2", bf16: "f4", f32: "f4", f64: "f8"}


def drawn(rng, n, element):
    """Any integers, whose sums wrap as numpy's do; floats whose sums are exact."""
    kind = np.dtype(NUMPY[element])
    if kind.kind == "f":
        return rng.integers(-8, 9, n).astype(kind)
    return rng.integers(0, 256, n * kind.itemsize, dtype=np.uint8).view(kind)


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("op", ["sum", "min", "max"])
@pytest.mark.parametrize("element", NUMPY)
def test_reductions_are_numpys(dev, element, op):
    rng = np.random.default_rng(1)
    with Reduce(dev, element, op=op) as reduce, dev.empty(1, reduce.result) as out:
        wide = np.float32 if element in (f16, bf16) else np.dtype(NUMPY[element])
        for n in (1, 2, 4097, 100_003):
            values = drawn(rng, n, element)
            with dev.array(values, element) as x:
                for first in (0, 1):  # of views that are not aligned, too
                    if first < n:
                        reduce(x[first:], out)
                        cut = values[first:].astype(wide)
                        expected = cut.sum(dtype=wide) if op == "sum" else getattr(cut, op)()
                        assert out.numpy()[0] == expected


@pytest.mark.parametrize(
    "element, op, nothing",
    [(f32, "sum", 0), (f32, "min", math.inf), (f64, "max", -math.inf), (u32, "min", 2**32 - 1), (s64, "max", -(2**63))],
)
def test_nothing_is_reduced_to_what_changes_nothing(dev, element, op, nothing):
    out = dev.array(np.ones(1, NUMPY[element]))
    with Reduce(dev, element, op=op) as reduce:
        reduce(dev.empty(0, element), out)
    assert out.numpy()[0] == nothing


def test_the_smallest_passes_nans_over(dev):
    x, out = dev.array(np.array([np.nan, 3, np.nan, 2], np.float32)), dev.empty(1, f32)
    with Reduce(dev, f32, op="min") as reduce:
        reduce(x, out)
    assert out.numpy()[0] == 2


def test_reductions_and_histograms_are_captured(dev):
    """Results go into a larger array, one place each; the scratch memory is ready again after each launch."""
    x, places = dev.zeros(9000, u32), dev.zeros(2, u32)
    with Reduce(dev, u32) as total, Reduce(dev, u32, op="max") as largest, Histogram(dev, u32, 7) as histogram:
        with dev.capture() as graph:
            total(x, places[:1])
            largest(x, places[1:])
            histogram(x)
        for seed in (1, 2):
            values = np.random.default_rng(seed).integers(0, 9, 9000).astype(np.uint32)
            x.copy_from(values)
            graph.launch()
            assert places.numpy().tolist() == [values.sum(), values.max()]
            assert np.array_equal(histogram.counts.numpy(), np.bincount(values, minlength=7)[:7])
        graph.close()


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("element, bins", [(u8, 256), (u8, 3), (u16, 1000), (u32, 1), (u32, 5000)])
def test_histograms_are_numpys(dev, element, bins):
    rng = np.random.default_rng(bins)
    kind = {u8: "u1", u16: "u2", u32: "u4"}[element]
    with Histogram(dev, element, bins) as histogram:
        for n in (0, 1, 77, 50_001):
            values = rng.integers(0, min(bins + 2, 256 if element is u8 else 1 << 16), n).astype(kind)
            with dev.array(values) as x:
                histogram(x)
                expected = np.bincount(values, minlength=bins)[:bins]
                assert np.array_equal(histogram.counts.numpy(), expected)
                histogram.add(x[n // 2 :])
                expected = expected + np.bincount(values[n // 2 :], minlength=bins)[:bins]
                assert np.array_equal(histogram.counts.numpy(), expected)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: Reduce(d, u8), "no reduction of .u8\n  Fix: f16, bf16, u32, s32, f32, u64, s64 or f64"),
        (lambda d: Reduce(d, f32, op="mul"), "no reduction by 'mul'"),
        (lambda d: Reduce("cpu", f32), "'cpu' is not a device"),
        (lambda d: Reduce(d, f16)(d.zeros(3, f16), d.zeros(1, f16)), "out is an array of .f16, expected .f32"),
        (lambda d: Reduce(d, f32)(d.zeros(3, f32), d.zeros(0, f32)), "out has 0 elements, expected at least 1"),
        (lambda d: Reduce(d, f32)((x := d.zeros(3, f32)), x[2:]), "out and x share memory"),
        (lambda d: Reduce(d, f32)([1.0], d.zeros(1, f32)), "x is list, not a device array"),
        (lambda d: Histogram(d, px.s8, 4), "no histogram of .s8\n  Fix: u8, u16 or u32"),
        (lambda d: Histogram(d, "u8", 4), "no histogram of 'u8'"),
        (lambda d: Histogram(d, u8, 0), "bins is 0\n  Fix: 1 to "),
        (lambda d: Histogram(d, u32, 1 << 31), "bins is 2147483648\n  Fix: 1 to "),
        (lambda d: Histogram(d, u8, 4)(d.zeros(3, u16)), "x is an array of .u16, expected .u8"),
        (lambda d: (h := Histogram(d, u32, 4))(h.counts), "the counts and x share memory"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)
