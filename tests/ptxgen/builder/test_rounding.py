"""Whole numbers, and what a floating-point value is: finite, infinite, or no number."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, f64, u8, u16, u32, u64
from ptxgen.builder.values import Value

E = TypeVar("E", bound=Value)
FLOATS = [f16, bf16, f32, f64]
HALVES = [
    -2.5,
    -1.5,
    -1.25,
    -0.5,
    -0.25,
    -0.0,
    0.0,
    0.5,
    0.75,
    1.0,
    1.5,
    2.5,
    3.5,
    7.75,
    100.0,
    np.inf,
    -np.inf,
    np.nan,
]
MODES = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}


@px.kernel
def whole(k: px.Builder, x: px.ptr[E], z: px.ptr[E], *, element: type[E], name: str):
    z[k.tid.x] = getattr(k, name)(x[k.tid.x])


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("name", MODES)
def test_whole_numbers(run, dev, element, name):
    x = dev.array(HALVES, element)
    _, z = run(whole, x, dev.zeros(len(HALVES), element), block=len(HALVES), element=element, name=name)
    expected = MODES[name](x.numpy().astype(np.float64))
    assert np.array_equal(z, expected, equal_nan=True)
    assert np.array_equal(np.signbit(z[:-1]), np.signbit(expected[:-1]))  # of NaN there is no telling


@px.kernel
def classes(k: px.Builder, x: px.ptr[E], z: px.ptr[u8], *, element: type[E]):
    value = x[k.tid.x]
    for place, test in enumerate((k.is_nan, k.is_inf, k.is_finite)):
        z[k.tid.x * 3 + place] = test(value).to(u8)


@pytest.mark.parametrize("element", FLOATS)
def test_classes_of_numbers(run, dev, element):
    x = dev.array(HALVES, element)
    _, z = run(classes, x, dev.zeros(3 * len(HALVES), u8), block=len(HALVES), element=element)
    tests = (np.isnan, np.isinf, np.isfinite)
    assert z.reshape(-1, 3).tolist() == [[int(test(v)) for test in tests] for v in HALVES]


BITS = {f16: (u16, 0x7E01, 0x7FFF), bf16: (u16, 0xFFC1, 0x7FFF), f32: (u32, 0xFF800001, 0x7FFFFFFF),
        f64: (u64, 0x7FF0000000000001, 0x7FF8 << 48)}  # fmt: skip


@px.kernel
def canonical(k: px.Builder, x: px.ptr[E], *, element: type[E]):
    x[k.tid.x] = k.canonical(x[k.tid.x])


@pytest.mark.parametrize("element", FLOATS)
def test_every_nan_is_stored_alike(run, dev, element):
    bits, nan, one = BITS[element]
    half = 1 << (element.isa.bits - 1)
    patterns = np.array([nan, 0, half, 1, nan ^ half], np.dtype(f"u{element.isa.bytes}"))
    x = dev.array(patterns, bits)
    module = canonical.module(target=dev.target, element=element)
    dev.load(module)["canonical"].launch(1, 5, (x,))
    assert x.numpy().tolist() == [one, 0, half, 1, one]


@pytest.mark.parametrize("name", ["floor", "round", "is_nan", "is_inf", "is_finite", "canonical"])
def test_integers_are_refused(name):
    with pytest.raises(px.BuildError, match=rf"{name} of a? ?\.u32(.|\n)*floating-point"):
        whole.module(element=u32, name=name)


def test_these_kernels_assemble(assembles):
    assembles([whole.using(element=e, name=name) for e in FLOATS for name in MODES], targets=["sm_75", "sm_90a"])
    assembles([kernel.using(element=e) for e in FLOATS for kernel in (classes, canonical)])
