"""`x.to(type)`, `x.bits(type)` and constants: from every type to every type."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import b16, b32, b64, bf16, f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import decode, encode, numpy_name

S = TypeVar("S", bound=Value)
T = TypeVar("T", bound=Value)

INTEGERS = [u8, s8, u16, s16, u32, s32, u64, s64]
FLOATS = [f16, bf16, f32, f64]
TARGETS = ["sm_75", "sm_80", "sm_90a"]


@px.kernel
def converts(k: px.Builder, x: px.ptr[S], z: px.ptr[T], *, source: type[S], result: type[T]):
    i = k.tid.x
    z[i] = x[i].to(result)


def held(values, type_):
    """The values as the type holds them; of bf16, float32s."""
    with np.errstate(over="ignore"):
        wide = np.array(values, np.float64)
        return decode(encode(wide, type_.isa), type_.isa) if type_ is bf16 else wide.astype(numpy_name(type_.isa))


def converted(run, dev, values, source, result):
    x, z = dev.array(values, source), dev.zeros(len(values), result)
    return run(converts, x, z, block=len(values), source=source, result=result)[1]


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("result", INTEGERS)
def test_integers_truncate_or_extend(run, dev, source, result):
    kind = numpy_name(source.isa)
    x = np.array([0, 1, 2, 100, 127, -1 & np.iinfo(kind).max, np.iinfo(kind).min, np.iinfo(kind).max], kind)
    found = converted(run, dev, x, source, result)
    assert np.array_equal(found, x.astype(numpy_name(result.isa)))


REALS = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    2.5,
    0.1,
    -100.7,
    65519.0,
    65520.0,
    1e-7,
    3e-8,
    1e10,
    -1e30,
    1e-40,
    np.inf,
    -np.inf,
    np.nan,
]


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("result", FLOATS)
def test_floats_round_to_nearest_even(run, dev, source, result):
    x = held(REALS, source)
    assert np.array_equal(converted(run, dev, x, source, result), held(x, result), equal_nan=True)


@px.kernel
def f32_to_bf16_and_back(k: px.Builder, x: px.ptr[f32], z: px.ptr[bf16], w: px.ptr[f32]):
    i = k.tid.x
    half = x[i].to(bf16)
    z[i] = half
    w[i] = half.to(f32)


@pytest.mark.parametrize("target", TARGETS)
def test_bf16_on_targets_that_have_no_instruction_for_it(run, dev, target):
    x = np.concatenate([np.array(REALS), np.random.default_rng(0).standard_normal(200)]).astype(np.float32)
    _, z, w = run(f32_to_bf16_and_back, x, dev.zeros(len(x), bf16), np.zeros_like(x), block=len(x), target=target)
    expected = held(x, bf16)
    assert np.array_equal(z, expected, equal_nan=True)
    assert np.array_equal(w, expected, equal_nan=True)


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("result", FLOATS)
def test_integers_become_the_nearest_float(run, dev, source, result):
    kind = np.iinfo(numpy_name(source.isa))
    x = np.array([0, 1, 100, 127, kind.min, kind.max, kind.max // 3], kind.dtype)
    found = converted(run, dev, x, source, result)
    assert np.array_equal(found, held(x, result))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("result", INTEGERS)
def test_floats_become_integers_toward_zero_and_saturate(run, dev, source, result):
    x = held([0.0, 0.9, 1.5, 2.5, 100.75, -0.9, -1.5, -100.7, 1e30 if source is not f16 else 60000, -1e9], source)
    kind = np.iinfo(numpy_name(result.isa))
    found = converted(run, dev, x, source, result)
    finite = np.nan_to_num(x.astype(np.float64), posinf=1e300, neginf=-1e300)
    assert found.tolist() == [int(min(max(np.trunc(v), kind.min), kind.max)) for v in finite]


@px.kernel
def rounds(k: px.Builder, x: px.ptr[f32], z: px.ptr[s32], w: px.ptr[f16]):
    a = x[k.tid.x]
    for row, mode in enumerate(("rni", "rzi", "rmi", "rpi")):
        z[k.tid.x + row * 8] = a.to(s32, mode)
    for row, mode in enumerate(("rn", "rz")):
        w[k.tid.x + row * 8] = a.to(f16, mode)


def test_the_rounding_can_be_chosen(run, dev):
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.7, -2.7, 1.0004883], np.float32)
    _, z, w = run(rounds, x, np.zeros(32, np.int32), dev.zeros(16, f16), block=8)
    assert z.reshape(4, 8).tolist() == [f(x).astype(int).tolist() for f in (np.rint, np.trunc, np.floor, np.ceil)]
    assert w[[7, 15]].tolist() == [1.0, 1.0]
    assert np.abs(w[8:]).tolist() <= np.abs(x).tolist()


@px.kernel
def reinterprets(k: px.Builder, x: px.ptr[f32], y: px.ptr[f64], h: px.ptr[f16], z: px.ptr[u64]):
    word: u32 = x[0].bits(u32)
    z[0] = word.to(u64)
    z[1] = y[0].bits(u64)
    z[2] = h[0].bits(u16).to(u64)
    z[3] = word.bits(f32).bits(b32).bits(s32).to(s64).bits(u64)
    z[4] = y[0].bits(b64).bits(s64).bits(u64)
    z[5] = h[0].bits(b16).to(b32).to(b64).bits(u64)


def test_bits_keep_their_pattern(run, dev):
    x, y, h = np.array([-1.5], np.float32), np.array([0.1]), np.array([65504], np.float16)
    *_, z = run(reinterprets, x, y, h, np.zeros(6, np.uint64), block=1)
    word, double, half = (int(v.view(f"u{v.itemsize}")[0]) for v in (x, y, h))
    assert z.tolist() == [word, double, half, (word - 2**32) % 2**64, double, half]


@px.kernel
def predicates(k: px.Builder, x: px.ptr[s32], z: px.ptr[s32], w: px.ptr[f16]):
    p = x[0].to(px.pred)
    z[0] = p.to(s32)
    z[1] = (~p).to(s32)
    w[0] = p.to(f16)


@pytest.mark.parametrize("value, truth", [(0, 0), (1, 1), (-5, 1)])
def test_predicates_are_zero_or_one(run, dev, value, truth):
    _, z, w = run(predicates, np.array([value], np.int32), np.zeros(2, np.int32), dev.zeros(1, f16), block=1)
    assert (*z.tolist(), *w.tolist()) == (truth, 1 - truth, truth)


@px.kernel
def constants(
    k: px.Builder, a: px.ptr[u64], b: px.ptr[s8], c: px.ptr[f16], d: px.ptr[bf16], e: px.ptr[f64], f: px.ptr[f32]
):
    a[0] = k.const(u64, 2**64 - 1)
    b[0] = k.const(s8, -128)
    c[0] = k.const(f16, 1 / 3)
    d[0] = k.const(bf16, 1 / 3)
    e[0] = k.const(f64, 0.1)
    for i, value in enumerate((0.1, float("inf"), float("nan"), -0.0, 1e-45, 3)):
        f[i] = value


@pytest.mark.parametrize("target", TARGETS)
def test_constants_are_exact(run, dev, target):
    given = [dev.zeros(n, t) for n, t in ((1, u64), (1, s8), (1, f16), (1, bf16), (1, f64), (6, f32))]
    a, b, c, d, e, f = run(constants, *given, block=1, target=target)
    assert (a[0], b[0], c[0], e[0]) == (2**64 - 1, -128, np.float16(1 / 3), 0.1)
    assert d[0] == held([1 / 3], bf16)[0]
    assert f.tobytes() == np.array([0.1, np.inf, np.nan, -0.0, 1e-45, 3], np.float32).tobytes()


def test_constants_are_printed_as_bits():
    """A decimal fraction would be rounded again by whoever reads it."""
    text = str(constants.module())
    assert "0f3DCCCCCD" in text
    assert "0f7F800000" in text
    assert "0d3FB999999999999A" in text


def test_these_kernels_assemble(assembles):
    every = [converts.using(source=s, result=t) for s in (*INTEGERS, *FLOATS) for t in (*INTEGERS, *FLOATS)]
    together = [px.module(*every, target=t, strict=True) for t in ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120")]
    assert all(len(module.entries) == 144 for module in together)
    assembles([f32_to_bf16_and_back, rounds, reinterprets, predicates, constants])
    from ptxgen.assembler import assemble_many

    assert [r for r in assemble_many([str(m) for m in together]) if not hasattr(r, "cubin")] == []
