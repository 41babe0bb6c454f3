"""Bounded pointers: what an index out of range does, whatever it is, and that no memory beyond the end is touched."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Value

E = TypeVar("E", bound=Value)
I = TypeVar("I", bound=Value)  # noqa: E741
EVERY = [u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64]
INDICES = {
    u32: [0, 3, 4, 5, 1 << 31, (1 << 32) - 1],
    s32: [0, 3, 4, 5, -1, -(1 << 31), (1 << 31) - 1],
    u64: [0, 3, 4, 5, 1 << 32, 1 << 63, (1 << 64) - 1],
    s64: [0, 3, 4, 5, -1, -(1 << 63), (1 << 63) - 1, 1 << 32],
}
NUMPY = {u32: np.uint32, s32: np.int32, u64: np.uint64, s64: np.int64}


@px.kernel
def loads(k: px.Builder, x: px.ptr[E], at: px.ptr[I], n: u32, z: px.ptr[E], *, element: type[E], index: type[I]):
    i = at[k.tid.x]
    for column, view in enumerate(
        (x.bounded(n), x.bounded(n, otherwise=9), x.bounded(n, "first"), x.bounded(n, "nearest"))
    ):
        z[k.tid.x * 4 + column] = view[i]


def expected_loads(x: list, indices: list[int]) -> list:
    n = len(x)
    return [found for i in indices for found in ([x[i]] * 4 if 0 <= i < n else [0, 9, x[0], x[min(max(i, 0), n - 1)]])]


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("element", EVERY)
def test_loads_out_of_range(run, dev, element, index):
    x = dev.array([5, 6, 7, 8], element)
    at = np.array(INDICES[index], NUMPY[index])
    *_, z = run(loads, x, at, 4, dev.zeros(4 * len(at), element), block=len(at), element=element, index=index)
    assert z.tolist() == expected_loads([5, 6, 7, 8], INDICES[index])


@pytest.mark.parametrize("count", [u32, s32, u64, s64])
@pytest.mark.parametrize("index", INDICES)
def test_counts_of_every_type_and_python_numbers(run, index, count):
    @px.kernel
    def counted(k: px.Builder, x: px.ptr[f32], at: px.ptr[I], n: E, z: px.ptr[f32], *, index: type[I], count: type[E]):
        i = at[k.tid.x]
        z[k.tid.x * 4] = x.bounded(n)[i]
        z[k.tid.x * 4 + 1] = x.bounded(4, otherwise=9)[i]
        z[k.tid.x * 4 + 2] = x.bounded(n, "first")[i]
        z[k.tid.x * 4 + 3] = x.bounded(4, "nearest")[i]

    x = np.array([5, 6, 7, 8], np.float32)
    at = np.array(INDICES[index], NUMPY[index])
    *_, z = run(counted, x, at, 4, np.zeros(4 * len(at), np.float32), block=len(at), index=index, count=count)
    assert z.tolist() == expected_loads([5, 6, 7, 8], INDICES[index])


@px.kernel
def with_constants(k: px.Builder, x: px.ptr[s32], n: u32, z: px.ptr[s32], *, at: int):
    z[0] = x.bounded(n, otherwise=-1)[at]
    z[1] = x.bounded(3, otherwise=-1)[at]
    z[2] = x.bounded(n, "nearest")[at]
    z[3] = x.bounded(3, "nearest")[at]
    z[4] = x.bounded(n, "first")[at]
    z[5] = x.bounded(3, "first")[at]
    z[6] = x.bounded(1 << 40)[k.const(u32, 1)]
    x.bounded(n)[at] = 70
    x.bounded(3)[at] = 70


@pytest.mark.parametrize("at", [0, 2, 3, -1, 1 << 35])
def test_numbers_as_indices(run, at):
    x, _, *_ = run(with_constants, before := np.array([5, 6, 7, 0], np.int32), 3, np.zeros(7, np.int32), block=1, at=at)
    assert x.tolist() == [70 if i == at else v for i, v in enumerate([5, 6, 7])] + [0]
    _, z = run(with_constants, before, 3, np.zeros(7, np.int32), block=1, at=at)
    there, near = 0 <= at < 3, [5, 6, 7][min(max(at, 0), 2)]
    assert z.tolist() == [near if there else -1] * 2 + [near] * 2 + [near if there else 5] * 2 + [6]


def test_what_is_known_to_be_in_range_costs_nothing():
    @px.kernel
    def plain(k: px.Builder, x: px.ptr[f32]):
        x[3] = x[2]

    @px.kernel
    def bounded(k: px.Builder, x: px.ptr[f32]):
        view = x.bounded(4, otherwise=1.5)
        view[3] = view[2]

    assert str(bounded.module()).replace("bounded", "plain") == str(plain.module())


@px.kernel
def stores(
    k: px.Builder, x: px.ptr[E], n: u32, total: px.ptr[u32], old: px.ptr[u32], *, element: type[E], beyond: str | None
):
    i = k.tid.x.bits(s32) - 2
    view = x.bounded(n, beyond)
    view[i] = x[0]
    counts = total.bounded(n, beyond)
    old[k.tid.x] = k.atomic_add(counts, i, 5)
    k.reduce_max(counts, i, 3)
    old[k.tid.x + 8] = k.atomic_cas(total.bounded(n, otherwise=77), i, 5, 6)


@pytest.mark.parametrize("element", [*EVERY, e4m3])
@pytest.mark.parametrize("beyond", [None, "first", "nearest"])
def test_stores_and_atomics_out_of_range_never_happen(run, dev, element, beyond):
    x, total, old = dev.array([2] + [0] * 7, element), np.zeros(8, np.uint32), np.zeros(16, np.uint32)
    x, total, old = run(stores, x, 4, total, old, block=8, element=element, beyond=beyond)
    assert x.tolist() == [2, 2, 2, 2, 0, 0, 0, 0]
    assert total.tolist() == [6, 6, 6, 6, 0, 0, 0, 0]
    assert old.tolist() == [0] * 8 + [77, 77, 5, 5, 5, 5, 77, 77]


@px.kernel
def cut_vectors(
    k: px.Builder, x: px.ptr[E], n: u32, z: px.ptr[E], w: px.ptr[E], *, element: type[E], lanes: int, count: int | None,
    beyond: str | None, otherwise: int, signed: bool,
):  # fmt: skip
    i = k.tid.x.bits(s32) - 1 if signed else k.tid.x
    bound = n if count is None else count
    values = x.bounded(bound, beyond, otherwise=otherwise).vectors(lanes)[i]
    z.vectors(lanes)[k.tid.x] = values
    w.bounded(bound).vectors(lanes)[i] = values


CASES = [(u8, 8), (s8, 4), (u16, 2), (f16, 8), (bf16, 4), (s32, 4), (f32, 2), (f64, 2)]


@pytest.mark.parametrize("beyond, otherwise", [(None, 0), (None, 9), ("first", 0), ("nearest", 0)])
@pytest.mark.parametrize("element, lanes", CASES)
def test_a_vector_that_the_end_cuts(run, dev, element, lanes, beyond, otherwise):
    for count in (1, lanes, 3 * lanes - 1):
        for fixed, signed in ((None, False), (count, True)):
            x, clear = dev.array(np.arange(1, 4 * lanes + 1), element), dev.zeros(4 * lanes, element)
            x, z, w = run(
                cut_vectors, x, count, clear, dev.zeros(4 * lanes, element), block=4, element=element, lanes=lanes,
                count=fixed, beyond=beyond, otherwise=otherwise, signed=signed,
            )  # fmt: skip
            first = -lanes if signed else 0
            expected = []
            for i in range(first, first + 4 * lanes):
                stand_in = {None: otherwise, "first": 1, "nearest": min(max(i, 0), count - 1) + 1}[beyond]
                expected.append(i + 1 if 0 <= i < count else stand_in)
            assert z.tolist() == expected, (count, signed)
            end = first + 4 * lanes
            assert w.tolist() == [i + 1 if i < min(count, end) else 0 for i in range(4 * lanes)], (count, signed)


def test_whole_vectors_as_elements(run):
    @px.kernel
    def whole(k: px.Builder, x: px.ptr[px.vec[f32, 4]], z: px.ptr[px.vec[f32, 4]]):
        z[k.tid.x] = x.bounded(2, otherwise=7.0)[k.tid.x]

    x = np.arange(12, dtype=np.float32)
    _, z = run(whole, x, np.zeros(12, np.float32), block=3)
    assert z.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7]


def test_under_a_guard_only_its_threads_count(run):
    @px.kernel
    def guarded(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
        i = k.tid.x
        with k.pred(i % 2 == 0):
            z.bounded(5)[i] = x.bounded(3, otherwise=90)[i] + 1
        with k.pred(~(i % 2 == 0)):
            z.bounded(6)[i] = 50

    _, z = run(guarded, np.arange(10, dtype=np.uint32), np.zeros(8, np.uint32), block=8)
    assert z.tolist() == [1, 50, 3, 50, 91, 50, 0, 0]


def test_the_comparison_is_made_once():
    @px.kernel
    def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]):
        i = k.global_id.x
        out = y.bounded(n)
        out[i] = k.fma(a, x.bounded(n)[i], out[i])

    assert str(saxpy.module(strict=True)).count("setp") == 1


def test_shared_memory_and_a_variable_index(run):
    @px.kernel
    def neighbours(k: px.Builder, x: px.ptr[s32]):
        tile = k.shared(s32, 8)
        tile[k.tid.x] = x[k.tid.x]
        k.barrier()
        at = k.var(s32, k.tid.x.bits(s32))
        view = tile.pointer.bounded(8, otherwise=100)
        at -= 1
        left = view[at]
        at += 2
        x[k.tid.x] = left + view[at]

    (x,) = run(neighbours, np.arange(8, dtype=np.int32), block=8)
    assert x.tolist() == [101, 2, 4, 6, 8, 10, 12, 106]


def test_inside_tells(run):
    @px.kernel
    def tells(k: px.Builder, x: px.ptr[u32], n: u32):
        with k.if_(x.bounded(n).inside(k.tid.x)):
            x[k.tid.x] = x.bounded(4).inside(2).to(u32)

    (x,) = run(tells, np.zeros(8, np.uint32), 3, block=8)
    assert x.tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "mistake, complaint",
    [
        (lambda k, x: x.bounded(-1), r"a bound of -1(.|\n)*0 or more"),
        (lambda k, x: x.bounded(0, "first"), r"a bound of 0(.|\n)*1 or more"),
        (lambda k, x: x.bounded(4, "last"), r'bounded\(\.\.\., \'last\'\)(.|\n)*"nearest"'),
        (lambda k, x: x.bounded(4, "first", otherwise=2), r"bounded with 'first' and otherwise=2(.|\n)*one of the two"),
        (lambda k, x: x.bounded(x[0]), r"a bound is a 32- or 64-bit integer, not \.f32"),
        (lambda k, x: x.bounded(4)[x[0]], r"an index is a 32- or 64-bit integer, not \.f32"),
        (lambda k, x: x.bounded(4, otherwise=k.tid.x)[k.tid.x], r"otherwise is \.u32, the elements are \.f32(.|\n)*\.to\(f32\)"),
        (lambda k, x: x.vectors(4).bounded(4).vectors(2), r"vectors of vectors"),
        (lambda k, x: k.atomic_add(x.bounded(4).vectors(2), 0, 1.0), r"an atomic on a vector"),
        (lambda k, x: x.bounded(9).vectors(4).store(k.tid.x, [1.0]), r"1 values for a vector of 4"),
        (lambda k, x: k.ptx.st.global_.f32(x.bounded(4), x[0]), r"no operand of an exact instruction(.|\n)*inside"),
        (lambda k, x: x.read_only().bounded(4).store(9, 1.0), r"a store through(.|\n)*read-only"),
    ],
)  # fmt: skip
def test_mistakes(mistake, complaint):
    @px.kernel
    def wrong(k: px.Builder, x: px.ptr[f32]):
        mistake(k, x)

    with pytest.raises(px.BuildError, match=complaint):
        wrong.module()


def test_these_kernels_assemble(assembles):
    targets = ["sm_75", "sm_90a"]
    assembles([loads.using(element=e, index=i) for e in EVERY for i in (u32, s64)], targets=targets)
    assembles([stores.using(element=e, beyond=None) for e in EVERY], targets=targets)
    options = {"count": None, "signed": True}
    assembles(
        [cut_vectors.using(element=e, lanes=n, beyond=None, otherwise=9, **options) for e, n in CASES]
        + [cut_vectors.using(element=f32, lanes=4, beyond="nearest", otherwise=0, **options)],
        targets=targets,
    )
