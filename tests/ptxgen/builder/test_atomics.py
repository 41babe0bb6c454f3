"""Atomics, on global and on shared memory."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, f64, s32, s64, u8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name

E = TypeVar("E", bound=Value)


@px.kernel
def updates(k: px.Builder, x: px.ptr[E], total: px.ptr[E], old: px.ptr[E], *, element: type[E], op: str):
    i = k.global_id.x
    old[i] = getattr(k, f"atomic_{op}")(total, 0, x[i])


MEANING = {
    "add": lambda values: values.sum(dtype=values.dtype),
    "min": np.min,
    "max": np.max,
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
}
FORMS = [
    *(("add", e) for e in (u32, s32, u64, s64, f32, f64)),
    *((op, e) for op in ("min", "max") for e in (u32, s32, u64, s64)),
    *((op, e) for op in ("and", "or", "xor") for e in (u32, s32, u64, s64)),
]


@pytest.mark.parametrize("op, element", FORMS)
def test_every_thread_s_update_counts_once(run, op, element):
    kind = numpy_name(element.isa)
    x = np.random.default_rng(0).integers(0, 100, 256).astype(kind)
    x -= np.array(50, kind) if element.isa.is_signed else np.array(0, kind)
    start = np.array([7], kind)
    _, total, old = run(updates, x, start, x * 0, grid=4, block=64, element=element, op=op)
    assert total[0] == MEANING[op](np.concatenate([start, x]))
    assert 7 in old.tolist(), "one thread came first"


@px.kernel
def tickets(k: px.Builder, counter: px.ptr[u32], z: px.ptr[u32]):
    z[k.atomic_add(counter, 0, 1)] = k.global_id.x
    k.reduce_add(counter, 1, k.const(u32, 2))


def test_the_old_value_is_unique(run):
    counter, z = run(tickets, np.zeros(2, np.uint32), np.zeros(256, np.uint32), grid=8)
    assert counter.tolist() == [256, 512]
    assert sorted(z.tolist()) == list(range(256))


@px.kernel
def on_shared(k: px.Builder, z: px.ptr[s32]):
    counts = k.shared(s32, (2, 4))
    i = k.tid.x
    with k.if_(i < 8):
        counts[i // 4, i % 4] = 100
    k.barrier()
    k.reduce_add(counts, (i % 2, i % 4), 1)
    k.reduce_min(counts, (1, 0), i.to(s32) + 5)
    k.reduce_max(counts, (0, 1), i.to(s32) * 10)
    k.barrier()
    with k.if_(i < 8):
        z[i] = counts[i // 4, i % 4]


def test_shared_arrays_are_indexed_like_everywhere(run):
    (z,) = run(on_shared, np.zeros(8, np.int32))
    assert z.tolist() == [108, 310, 108, 100, 5, 108, 100, 108]


@px.kernel
def exchanges(k: px.Builder, x: px.ptr[u64], z: px.ptr[u64]):
    z[0] = k.atomic_exch(x, 0, 5)
    z[1] = k.atomic_cas(x, 0, 5, 6)
    z[2] = k.atomic_cas(x, 0, 5, 7)
    z[3] = x[0]


def test_exchange_and_compare(run):
    _, z = run(exchanges, np.array([3], np.uint64), np.zeros(4, np.uint64), block=1)
    assert z.tolist() == [3, 5, 6, 6]


@px.kernel
def rings(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    z[0] = k.atomic_inc(x, 0, 3)
    z[1] = k.atomic_dec(x, 1, 3)


@pytest.mark.parametrize("start, after_inc, after_dec", [(0, 1, 3), (2, 3, 1), (3, 0, 2), (9, 0, 3)])
def test_inc_and_dec_go_round(run, start, after_inc, after_dec):
    x, z = run(rings, np.array([start, start], np.uint32), np.zeros(2, np.uint32), block=1)
    assert x.tolist() == [after_inc, after_dec]
    assert z.tolist() == [start, start]


@px.kernel
def lock(k: px.Builder, mutex: px.ptr[u32], z: px.ptr[u32]):
    """A spin lock that every CTA's first thread takes: acquire and release order what it guards."""
    with k.while_():
        with k.if_(k.atomic_cas(mutex, 0, 0, 1, order="acquire") == 0):
            k.break_()
    z[0] = z.load(0, "relaxed.gpu") + 1
    k.fence("gpu")
    k.atomic_exch(mutex, 0, 0, order="release")


def test_orders_and_scopes_are_in_the_name(run):
    text = str(lock.module(strict=True))
    assert "atom.acquire.gpu.global.cas.b32" in text
    assert "atom.release.gpu.global.exch.b32" in text
    assert "fence.acq_rel.gpu" in text
    _, z = run(lock, np.zeros(1, np.uint32), np.zeros(1, np.uint32), grid=50, block=1)
    assert z[0] == 50


@pytest.mark.parametrize(
    "mistake, complaint",
    [
        (lambda k, x: k.atomic_add(x, 0, 1.5), r"1.5 is no .u32 constant"),
        (lambda k, x: k.atomic_add(x, 0, k.const(s32, 1)), r".s32 stored to .u32 elements(.|\n)*value.to\(u32\)"),
        (lambda k, x: k.atomic_add(x.cast(u8), 0, 1), r"no atomic add on u8(.|\n)*32- or 64-bit"),
        (lambda k, x: k.atomic_add(x.vectors(4), 0, 1), r"no atomic add on vec\[u32, 4\]"),
        (lambda k, x: k.atomic_add(x[0], 0, 1), r"an atomic works on a pointer or an array, not on"),
    ],
)
def test_mistakes(mistake, complaint):
    @px.kernel
    def wrong(k: px.Builder, x: px.ptr[u32]):
        mistake(k, x)

    with pytest.raises(px.BuildError, match=complaint):
        wrong.module()


def test_these_kernels_assemble(assembles):
    assembles(
        [updates.using(op=op, element=e) for op, e in [*FORMS, ("add", f16)]], targets=["sm_75", "sm_90a", "sm_120"]
    )
    assembles([tickets, on_shared, exchanges, rings, lock])
