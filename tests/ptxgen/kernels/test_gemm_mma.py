"""The GEMM by mma.sync and fma: every kind of operand on every target, against float64; and how it uses shared memory."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, s8, s32, u8, u32
from ptxgen.errors import BuildError
from ptxgen.isa.layouts import bank_conflicts
from ptxgen.kernels.cases import rounded
from ptxgen.kernels.matrices import gemm_mma as file
from ptxgen.kernels.matrices.gemm_mma import Tiling, gemm_mma, plan, tiling_for

SMALL = {"bm": 16, "bn": 32, "warps": (1, 2), "stages": 2}
SIZES = [(1, 1, 1), (7, 5, 3), (32, 32, 64), (33, 70, 41), (3, 2, 0), (0, 4, 5)]


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


@cache
def loaded(dev, target, **options):
    return dev.load(gemm_mma.module(target=target, strict=True, **options))["gemm_mma"]


class Matrices:
    """`batch` matrices in a longer array: `rows` by `columns`, apart as the strides say, the rest filled with NaN (or 99)."""

    def __init__(self, dev, values, element, major, *, whole, apart=1):
        batch = len(values)
        lines = values if major == "K" else values.swapaxes(1, 2)
        length = lines.shape[2] * apart
        line = length + (-length % 16 if whole else 3)
        self.front = 0 if whole else 1  # elements before the first: its address is then as odd as its type allows
        size = self.front + batch * lines.shape[1] * line + 16
        stored = np.full(size, 99 if values.dtype.kind in "iu" else np.nan, values.dtype)
        self.inside = stored[self.front :][: batch * lines.shape[1] * line].reshape(batch, lines.shape[1], line)
        self.inside[:, :, :length:apart] = lines
        self.array = dev.array(stored, element)
        of_batch = line * lines.shape[1]
        self.strides = (line, apart, of_batch) if major == "K" else (apart, line, of_batch)

    @property
    def given(self):
        return self.array[self.front :] if self.front else self.array


def drawn(rng, shape, element):
    if element.isa.is_float:
        return rounded(rng.standard_normal(shape).astype(np.float32), element)
    low, high = (-128, 128) if element is s8 else (0, 256)
    return rng.integers(low, high, shape).astype(np.int8 if element is s8 else np.uint8)


def check(dev, size, *, batch=1, grid=2, target="sm_80", element=bf16, result=f32, apart=1, **options):
    """Compute C and compare every element, those around C included."""
    rng = np.random.default_rng(1)
    m, n, depth = size
    whole = options.get("aligned", False)
    options = {**SMALL, **options, "element": element, "result": result}
    a, b = drawn(rng, (batch, m, depth), element), drawn(rng, (batch, n, depth), element)
    majors = options.get("major_a", "K"), options.get("major_b", "K")
    of_a, of_b = (
        Matrices(dev, values, element, major, whole=whole, apart=apart) for values, major in zip((a, b), majors)
    )
    before = np.full((batch, m, n), 5, np.float32 if result.isa.is_float else np.int32)
    of_c = Matrices(dev, before, result, "K", whole=whole, apart=apart)
    arguments = (m, n, depth, batch, of_a.given, *of_a.strides, of_b.given, *of_b.strides, of_c.given, *of_c.strides)
    loaded(dev, target, **options).launch(grid, 32 * options["warps"][0] * options["warps"][1], arguments)
    expected, sizes = (np.einsum("bmk,bnk->bmn", f(a.astype(float)), f(b.astype(float))) for f in (np.asarray, np.abs))
    limit = 0.0
    if element.isa.is_float:
        multiplied = 2.0**-10 if element is f32 and not options.get("exact") and target != "sm_75" else 0.0
        of_result = {f32: 2.0**-24, f16: 2.0**-11, bf16: 2.0**-8}[result]
        limit = sizes * (multiplied + 2 * depth * 2.0**-24) * 1.01 + np.abs(expected) * of_result
        limit = limit + {f32: 0, f16: 2.0**-25, bf16: 2.0**-134}[result]  # half of the smallest number
    after = of_c.array.numpy()
    found = after[of_c.front :][: of_c.inside.size].reshape(of_c.inside.shape)
    error = np.abs(found[:, :, : n * apart : apart] - expected)
    assert (error <= limit).all(), f"{size}: off by {error.max()}"
    inside = np.zeros(of_c.inside.shape, bool)
    inside[:, :, : n * apart : apart] = True
    assert np.array_equal(found[~inside], of_c.inside[~inside], equal_nan=True)


WAYS = {
    "bf16": {"element": bf16},
    "bf16-mn": {"element": bf16, "major_a": "MN", "major_b": "MN", "result": bf16},
    "f16": {"element": f16, "result": f16, "major_b": "MN"},
    "tf32": {"element": f32, "major_a": "MN"},
    "f32": {"element": f32, "exact": True, "major_b": "MN"},
    "s8": {"element": s8, "result": s32, "major_b": "MN"},
}


KINDS = [
    *(("sm_80", way, aligned) for way in WAYS for aligned in (True, False)),
    *(("sm_75", way, True) for way in ("bf16", "f16", "s8")),
    ("sm_75", "f16", False),
]


@pytest.mark.parametrize("target, way, aligned", KINDS)
def test_sizes(dev, target, way, aligned):
    for size in SIZES:
        check(dev, size, target=target, aligned=aligned, batch=2, **WAYS[way])


@pytest.mark.parametrize("element, result, target", [(u8, s32, "sm_80"), (e4m3, f32, "sm_89"), (f16, f32, "sm_60")])
def test_other_elements_and_targets(dev, element, result, target):
    check(dev, (33, 70, 41), target=target, element=element, result=result, aligned=True)


@pytest.mark.parametrize(
    "options",
    [
        {"bk": 16, "aligned": True, "stages": 4},  # A has fewer copies than there are threads
        {"bk": 16, "major_a": "MN"},
        {"bk": 16, "order": "hilbert"},
        {"bk": 128, "aligned": True, "major_b": "MN"},  # two spans of the swizzle
        {"bk": 64, "element": f32, "exact": True},
        {"bm": 32, "bn": 128, "warps": (2, 1), "major_b": "MN", "aligned": True, "result": bf16, "group": 1},
    ],
)
def test_other_tiles(dev, options):
    check(dev, (50, 150, 140), **options)


def test_elements_that_are_apart(dev):
    """No stride is 1: every second, or third, element of a row."""
    for apart in (2, 3):
        check(dev, (33, 9, 41), batch=2, apart=apart, major_b="MN")


def test_rows_backwards(dev):
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-9, 9, (40, 24)).astype(np.float32) for _ in range(2))
    of_a, of_b, of_c = dev.array(a.ravel(), f32), dev.array(b.ravel(), f32), dev.zeros(1600, f32)
    arguments = (40, 40, 24, 1, of_a[39 * 24 :], -24, 1, 0, of_b, 24, 1, 0, of_c, 40, 1, 0)
    loaded(dev, "sm_80", **SMALL, element=f32, result=f32, exact=True).launch(1, 64, arguments)
    assert np.array_equal(of_c.numpy().reshape(40, 40), a[::-1] @ b.T)


@pytest.mark.parametrize("exact", [True, False])
def test_what_is_no_number_stays_in_its_row_and_column(dev, exact):
    """NaN and infinities: zeros beyond the edges are multiplied by zeros alone."""
    a, b = np.ones((35, 19), np.float32), np.ones((35, 19), np.float32)
    a[34, 18], a[3, 0], b[34, 18], b[5, 2] = np.inf, np.nan, -np.inf, np.inf
    of_a, of_b, of_c = dev.array(a.ravel(), f32), dev.array(b.ravel(), f32), dev.zeros(35 * 35, f32)
    arguments = (35, 35, 19, 1, of_a, 19, 1, 0, of_b, 19, 1, 0, of_c, 35, 1, 0)
    loaded(dev, "sm_80", **SMALL, element=f32, result=f32, exact=exact).launch(4, 64, arguments)
    with np.errstate(invalid="ignore"):
        assert np.array_equal(of_c.numpy().reshape(35, 35), a @ b.T, equal_nan=True)


def test_an_epilogue_knows_the_place(dev):
    """It is applied to the sums, before they are rounded to the result's type."""

    def scaled(k, value, row, column):
        return value * 0.5 + (row * 100 + column).to(f32)

    of_a, of_b = dev.array(np.ones(40 * 8), bf16), dev.array(np.ones(40 * 8), bf16)
    of_c = dev.zeros(1600, f32)
    plan(40, 40, 8, of_a, of_b, of_c, result=f32, epilogue=scaled, tiling=Tiling(**SMALL)).launch()
    expected = 4 + np.arange(40)[:, None] * 100 + np.arange(40)
    assert np.array_equal(of_c.numpy().reshape(40, 40), expected)


