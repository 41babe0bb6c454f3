"""Vectors of 2 to 16 lanes: every lane what the same operation on one value gives, and the widest instructions for it."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptxgen as px
from ptxgen import bf16, e4m3, e5m2, f16, f32, f64, s16, s32, u8, u16, u32

THREADS = 8
BITS = {8: u8, 16: u16, 32: u32}
FLOATS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "min": lambda a, b: KB[0].min(a, b),
    "max": lambda a, b: KB[0].max(a, b), "neg": lambda a, b: -a, "abs": lambda a, b: abs(b), "2-": lambda a, b: 2.0 - a,
    "fma": lambda a, b: KB[0].fma(a, b, a), "fma with numbers": lambda a, b: KB[0].fma(0.5, b, 3.0), "*2": lambda a, b: a * 2,
}  # fmt: skip
INTEGERS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "~": lambda a, b: ~a, "min": FLOATS["min"], "max": FLOATS["max"], "<<": lambda a, b: a << 3, "+7": lambda a, b: 7 + a,
}  # fmt: skip
KB: list = [None]  # the builder of the kernel that is traced
LANES = (2, 4, 8, 16)


def both_ways(element, lanes, operation):
    """A kernel that does it with vectors, and value by value."""
    bits = BITS[element.isa.bits]

    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[bits], y: px.ptr[bits], whole: px.ptr[bits], single: px.ptr[bits]):
        KB[0] = k
        i = k.tid.x
        a, b = (each.cast(element) for each in (x, y))
        whole.cast(element).vectors(lanes)[i] = operation(a.vectors(lanes)[i], b.vectors(lanes)[i])
        for lane in range(lanes):
            place = i * lanes + lane
            single.cast(element)[place] = operation(a[place], b[place])

    return kernel


@settings(max_examples=12, deadline=None, database=None)
@given(data=st.data())
def test_lanes_are_computed_as_values_are(dev, data):
    element = data.draw(st.sampled_from([f16, bf16, f32, u16, s16, u32]))
    operations = FLOATS if element.isa.is_float else INTEGERS
    operation = operations[data.draw(st.sampled_from(sorted(operations)))]
    lanes = data.draw(st.sampled_from(LANES))
    target = data.draw(st.sampled_from(["sm_75", "sm_80", "sm_90a"]))
    random = np.random.default_rng(data.draw(st.integers(0, 1 << 20)))
    bits = BITS[element.isa.bits]
    count, dtype = THREADS * lanes, np.dtype(f"u{bits.isa.bytes}")
    x, y = (random.integers(0, 1 << bits.isa.bits, count, dtype) for _ in range(2))
    if element.isa.is_float:  # no NaN: which one comes out is not said
        limit = {f16: 0x7C00, bf16: 0x7F80, f32: 0x7F800000}[element]
        x, y = (np.where(v & limit == limit, v & dtype.type(~limit & (1 << bits.isa.bits) - 1), v) for v in (x, y))
    arrays = [dev.array(x, bits), dev.array(y, bits), dev.zeros(count, bits), dev.zeros(count, bits)]
    module = both_ways(element, lanes, operation).module(target=target, strict=True)
    dev.load(module)["kernel"].launch(1, THREADS, tuple(arrays))
    whole, single = (each.numpy() for each in arrays[2:])
    if element.isa.is_float:  # 0/0 and inf - inf
        nan = single & dtype.type(limit * 2 - 1 & ~(1 << bits.isa.bits - 1)) > limit
        whole, single = np.where(nan, 0, whole), np.where(nan, 0, single)
    np.testing.assert_array_equal(whole, single)


PACKED = {
    (f16, "sm_75"): "add.rn.f16x2", (bf16, "sm_90a"): "add.rn.bf16x2", (bf16, "sm_80"): "fma.rn.bf16x2",
    (u16, "sm_90a"): "add.u16x2", (s16, "sm_100a"): "add.s16x2",
}  # fmt: skip


@pytest.mark.parametrize("element, target", PACKED)
def test_two_lanes_are_added_at_once(element, target):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[element]):
        v = x.vectors(8)
        v[0] = v[0] + v[1]

    text = kernel.ptx(target=target)
    assert text.count(PACKED[element, target]) == 4
    assert "mov.b32 {" not in text
    assert text.count("v4.b32") == 3


@px.kernel
def copied(k: px.Builder, x: px.ptr[f32], y: px.ptr[bf16], z: px.ptr[f64], b: px.ptr[u8]):
    i = k.tid.x
    x.vectors(16)[i + 1] = x.vectors(16)[i]
    y.vectors(16)[i + 1] = y.vectors(16)[i]
    z.vectors(4)[i + 1] = z.vectors(4)[i]
    b.vectors(16)[i + 1] = b.vectors(16)[i]


@pytest.mark.parametrize(
    "target, accesses",
    [
        ("sm_90a", {"v4.f32": 4, "v4.b32": 3, "v2.f64": 2}),
        ("sm_100a", {"v8.f32": 2, "v8.b32": 1, "v4.f64": 1, "v4.b32": 1}),
    ],
)
def test_accesses_are_as_wide_as_the_target_has(target, accesses):
    text = copied.ptx(target=target)
    for name, count in accesses.items():
        assert text.count(f"ld.global.{name}") == text.count(f"st.global.{name}") == count
    assert "_param_0" not in text
    assert text.count(".align 32 x") == text.count(".align 32 y") == text.count(".align 32 z") == 1
    assert text.count(".align 16 b") == 1


def test_sixteen_lanes_go_through_every_space(dev, run):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[u8], y: px.ptr[f32]):
        i = k.tid.x
        tile, mine = k.shared(px.vec[f32, 16], 4), k.local(px.vec[u8, 16], 1)
        mine[0] = x.vectors(16)[i]
        tile[i] = mine[0].to(f32) + 1.0
        k.barrier()
        y.vectors(16)[3 - i] = tile[i]

    x = np.arange(64, dtype=np.uint8)
    _, y = run(kernel, dev.array(x, u8), np.zeros(64, np.float32), block=4)
    np.testing.assert_array_equal(y, (x + 1.0).reshape(4, 16)[::-1].ravel())


@px.kernel
def pieces(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32], one: px.ptr[f32]):
    v = x.vectors(8)[0]
    out = y.vectors(2)
    out[0] = v[:2]
    out[1] = v[-2:]
    out[2] = v[::4]
    y.vectors(4)[2] = v[1:3].concat(v[0], 9.0 + v[7])
    y.vectors(8)[2] = v[:4].concat(v[4:])
    y.vectors(2)[3] = k.vec(v[5], 7)
    y.vectors(2)[12] = v[1:4].map(lambda a, b: a * b, v[:3])[1:]
    for place, found in enumerate(
        [v.sum(), v.max(), v.min(), v[:3].sum(), v[:7].max(), v.reduce(lambda a, b: a * b), (2.0 * v[:5] - v[0]).sum()]
    ):
        one[place] = found


def test_slices_concatenation_and_reductions(run):
    x = np.array([3, -1, 4, 1, -5, 9, 2, 6], np.float32)
    _, y, one = run(pieces, x, np.zeros(26, np.float32), np.zeros(7, np.float32), block=1)
    np.testing.assert_array_equal(y[:8], [*x[:2], *x[-2:], x[0], x[4], x[5], 7])
    np.testing.assert_array_equal(y[8:12], [x[1], x[2], x[0], 9 + x[7]])
    np.testing.assert_array_equal(y[16:24], x)
    np.testing.assert_array_equal(y[24:26], [x[2] * x[1], x[3] * x[2]])
    np.testing.assert_array_equal(one, [x.sum(), 9, -5, 6, 9, x.prod(), (2 * x[:5] - x[0]).sum()])


@pytest.mark.parametrize("element", [f32, f16, bf16, s32])
def test_variables_of_vectors(dev, element):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[element], y: px.ptr[element], n: u32):
        total, largest = k.var(px.vec[element, 8], 0), k.var(px.vec[element, 8])
        largest.set(-100)
        step = k.const(px.vec[element, 8], 2)
        for i in k.range(n):
            v = x.vectors(8)[i]
            total += v * step
            largest.set(k.max(largest, v))
            with k.if_(i == n - 1):
                total -= 1
        y.vectors(8)[0] = +total
        y.vectors(8)[1] = k.select(n > 2, largest, total)

    x = np.random.default_rng(1).integers(-9, 9, (4, 8))
    y = dev.zeros(16, element)
    kernel[1, 1](dev.array(x.reshape(-1), element), y, 4)
    wide = dev.zeros(16, f32)
    widen(element)[1, 16](y, wide)
    np.testing.assert_array_equal(wide.numpy().reshape(2, 8), [2 * x.sum(0) - 1, x.max(0)])


def widen(element):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[element], y: px.ptr[f32]):
        y[k.tid.x] = x[k.tid.x].to(f32)

    return kernel


@pytest.mark.parametrize("small", [e4m3, e5m2])
def test_eight_bit_floats_are_converted_two_at_once(run, dev, small):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[u8], whole: px.ptr[f32], single: px.ptr[f32], back: px.ptr[u8]):
        v = x.cast(small).vectors(16)[k.tid.x]
        halves = v.to(f16)
        whole.vectors(16)[k.tid.x] = halves.to(f32)
        back.cast(small).vectors(16)[k.tid.x] = halves.to(small)
        for lane in range(16):
            single[k.tid.x * 16 + lane] = x.cast(small)[k.tid.x * 16 + lane].to(f32)

    text = kernel.ptx(target="sm_90a")
    assert text.count(f"cvt.rn.f16x2.{small.isa.name}x2") == 8 + 16  # single values, one at a time
    assert text.count(f"cvt.rn.satfinite.{small.isa.name}x2.f16x2") == 8
    x = np.arange(256, dtype=np.uint8)
    outputs = np.zeros(256, np.float32), np.zeros(256, np.float32), dev.zeros(256, u8)
    _, whole, single, back = run(kernel, dev.array(x, u8), *outputs, block=16)
    np.testing.assert_array_equal(whole, single)
    finite = np.isfinite(single)
    np.testing.assert_array_equal(back[finite], x[finite])


def test_a_swizzled_tile_s_vectors_stay_in_its_chunks():
    @px.kernel(threads=32)
    def kernel(k: px.Builder, y: px.ptr[f32]):
        tile = k.tile(f32, (8, 32))
        y.vectors(4)[0] = tile.at(0, 4).vectors(4)[0]
        y.vectors(8)[0] = tile.at(0, 4).vectors(8)[0]

    with pytest.raises(
        px.BuildError, match=r"PTX425(.|\n)*32 bytes in a tile whose swizzle moves 16 at a time(.|\n)*4 lanes"
    ):
        kernel.module(target="sm_90a")


def test_a_place_between_wide_vectors_is_a_fault_of_the_launch(run, dev):
    x = dev.zeros(64, f32)
    with pytest.raises(px.Error, match="its vector accesses need 32-byte alignment"):
        run(copied, x[4:], dev.zeros(64, bf16), dev.zeros(64, f64), dev.zeros(64, u8), block=1)


def test_all_of_it_assembles(assembles):
    kernels = [both_ways(bf16, 2, lambda a, b: KB[0].fma(a + b, -a, KB[0].max(b, abs(a))))]
    kernels += [both_ways(f16, 2, lambda a, b: KB[0].fma(a - b, a * b, KB[0].min(b, -a)))]
    kernels += [both_ways(u16, 4, lambda a, b: KB[0].max(a + b, ~a ^ b)), copied, pieces]
    assembles(kernels, ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120"])
    for kernel in kernels:
        kernel.module(target="sm_70", strict=True)
