"""Mathematical functions: the instruction that each becomes, and how near it comes."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f16x2, f32, f64, s16, s32, s64, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name

E = TypeVar("E", bound=Value)


@px.kernel
def function(k: px.Builder, x: px.ptr[E], z: px.ptr[E], *, element: type[E], name: str, approx: bool | None = None):
    options = {} if approx is None else {"approx": approx}
    z[k.tid.x] = getattr(k, name)(x[k.tid.x], **options)


X = np.array([0.001, 0.1, 0.5, 0.9, 1.0, 1.7, 2.0, 3.14159, 4.0, 6.0])

# name, numpy's, largest relative error in f32 (manual 9.7.3; of exp and log, of the product too)
FUNCTIONS = [
    ("sqrt", np.sqrt, 2**-24),
    ("rsqrt", lambda x: 1 / np.sqrt(x), 2**-22),
    ("rcp", lambda x: 1 / x, 2**-24),
    ("exp2", np.exp2, 2**-22),
    ("exp", np.exp, 2**-20),
    ("log2", lambda x: np.log2(x, where=x != 1, out=np.zeros_like(x)), 2**-21),
    ("log", lambda x: np.log(x, where=x != 1, out=np.zeros_like(x)), 2**-20),
    ("sin", np.sin, 2**-10),
    ("cos", np.cos, 2**-9),
    ("tanh", np.tanh, 2**-10),
    ("abs", np.abs, 0),
]


@pytest.mark.parametrize("name, meaning, error", FUNCTIONS)
@pytest.mark.parametrize("element, roundoff", [(f16, 2**-11), (bf16, 2**-8), (f32, 0)])
def test_functions(run, dev, element, roundoff, name, meaning, error):
    x = dev.array(X, element)
    if name == "tanh" and element is f16:
        error = 2**-10  # tanh.approx.f16 (manual 9.7.4.10)
    _, z = run(function, x, dev.zeros(len(X), element), block=len(X), element=element, name=name)
    exact = meaning(x.numpy().astype(np.float64))
    assert np.allclose(z, exact, rtol=error + 2 * roundoff, atol=1e-6 if name in ("sin", "cos", "log", "log2") else 0)


@pytest.mark.parametrize("name", ["sqrt", "rcp", "abs"])
def test_f64_is_exactly_rounded(run, name):
    _, z = run(function, X, np.zeros_like(X), block=len(X), element=f64, name=name)
    assert np.array_equal(z, {"sqrt": np.sqrt(X), "rcp": 1 / X, "abs": X}[name])


@pytest.mark.parametrize("name, instruction", [("sqrt", "sqrt.approx.f32"), ("rcp", "rcp.approx.f32")])
def test_approximation_is_a_choice(run, name, instruction):
    assert instruction in str(function.module(element=f32, name=name, approx=True))
    x = X.astype(np.float32)
    _, z = run(function, x, np.zeros_like(x), block=len(x), element=f32, name=name, approx=True)
    assert np.allclose(z, {"sqrt": np.sqrt(x), "rcp": 1 / x}[name], rtol=2**-22)


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "sin", "cos", "tanh"])
def test_what_f64_does_not_have_says_what_to_write(name):
    with pytest.raises(
        px.BuildError, match=rf"{name} has no f64 instruction(.|\n)*k\.{name}\(x\.to\(f32\)\)\.to\(f64\)"
    ):
        function.module(element=f64, name=name)


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "sin", "sqrt", "rcp", "floor"])
@pytest.mark.parametrize("element", [u32, s32, f16x2, e4m3])
def test_a_function_of_what_is_no_float_needs_a_conversion(element, name):
    with pytest.raises(px.BuildError, match=rf"{name} of a \.{element.isa.name} value(.|\n)*x\.to\(f32\)"):
        function.module(element=element, name=name)


def test_a_function_of_a_python_number_is_python_s():
    @px.kernel
    def kernel(k: px.Builder, z: px.ptr[f32]):
        z[0] = k.exp(3.0)

    with pytest.raises(px.BuildError, match=r"exp of 3.0(.|\n)*k.const\(f32, 3.0\), or math.exp"):
        kernel.module()


@px.kernel
def fused(k: px.Builder, x: px.ptr[E], z: px.ptr[E], *, element: type[E]):
    z[0] = k.fma(x[0], x[1], x[2])
    z[1] = k.fma(x[0], 2, x[2])
    z[2] = k.fma(3, x[1], 1)


@pytest.mark.parametrize("element", [f16, f32, f64])
def test_fma_rounds_once(run, element):
    kind = numpy_name(element.isa)
    a = np.nextafter(kind_one := np.ones(1, kind), kind_one * 2)[
        0
    ]  # 1 + ulp: a*a - 1 keeps its last bit only when fused
    x = np.array([a, a, -1], kind)
    _, z = run(fused, x, np.zeros(3, kind), block=1, element=element)
    ulp = float(a) - 1
    assert z[0] == kind_one.dtype.type(2 * ulp + ulp * ulp)
    assert z[1] == a * 2 - 1


@pytest.mark.parametrize("element", [u16, s16, u32, s32, u64, s64])
def test_fma_of_integers_is_the_low_half(run, element):
    kind = np.dtype(numpy_name(element.isa))
    x = np.array([100, 3, 7], kind)
    _, z = run(fused, x, np.zeros(3, kind), block=1, element=element)
    assert z.tolist() == [307, 207, 10]


@pytest.mark.parametrize("target", ["sm_75", "sm_80"])
def test_fma_of_bf16(run, dev, target):
    x = dev.array([1.5, 2.0, -3.25], bf16)
    _, z = run(fused, x, dev.zeros(3, bf16), block=1, element=bf16, target=target)
    assert z.tolist() == [-0.25, -0.25, 7.0]


@px.kernel
def divided(k: px.Builder, x: px.ptr[f32], z: px.ptr[f32]):
    z[0] = k.div(x[0], x[1])
    z[1] = k.div(x[0], x[1], approx=True)
    z[2] = k.div(x[0], 3.0, approx=True, ftz=True)


def test_division_exact_and_approximate(run):
    x = np.array([1, 3], np.float32)
    _, z = run(divided, x, np.zeros(3, np.float32), block=1)
    third = np.float32(1) / np.float32(3)
    assert z[0] == third
    assert np.allclose(z[1:], third, rtol=2**-22)


@px.kernel
def clamped(k: px.Builder, x: px.ptr[f32], z: px.ptr[f32], i: px.ptr[s32], j: px.ptr[s32]):
    z[k.tid.x] = k.clamp(x[k.tid.x], 0, 1)
    j[k.tid.x] = k.clamp(i[k.tid.x], -3, 5)


def test_clamp_and_of_nan_the_lower_end(run):
    x, i = np.array([-1, 0.25, 7, math.nan], np.float32), np.array([-9, -3, 2, 9], np.int32)
    _, z, _, j = run(clamped, x, x * 0, i, i * 0, block=4)
    assert z.tolist() == [0, 0.25, 1, 0]
    assert j.tolist() == [-3, -3, 2, 5]


@px.kernel
def counts(k: px.Builder, x: px.ptr[E], z: px.ptr[u32], w: px.ptr[E], *, element: type[E]):
    i = k.tid.x
    z[i] = k.popc(x[i])
    z[i + 4] = k.clz(x[i])
    w[i] = k.brev(x[i])


@pytest.mark.parametrize("element, width", [(u32, 32), (u64, 64)])
def test_bits_are_counted_and_reversed(run, element, width):
    values = [0, 1, 0b1011 << 20, (1 << width) - 1]
    x = np.array(values, numpy_name(element.isa))
    _, z, w = run(counts, x, np.zeros(8, np.uint32), x * 0, block=4, element=element)
    assert z[:4].tolist() == [bin(v).count("1") for v in values]
    assert z[4:].tolist() == [width - v.bit_length() for v in values]
    assert w.tolist() == [int(f"{v:0{width}b}"[::-1], 2) for v in values]


@px.kernel
def products(k: px.Builder, a: px.ptr[E], high: px.ptr[E], *, element: type[E]):
    high[0] = k.mulhi(a[0], a[1])


@pytest.mark.parametrize("element", [u16, s16, u32, s32, u64, s64])
def test_the_upper_half_of_a_product(run, element):
    limits = np.iinfo(numpy_name(element.isa))
    x = np.array([limits.max, limits.min or limits.max - 5], limits.dtype)
    _, high = run(products, x, x[:1] * 0, block=1, element=element)
    assert high[0] == int(x[0]) * int(x[1]) >> element.isa.bits


@px.kernel
def wide_products(k: px.Builder, a: px.ptr[u32], b: px.ptr[s32], c: px.ptr[u64], d: px.ptr[s64]):
    c[0] = k.mul_wide(a[0], a[1])
    d[0] = k.mul_wide(b[0], -7)


def test_the_whole_of_a_product(run):
    *_, c, d = run(wide_products, np.array([2**32 - 1, 2**32 - 2], np.uint32), np.array([-(2**31)], np.int32),
                   np.zeros(1, np.uint64), np.zeros(1, np.int64), block=1)  # fmt: skip
    assert (c[0], d[0]) == ((2**32 - 1) * (2**32 - 2), 7 * 2**31)


@px.kernel
def chosen(k: px.Builder, x: px.ptr[E], z: px.ptr[E], *, element: type[E]):
    i = k.tid.x
    z[i] = k.select(i < 1, x[i], 3)
    z[i + 2] = k.select(~(i < 1), 5, x[i])


@pytest.mark.parametrize("element", [u16, s32, u64, f16, bf16, f32, f64])
def test_select(run, dev, element):
    _, z = run(chosen, dev.array([7, 9], element), dev.zeros(4, element), block=2, element=element)
    assert z.tolist() == [7, 3, 7, 5]


def test_these_kernels_assemble(assembles):
    floats = (f16, bf16, f32)
    assembles(
        [function.using(element=e, name=name) for e in floats for name, *_ in FUNCTIONS], targets=["sm_75", "sm_90a"]
    )
    assembles([function.using(element=f64, name=name) for name in ("sqrt", "rcp", "rsqrt", "abs")])
    assembles([kernel.using(element=e) for e in (*floats, f64, u32, s64) for kernel in (fused, chosen)])
    assembles(
        [
            divided,
            clamped,
            wide_products,
            counts.using(element=u32),
            counts.using(element=u64),
            products.using(element=s64),
        ]
    )
