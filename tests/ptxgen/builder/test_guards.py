"""`k.pred`: what has an effect is guarded, what only computes a new value is not."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import f32, u32

np = pytest.importorskip("numpy")


def guards(kernel, target="sm_80"):
    """(opcode, is it guarded) of the instructions from the first guarded one on, without the end."""
    found = [(i.opcode, i.pred is not None) for i in kernel.module(target=target).functions[0].instructions()]
    first = next(index for index, (_, guarded) in enumerate(found) if guarded)
    begins = max(index for index, (opcode, _) in enumerate(found[:first]) if opcode == "setp") + 1
    return found[begins:-1]


def test_an_atomic_is_guarded_and_its_address_is_not():
    @px.kernel
    def counts(k: px.Builder, n: u32, x: px.ptr[u32]):
        with k.pred(k.tid.x < n):
            k.reduce_add(x, k.fma(k.tid.x, 8, 1), 1)

    assert [opcode for opcode, guarded in guards(counts) if guarded] == ["red"]


def test_a_variable_is_assigned_under_the_guard():
    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[u32]):
        total = k.var(u32, 0)
        with k.pred(k.tid.x < n):
            total += k.tid.x * 3
        x[k.tid.x] = total

    assert [opcode for opcode, guarded in guards(kernel) if guarded] in (["mov"], ["add"])


def test_what_is_computed_from_a_guarded_load_is_guarded():
    """Else it would read a register that nothing has written."""

    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[u32], y: px.ptr[u32]):
        i = k.tid.x
        with k.pred(i < n):
            y[i * 2] = x[i * 2] * 5 + 1

    found = guards(kernel)
    loaded = [opcode for opcode, _ in found].index("ld")
    behind = [(opcode, guarded) for opcode, guarded in found[loaded:] if opcode in ("mul", "mad", "add", "st")]
    assert all(guarded for opcode, guarded in behind if opcode == "st")
    assert any(guarded for opcode, guarded in behind if opcode != "st")
    assert not px.verify(kernel.module(target="sm_80"))


def test_a_carry_is_an_effect():
    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[u32]):
        low, high = k.var(u32), k.var(u32)
        with k.pred(k.tid.x < n):
            k.ptx.add.cc.u32(low, n, 1)
            k.ptx.addc.u32(high, n, 0)
            x[0] = low + high

    found = guards(kernel)
    assert found[:2] == [("add", True), ("addc", True)]


def test_bounds_guard_the_access_alone():
    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
        x.bounded(n)[k.tid.x] = k.tid.x.to(f32) * 2.0

    assert [opcode for opcode, guarded in guards(kernel) if guarded] == ["st"]


def test_the_results_are_those_of_branches(device_name):
    def body(k, n, x, y, total):
        i = k.tid.x
        value = x[i] * 7 + i
        y[i] = value ^ (i << 3)
        k.reduce_add(total, k.const(u32, 0), value & 15)

    @px.kernel
    def guarded(k: px.Builder, n: u32, x: px.ptr[u32], y: px.ptr[u32], total: px.ptr[u32]):
        with k.pred(k.tid.x < n):
            body(k, n, x, y, total)

    @px.kernel
    def branched(k: px.Builder, n: u32, x: px.ptr[u32], y: px.ptr[u32], total: px.ptr[u32]):
        with k.if_(k.tid.x < n):
            body(k, n, x, y, total)

    dev = px.device(device_name)
    results = []
    for kernel in (guarded, branched):
        x, y, total = dev.array(np.arange(40, dtype=np.uint32)), dev.zeros(64, u32), dev.zeros(1, u32)
        kernel[1, 64](40, x, y, total)
        results.append((y.numpy().tolist(), total.numpy().tolist()))
    assert results[0] == results[1]
    assert results[0][1] == [sum((i * 7 + i) & 15 for i in range(40))]


def test_a_body_without_effects_is_left_without_a_guard():
    @px.kernel
    def kernel(k: px.Builder, n: u32):
        with k.pred(n > 0):
            n + 1

    assert all(i.pred is None for i in kernel.module(target="sm_80").functions[0].instructions())
