"""Operators: every one on every type, at the ends of its range, beside what Python and numpy say."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, f64, pred, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import decode, encode, numpy_name

E = TypeVar("E", bound=Value)

INTEGERS = (u8, s8, u16, s16, u32, s32, u64, s64)
FLOATS = (f16, bf16, f32, f64)
TARGETS = ("sm_75", "sm_80", "sm_90a")  # the three ways in which half types are computed


# ---- integers --------------------------------------------------------------------------------------------------------


@px.kernel
def integer_arithmetic(k: px.Builder, n: u32, x: px.ptr[E], y: px.ptr[E], z: px.ptr[E], *, element: type[E]):
    i = k.tid.x
    a, b = x[i], y[i]
    divisor = k.select(b == 0, 1, b)
    results = [
        a + b,
        a - b,
        a * b,
        a // divisor,
        a % divisor,
        a & b,
        a | b,
        a ^ b,
        ~a,
        -a,
        k.min(a, b),
        k.max(a, b),
        abs(a),
    ]
    for row, result in enumerate(results):
        z[i + row * n] = result


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


INTEGER_MEANING = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: truncated(a, b or 1),
    lambda a, b: a - truncated(a, b or 1) * (b or 1),
    lambda a, b: a & b,
    lambda a, b: a | b,
    lambda a, b: a ^ b,
    lambda a, b: ~a,
    lambda a, b: -a,
    min,
    max,
    lambda a, b: abs(a),
)


def ends(element):
    """Values of an integer type where something may go wrong."""
    bits, signed = element.isa.bits, element.isa.is_signed
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return [v for v in (0, 1, 2, 3, 7, 100, -1, -2, -7, low, low + 1, high, high - 1, high // 3) if low <= v <= high]


def wrapped(value, element):
    bits = element.isa.bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if element.isa.is_signed and value >> (bits - 1) else value


def pairs(values, element):
    both = [(a, b) for a in values for b in values]
    return (np.array(column, dtype=numpy_name(element.isa)) for column in zip(*both))


@pytest.mark.parametrize("element", INTEGERS)
def test_integer_arithmetic_wraps(run, element):
    x, y = pairs(ends(element), element)
    z = np.zeros(len(INTEGER_MEANING) * len(x), x.dtype)
    *_, z = run(integer_arithmetic, len(x), x, y, z, block=len(x), element=element)
    low = -(1 << (element.isa.bits - 1))
    for row, meaning in zip(z.reshape(len(INTEGER_MEANING), -1), INTEGER_MEANING):
        for a, b, found in zip(x.tolist(), y.tolist(), row.tolist()):
            if element.isa.is_signed and (a, b) == (low, -1) and meaning in INTEGER_MEANING[3:5]:
                continue  # the quotient does not fit: undefined (manual 9.7.1.5)
            assert found == wrapped(meaning(a, b), element), (meaning, a, b)


@px.kernel
def shifts(k: px.Builder, x: px.ptr[E], amounts: px.ptr[u32], left: px.ptr[E], right: px.ptr[E], *, element: type[E]):
    i = k.tid.x
    left[i] = x[i] << amounts[i]
    right[i] = x[i] >> amounts[i]


@pytest.mark.parametrize("element", INTEGERS)
def test_shifts_by_the_width_or_more_leave_zero_or_the_sign(run, element):
    both = [(v, s) for v in ends(element) for s in (0, 1, 7, element.isa.bits - 1, element.isa.bits, 63, 64, 1000)]
    x, amounts = np.array([v for v, _ in both], numpy_name(element.isa)), np.array([s for _, s in both], np.uint32)
    _, _, left, right = run(shifts, x, amounts, x * 0, x * 0, block=len(x), element=element)
    assert left.tolist() == [wrapped(v << s, element) for v, s in both]
    assert right.tolist() == [wrapped(v >> s, element) for v, s in both]


@px.kernel
def comparisons(k: px.Builder, x: px.ptr[E], y: px.ptr[E], z: px.ptr[u32], *, element: type[E]):
    i = k.tid.x
    a, b = x[i], y[i]
    outcomes = [a == b, a != b, a < b, a <= b, a > b, a >= b]
    bits = k.const(u32, 0)
    for place, outcome in enumerate(outcomes):
        bits = bits | (outcome.to(u32) << place)
    z[i] = bits


def outcomes_of(a, b):
    return sum(bool(v) << place for place, v in enumerate((a == b, a != b, a < b, a <= b, a > b, a >= b)))


@pytest.mark.parametrize("element", INTEGERS)
def test_integer_comparisons(run, element):
    x, y = pairs(ends(element), element)
    *_, z = run(comparisons, x, y, np.zeros(len(x), np.uint32), block=len(x), element=element)
    assert z.tolist() == [outcomes_of(a, b) for a, b in zip(x.tolist(), y.tolist())]


# ---- floating point --------------------------------------------------------------------------------------------------

REALS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    3.0,
    0.1,
    -7.25,
    65504.0,
    1e-7,
    -3e-5,
    1e30,
    float("inf"),
    float("-inf"),
    float("nan"),
]


@px.kernel
def float_arithmetic(k: px.Builder, n: u32, x: px.ptr[E], y: px.ptr[E], z: px.ptr[E], *, element: type[E]):
    i = k.tid.x
    a, b = x[i], y[i]
    for row, result in enumerate([a + b, a - b, a * b, a / b, -a, abs(a), k.min(a, b), k.max(a, b)]):
        z[i + row * n] = result


def float_meaning(a, b):
    return [a + b, a - b, a * b, a / b, -a, np.abs(a), np.fmin(a, b), np.fmax(a, b)]


def same(found, expected):
    """Equal bits, but that any NaN is a NaN and a zero a zero (min and max of zeros of both signs may be either)."""
    return np.array_equal(found, expected, equal_nan=True)


def real_pairs(element):
    """Both columns as values that the type holds: float64, float32, float16, or for bf16 float32."""
    with np.errstate(over="ignore"):
        both = np.array([(a, b) for a in REALS for b in REALS]).T
        if element is bf16:
            return decode(encode(both, bf16.isa), bf16.isa)
        return both.astype(numpy_name(element.isa))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", FLOATS)
def test_float_arithmetic_is_rounded_to_nearest_even(run, dev, element, target):
    x, y = real_pairs(element)
    given = (dev.array(x, element), dev.array(y, element), dev.zeros(8 * len(x), element))
    *_, z = run(float_arithmetic, len(x), *given, block=len(x), element=element, target=target)
    with np.errstate(all="ignore"):
        expected = np.array(float_meaning(x, y))
        if element is bf16:
            expected = decode(encode(expected, bf16.isa), bf16.isa)
    assert same(z.reshape(8, -1), expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", FLOATS)
def test_float_comparisons_with_nan(run, dev, element, target):
    x, y = real_pairs(element)
    given = (dev.array(x, element), dev.array(y, element), dev.zeros(len(x), u32))
    *_, z = run(comparisons, *given, block=len(x), element=element, target=target)
    assert z.tolist() == [outcomes_of(a, b) for a, b in zip(x.tolist(), y.tolist())]


@px.kernel
def negative_zero(k: px.Builder, x: px.ptr[E], *, element: type[E]):
    i = k.tid.x
    x[i] = -x[i]


@pytest.mark.parametrize("element", FLOATS)
def test_negation_changes_the_sign_of_zero(run, dev, element):
    (x,) = run(negative_zero, dev.array(np.array([0.0, -0.0], np.float32), element), block=2, element=element)
    assert np.signbit(x).tolist() == [True, False]


# ---- Python numbers --------------------------------------------------------------------------------------------------


@px.kernel
def with_numbers(k: px.Builder, x: px.ptr[s32], f: px.ptr[f32], z: px.ptr[s32], w: px.ptr[f32]):
    a, b = x[0], f[0]
    for i, value in enumerate(
        [a + 1, 1 + a, a - 1, 1 - a, a * 6, 6 * a, a // 4, 100 // a, a % 4, 5 & a, 8 | a, 1 ^ a, a << 3]
    ):
        z[i] = value
    for i, value in enumerate([b + 1, 1 - b, b * 0.5, 1 / b, b / 3, 2 + b]):
        w[i] = value


def test_a_python_number_takes_the_type_of_the_other_side(run):
    x, f = np.array([-7], np.int32), np.array([0.75], np.float32)
    _, _, z, w = run(with_numbers, x, f, np.zeros(13, np.int32), np.zeros(6, np.float32), block=1)
    assert z.tolist() == [-6, -6, -8, 8, -42, -42, -1, -14, -3, 5 & -7, 8 | -7, 1 ^ -7, -56]
    b = np.float32(0.75)
    assert w.tolist() == [b + 1, 1 - b, b / 2, np.float32(1) / b, b / np.float32(3), b + 2]


@px.kernel
def cheaper(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    a = x[0]
    for i, value in enumerate([a + 0, a * 1, a // 1, a * 8, a // 8, a % 8, a | 0, a - 0]):
        z[i] = value


def test_operations_with_powers_of_two_need_no_multiplier():
    text = str(cheaper.module(strict=True))
    assert not any(word in text for word in ("mul", "div", "rem", "add.u32"))
    assert [text.count(word) for word in ("shl.b32", "shr.u32", "and.b32")] == [1, 1, 1]


def test_and_mean_the_same(run):
    *_, z = run(cheaper, np.array([1234567], np.uint32), np.zeros(8, np.uint32), block=1)
    a = 1234567
    assert z.tolist() == [a, a, a, a * 8, a // 8, a % 8, a, a]


# ---- predicates ------------------------------------------------------------------------------------------------------


@px.kernel
def logic(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    p, q = x[0] != 0, x[1] != 0
    always, never = k.const(pred, 1), k.const(pred, 0)
    results = [p & q, p | q, p ^ q, ~p, ~(p & ~q), p == q, p != q, k.select(p, q, ~q), p & always, p | never]
    for i, result in enumerate(results):
        z[i] = result.to(u32)


@pytest.mark.parametrize("p", [0, 1])
@pytest.mark.parametrize("q", [0, 1])
def test_predicates_combine(run, p, q):
    _, z = run(logic, np.array([p, q], np.uint32), np.zeros(10, np.uint32), block=1)
    expected = [p & q, p | q, p ^ q, 1 - p, 1 - (p & (1 - q)), p == q, p != q, q if p else 1 - q, p, p]
    assert z.tolist() == [int(v) for v in expected]


# ---- untyped bits ----------------------------------------------------------------------------------------------------


@px.kernel
def bits(k: px.Builder, x: px.ptr[px.b32], z: px.ptr[px.b32]):
    a, b = x[0], x[1]
    for i, value in enumerate([a & b, a | b, a ^ b, ~a, a & 0xFF]):
        z[i] = value


def test_untyped_bits_know_logic_only(run):
    a, b = 0xDEADBEEF, 0x12345678
    _, z = run(bits, np.array([a, b], np.uint32), np.zeros(5, np.uint32), block=1)
    assert z.tolist() == [a & b, a | b, a ^ b, a ^ 0xFFFFFFFF, a & 0xFF]


@pytest.mark.parametrize("element", [*INTEGERS, *FLOATS])
def test_these_kernels_assemble(assembles, element):
    generic = (integer_arithmetic, shifts) if element in INTEGERS else (float_arithmetic, negative_zero)
    assembles([kernel.using(element=element) for kernel in (*generic, comparisons)])


def test_the_others_assemble_too(assembles):
    assembles([with_numbers, cheaper, logic, bits])


def test_equal_numbers_are_constants_of_their_own():
    """Of 0.0 and -0.0, of 1, 1.0 and True, and of one number in several types."""

    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[f32], y: px.ptr[u32]):
        for number in (0.0, -0.0, 0, 1.0, True, 1, -0.0, np.float32(-0.0)):
            x[0] = k.const(f32, number)
        for number in (0, False, 1.0, True):
            y[0] = k.const(u32, number)

    stores = [each.operands[1] for each in kernel.module().entries[0].instructions() if each.opcode == "st"]
    zero, minus, one = 0, 0x80000000, 0x3F800000
    assert [each.value for each in stores] == [zero, minus, zero, one, one, one, minus, minus, 0, 0, 1, 1]
    assert [each.kind for each in stores] == ["f32"] * 8 + ["int"] * 4


@pytest.mark.parametrize("type, number, message", [(u8, 256, "256 does not fit"), (u32, 1.5, "no .u32 constant")])
def test_a_number_that_does_not_fit_is_refused_each_time(type, number, message):
    @px.kernel
    def kernel(k: px.Builder):
        for _ in range(2):
            with pytest.raises(px.BuildError, match=message) as caught:
                k.const(type, number)  # refused
            assert caught.value.diagnostics[0].locations[0].excerpt().endswith("# refused")

    kernel.module()