def test_a_plan_takes_the_fast_way_where_it_can(dev):
    a, c = dev.zeros(64 * 64, bf16), dev.zeros(64 * 64, bf16)

    def fast(n=64, **options):
        return plan(64, n, 64, a, a, c, **options).kernel._options["aligned"]

    assert fast()
    assert not fast(n=63)
    assert fast(n=56)
    assert not fast(strides_a=(64, 1, 4), batch=2)
    assert fast(strides_a=(64, 1, 4))
    assert not fast(major_b="MN", strides_b=(2, 64, 0))
    assert not plan(8, 8, 8, a[1:], a, c).kernel._options["aligned"]


@pytest.mark.parametrize(
    "size, element, shared, expected",
    [
        ((4096, 4096, 1), bf16, 227 << 10, Tiling(256, 128, 64, (4, 2))),
        ((4096, 4096, 1), f32, 99 << 10, Tiling(128, 128, 32, (2, 2))),
        ((4096, 4096, 1), s8, 64 << 10, Tiling(128, 128, 64, (2, 2))),
        ((1024, 1024, 3), bf16, 227 << 10, Tiling(128, 128, 64, (2, 2))),
        ((200, 70, 1), f16, 227 << 10, Tiling(64, 64, 64, (2, 2))),
    ],
)
def test_tiles_are_as_large_as_shared_memory_and_the_device_allow(size, element, shared, expected):
    assert tiling_for(*size, element, shared=shared, processors=132) == expected


