"""Integer arithmetic that is defined for every operand, against Python's integers."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name

E = TypeVar("E", bound=Value)
EVERY = [u8, s8, u16, s16, u32, s32, u64, s64]


def limits(element) -> tuple[int, int]:
    info = np.iinfo(numpy_name(element.isa))
    return int(info.min), int(info.max)


def interesting(element) -> np.ndarray:
    low, high = limits(element)
    values = {low, low + 1, high, high - 1, -3, -2, -1, 0, 1, 2, 3, 7, 100, high // 3, high // 2 + 1}
    return np.array(sorted(v for v in values if low <= v <= high), numpy_name(element.isa))


def wrapped(element, value: int) -> int:
    value &= (1 << element.isa.bits) - 1
    return value - (1 << element.isa.bits) if element.isa.is_signed and value >> (element.isa.bits - 1) else value


def clamped(element, value: int) -> int:
    low, high = limits(element)
    return max(low, min(high, value))


def quotient(element, a: int, b: int) -> int:
    if b == 0:
        return 0 if element.isa.is_signed else limits(element)[1]
    return wrapped(element, abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def remainder(element, a: int, b: int) -> int:
    return 0 if b == 0 else (abs(a) % abs(b)) * (-1 if a < 0 else 1)


MEANING = {
    "total_div": quotient,
    "total_rem": remainder,
    "add_sat": lambda e, a, b: clamped(e, a + b),
    "sub_sat": lambda e, a, b: clamped(e, a - b),
    "mul_sat": lambda e, a, b: clamped(e, a * b),
    "mulhi": lambda e, a, b: a * b >> e.isa.bits,
}


@px.kernel
def binary(k: px.Builder, a: px.ptr[E], b: px.ptr[E], z: px.ptr[E], *, element: type[E], name: str):
    i = k.global_id.x
    z[i] = getattr(k, name)(a[i], b[i])


@pytest.mark.parametrize("element", EVERY)
@pytest.mark.parametrize("name", MEANING)
def test_of_every_pair(run, name, element):
    values = interesting(element)
    a, b = np.repeat(values, len(values)), np.tile(values, len(values))
    *_, z = run(binary, a, b, a * 0, grid=len(values), block=len(values), element=element, name=name)
    assert z.tolist() == [MEANING[name](element, int(x), int(y)) for x, y in zip(a, b)]


@px.kernel
def by_constants(k: px.Builder, a: px.ptr[E], z: px.ptr[E], *, element: type[E], name: str, numbers: tuple[int, ...]):
    i = k.tid.x
    for place, number in enumerate(numbers):
        z[i * 2 * len(numbers) + 2 * place] = getattr(k, name)(a[i], number)
        z[i * 2 * len(numbers) + 2 * place + 1] = getattr(k, name)(number, a[i])


@pytest.mark.parametrize("element", EVERY)
@pytest.mark.parametrize("name", MEANING)
def test_with_a_constant_on_either_side(run, name, element):
    values = interesting(element)
    numbers = tuple(n for n in (0, 1, -1, 3, 8, *limits(element)) if limits(element)[0] <= n)
    out = np.zeros(2 * len(values) * len(numbers), values.dtype)
    _, z = run(by_constants, values, out, block=len(values), element=element, name=name, numbers=numbers)
    meaning = MEANING[name]
    assert z.tolist() == [
        result for a in values.tolist() for n in numbers for result in (meaning(element, a, n), meaning(element, n, a))
    ]


@px.kernel
def divides(k: px.Builder, a: px.ptr[E], z: px.ptr[E], *, element: type[E], by: int, total: bool):
    z[0] = k.total_div(a[0], by) if total else a[0] // by
    z[1] = k.total_rem(a[0], by) if total else a[0] % by


@pytest.mark.parametrize("element, by", [(u32, 3), (u32, 8), (u64, 10), (s32, 7), (s32, -4), (s64, 5), (u16, 9)])
def test_a_constant_divisor_costs_nothing_extra(element, by):
    plain, total = (str(divides.module(element=element, by=by, total=total)) for total in (False, True))
    assert total == plain


@pytest.mark.parametrize("element, extra", [(u32, 4), (u64, 4), (s32, 8), (s64, 8)])
def test_any_other_costs_what_is_documented(element, extra):
    @px.kernel
    def both(k: px.Builder, a: px.ptr[E], *, element: type[E], total: bool):
        x, y = a[0], a[1]
        a[2] = k.total_div(x, y) if total else x // y
        a[3] = k.total_rem(x, y) if total else x % y

    counts = [
        sum(1 for f in both.module(element=element, total=total).functions for _ in f.instructions())
        for total in (False, True)
    ]
    assert counts[1] - counts[0] == extra


@px.kernel
def distances(k: px.Builder, a: px.ptr[E], b: px.ptr[E], z: px.ptr[u64], *, element: type[E]):
    i = k.global_id.x
    z[i] = k.abs_diff(a[i], b[i]).to(u64)


@pytest.mark.parametrize("element", EVERY)
def test_a_distance_is_exact_and_unsigned(run, element):
    values = interesting(element)
    a, b = np.repeat(values, len(values)), np.tile(values, len(values))
    out = np.zeros(len(a), np.uint64)
    *_, z = run(distances, a, b, out, grid=len(values), block=len(values), element=element)
    assert z.tolist() == [abs(int(x) - int(y)) for x, y in zip(a, b)]


@px.kernel
def float_distances(k: px.Builder, a: px.ptr[E], z: px.ptr[E], *, element: type[E]):
    z[0] = k.abs_diff(a[0], a[1])
    z[1] = k.abs_diff(a[1], 1.5)


@pytest.mark.parametrize("element", [f16, f32, f64])
def test_a_distance_of_floats(run, dev, element):
    _, z = run(float_distances, dev.array([2, -3.25], element), dev.zeros(2, element), block=1, element=element)
    assert z.tolist() == [5.25, 4.75]


@px.kernel
def rotates(k: px.Builder, a: px.ptr[E], z: px.ptr[E], *, element: type[E], counts: tuple[int, ...]):
    i = k.tid.x
    width = 4 * len(counts)
    for place, count in enumerate(counts):
        by = k.var(u32, count)
        for column, turned in enumerate((k.rotl(a[i], count), k.rotr(a[i], count), k.rotl(a[i], by), k.rotr(a[i], by))):
            z[i * width + 4 * place + column] = turned


@pytest.mark.parametrize("element", EVERY)
def test_rotations_by_any_count(run, element):
    bits = element.isa.bits
    counts = (0, 1, 5, bits // 2, bits // 2 + 3, bits - 1, bits, bits + 7, 100)
    values = interesting(element)
    out = np.zeros(4 * len(values) * len(counts), values.dtype)
    _, z = run(rotates, values, out, block=len(values), element=element, counts=counts)
    expected = []
    for value in values.tolist():
        pattern = f"{value & ((1 << bits) - 1):0{bits}b}"
        for count in counts:
            left, right = count % bits, -count % bits
            turned = [wrapped(element, int(pattern[by:] + pattern[:by], 2)) for by in (left, right)]
            expected += turned * 2
    assert z.tolist() == expected


def test_a_rotation_of_32_bits_is_one_instruction():
    text = str(rotates.module(element=u32, counts=(5,)))
    assert text.count("shf.l.wrap.b32") == text.count("shf.r.wrap.b32") == 2
    assert "and.b32" not in text


@px.kernel
def counts(k: px.Builder, a: px.ptr[E], z: px.ptr[u32], w: px.ptr[E], *, element: type[E]):
    i = k.tid.x
    for place, count in enumerate((k.popc, k.clz, k.ctz)):
        z[i * 3 + place] = count(a[i])
    w[i] = k.brev(a[i])


@pytest.mark.parametrize("element", EVERY)
def test_bits_of_every_type_are_counted_and_reversed(run, element):
    bits = element.isa.bits
    values = interesting(element)
    out = np.zeros(3 * len(values), np.uint32)
    _, z, w = run(counts, values, out, values * 0, block=len(values), element=element)
    patterns = [value & ((1 << bits) - 1) for value in values.tolist()]
    assert z.tolist() == [
        n for p in patterns for n in (p.bit_count(), bits - p.bit_length(), (p & -p).bit_length() - 1 if p else bits)
    ]
    assert w.tolist() == [wrapped(element, int(f"{p:0{bits}b}"[::-1], 2)) for p in patterns]


@pytest.mark.parametrize(
    "mistake, complaint",
    [
        (lambda k, x, y: k.total_div(1, 2), r"a division of 1 and 2(.|\n)*k\.const"),
        (lambda k, x, y: k.total_rem(y, 2), r"a division of \.f32(.|\n)*an integer value"),
        (lambda k, x, y: k.add_sat(y, 1.0), r"a saturating add of \.f32"),
        (lambda k, x, y: k.add_sat(x, x.to(s32)), r"a saturating add of \.u32 and \.s32"),
        (lambda k, x, y: k.mul_sat(x, -1), r"-1 does not fit in \.u32"),
        (lambda k, x, y: k.rotl(y, 3), r"a rotation of \.f32(.|\n)*x\.bits\(u32\)"),
        (lambda k, x, y: k.rotl(x, x.to(u64)), r"a rotation by a \.u64"),
        (lambda k, x, y: k.rotr(7, 3), r"a rotation of 7"),
        (lambda k, x, y: k.ctz(y), r"ctz of \.f32"),
        (lambda k, x, y: k.abs_diff(x, y), r"a distance of \.u32 and \.f32"),
    ],
)
def test_mistakes(mistake, complaint):
    @px.kernel
    def wrong(k: px.Builder, x: px.ptr[u32], y: px.ptr[f32]):
        mistake(k, x[0], y[0])

    with pytest.raises(px.BuildError, match=complaint):
        wrong.module()


def test_under_a_guard(run):
    @px.kernel
    def guarded(k: px.Builder, a: px.ptr[s32]):
        x, y = a[0], a[1]
        with k.pred(k.tid.x == 0):
            a[2] = k.total_div(x, y)
            a[3] = k.rotl(k.add_sat(x, y), 4)

    (a,) = run(guarded, np.array([-(2**31), -1, 5, 5], np.int32), block=2)
    assert a.tolist()[2:] == [-(2**31), 8]


def test_these_kernels_assemble(assembles):
    assembles(
        [binary.using(element=e, name=name) for e in EVERY for name in MEANING]
        + [kernel.using(element=e) for e in EVERY for kernel in (distances, counts)]
        + [rotates.using(element=e, counts=(3, 40)) for e in EVERY],
        targets=["sm_75", "sm_90a"],
    )