@pytest.mark.parametrize("shared", [227 << 10, 99 << 10, 64 << 10])
@pytest.mark.parametrize("element, exact", [(bf16, False), (f32, True), (s8, False)])
def test_the_tiling_that_a_plan_takes(dev, element, exact, shared):
    """Edges of every tile: one row, column and step more than it has."""
    rng = np.random.default_rng(3)
    n = 16 // element.isa.bytes * 17
    a, b = (drawn(rng, (rows, n), element) for rows in (260, n))
    of_a, of_b = dev.array(a, element), dev.array(b, element)
    result = s32 if element is s8 else f32
    of_c = dev.zeros((260, n), result)
    plan(260, n, n, of_a, of_b, of_c, element=element, result=result, exact=exact, shared=shared, processors=2).launch()
    x, y = of_a.numpy().astype(float), of_b.numpy().astype(float)
    assert np.abs(of_c.numpy() - x @ y.T).max() <= (0 if element is s8 else 1e-4 * (np.abs(x) @ np.abs(y).T).max())


# ---- shared memory ---------------------------------------------------------------------------------------------------


def addresses(dev, make, threads, count):
    """What a kernel says of each thread: `count` addresses, a row each."""

    @px.kernel
    def kernel(k: px.Builder, a: px.ptr[bf16], f: px.ptr[f32], out: px.ptr[u32]):
        for number, pointer in enumerate(make(k, a, f)):
            out[number * threads + k.tid.x] = pointer.address

    out = dev.zeros(threads * count, u32)
    module = kernel.module(target="sm_80")
    dev.load(module)["kernel"].launch(1, threads, (dev.zeros(8, bf16), dev.zeros(8, f32), out))
    return out.numpy().reshape(count * threads // 32, 32).tolist()


@pytest.mark.parametrize("way", ["bf16", "bf16-mn", "tf32", "f32"])
def test_shared_memory_is_read_and_written_without_conflicts(dev, way):
    """By 16-byte copies, by ldmatrix (a matrix is 8 addresses) and by the loads for fma, of the default tiles."""
    major = "MN" if way == "bf16-mn" else "K"
    element = bf16 if way.startswith("bf16") else f32

    def make(k, a, f):
        total = k.warp_sums(64, 32, element, exact=way == "f32")
        shape = (128, 512 // element.isa.bits)
        feed = file._Feed(k, a if element is bf16 else f, total, shape, major, 2, 256, True)
        warp = k.tid.x // 32
        left, right = total.left(feed.tile, warp // 4 * 64), total.right(feed.tile, warp % 4 * 32)
        step = 256 // element.isa.bits
        yield from (feed._to(1, hop) for hop in range(2))
        for rows in (left, right):
            yield from (rows[1].at(row, column) for row in (0, 16) for column in (0, step))

    for lanes in addresses(dev, make, 256, 10):
        assert bank_conflicts(lanes, 16) == 0


# ---- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, complaint",
    [
        ({"bm": 96}, r"a warp's sums of 48 rows(.|\n)*16, 32, 64 or 128"),
        ({"bm": 100, "warps": (3, 1)}, r"a tile of 100 x 128 shared by 3 x 1 warps"),
        ({"stages": 1}, r"1 stages(.|\n)*one is filled while another is read"),
        ({"bk": 24}, r"a tile of 128 x 24 elements of 2 bytes"),
        (
            {"warps": (2, 1), "bm": 128, "bn": 64, "major_a": "MN"},
            r"64 threads share a tile of 128 x 32, 128 copies a line",
        ),
        ({"element": px.f64}, r"sums of products of \.f64"),
        ({"bm": 256, "bn": 256, "stages": 8, "bk": 64}, r"bytes of planned shared memory"),
    ],
)
def test_mistakes(options, complaint):
    with pytest.raises(BuildError, match=complaint):
        gemm_mma.module(target="sm_80", **options)
