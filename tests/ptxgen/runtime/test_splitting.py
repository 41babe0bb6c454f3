"""Programs cut at their grid barriers: what they compute in parts is what they compute whole, or they are not cut."""

from __future__ import annotations

import random
from typing import Annotated, Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, f64, ptr, s32, u8, u16, u32, u64
from ptxgen.isa.types import TYPES
from ptxgen.runtime import (
    Backend,
    DispatchConfig,
    Params,
    grid_barrier,
    inout,
    output,
    persistent,
    program,
    shared,
)
from ptxgen.runtime.errors import CooperativeResidencyError, InvalidProgramError, ValidationError
from ptxgen.runtime.programs.splitting import SplitError, split
from tests.ptxgen.runtime.samples import as_words, ranks, raw, step, words

X = Annotated[ptr[u32], inout()]
WHOLE = DispatchConfig(cooperative=True)
PARTS = DispatchConfig(split=True)


@program(workgroup=32)
def sum_to_all(k: px.Builder, x: X, total: Annotated[ptr[u32], output(1)]) -> None:
    """x = sum of x, plus what each was."""
    i = k.global_id.x
    mine = x[i]
    k.atomic_add(total, 0, mine)
    grid_barrier(k)
    x[i] = total.load(0, "relaxed", "gpu") + mine


@program(workgroup=(16, 2, 1))
def mirrored(k: px.Builder, x: X, y: Annotated[ptr[u32], inout()], params: Params) -> None:
    """Values of every kind cross two barriers, beside what other threads wrote before each."""
    n = params.element_count
    i = (k.ctaid.y * k.nctaid.x + k.ctaid.x) * 32 + k.tid.y * 16 + k.tid.x
    value = x[i]
    odd = (value & 1) == 1
    narrow = value.to(u16) * 3
    byte = value.to(u8)
    half = value.to(f32).to(f16)
    single = value.to(f32) * 0.5
    double = value.to(f64) * 1.25
    wide = value.to(u64) * 0x100000001
    held = k.var(u32, 7)
    with k.if_(odd):
        held += value
    y[i] = value * 10
    grid_barrier(k)
    other = y[n - 1 - i]
    held += k.select(odd, other, other + 1)
    x[i] = held
    grid_barrier(k)
    last = x[(i + 1) % n]
    x[i] = x[i]
    y[i] = (
        last + held + narrow.to(u32) + byte.to(u32) + half.to(f32).to(u32) + (single * 2.0).to(u32) + (double * 4.0).to(u32)
        + (wide >> 32).to(u32) + k.select(odd, k.const(u32, 1000), k.const(u32, 0)) + other
    )  # fmt: skip


def both(backend: Backend, made: Any, inputs: list[Any], **config: Any) -> tuple[list[bytes], list[bytes]]:
    """(outputs of the whole, outputs of the parts)."""
    whole = backend.compile(made, WHOLE._replace(**config)).dispatch(inputs)
    return raw(whole), raw(backend.compile(made, PARTS._replace(**config)).dispatch(inputs))


def test_what_crosses_is_computed_again_or_spilled() -> None:
    parts = split(sum_to_all, "sm_90a")
    assert parts.names == ("sum_to_all_part_0", "sum_to_all_part_1")
    assert parts.bytes_per_thread == 4  # the element; pointers and indices are computed anew
    assert parts.ptx.count("st.global.b32") == parts.ptx.count("ld.global.b32") == 1
    assert "_ptxgen_grid_barrier" not in parts.ptx
    assert split(sum_to_all, "sm_90a") == parts


def test_values_of_all_kinds_cross(backend: Backend) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 200, 192, dtype=np.uint32), np.zeros(192, np.uint32)
    whole, parts = both(backend, mirrored, [x, y], grid=(3, 2, 1), element_count=192)
    assert whole == parts
    assert whole[1] != bytes(768)
    made = split(mirrored, backend.target)
    assert len(made.names) == 3
    for kind in ("st.global.b64", "st.global.b32", "st.global.b16", "selp.u32"):
        assert kind in made.ptx


def test_a_grid_that_is_not_resident_is_split(backend: Backend) -> None:
    caps = backend.capabilities
    n = 32 * (1 + caps.multi_processor_count * caps.max_blocks_per_sm)
    pipeline = backend.compile(sum_to_all, WHOLE)
    x = np.arange(n, dtype=np.uint32)
    for _ in range(2):
        seen, total = pipeline.dispatch([x])
        assert as_words(total) == [int(x.sum(dtype=np.uint64)) & 0xFFFFFFFF]
        assert (np.frombuffer(seen, np.uint32) == as_words(total)[0] + x).all()
    assert backend.telemetry_snapshot()["kernel_launches"] + backend.telemetry_snapshot()["graph_kernel_launches"] == 4
    pipeline.dispatch([x[:64]])  # this one is resident
    assert backend.telemetry_snapshot()["kernel_launches"] + backend.telemetry_snapshot()["graph_kernel_launches"] == 5
    with pytest.raises(CooperativeResidencyError, match="not split at its barriers: split=False"):
        backend.compile(sum_to_all, WHOLE._replace(split=False)).dispatch([x])


def test_all_ways_to_dispatch_go_in_parts(backend: Backend) -> None:
    pipeline = backend.compile(sum_to_all, PARTS._replace(graph=True))
    data = [np.full(64, n, np.uint32) for n in range(8)]
    expected = [[64 * n + n] * 64 for n in range(8)]
    pending = [pipeline.dispatch([x], wait=False) for x in data]
    assert [as_words(each.await_result()[0]) for each in pending] == expected
    assert [as_words(found[0]) for found in pipeline.dispatch([[x] for x in data], batch=True)] == expected
    x, total = backend.upload_resident(data[1]), backend.upload_resident(words(0))
    pipeline.dispatch([x], [total])
    assert as_words(backend.download(x)) == expected[1]
    with pipeline.bind([x], [total]) as again:
        backend.resident.upload_many([(x, data[2]), (total, words(0))])
        again()
        assert as_words(backend.download(x)) == expected[2]
        backend.resident.upload_many([(x, data[3]), (total, words(0))])
        again.batch(1)
        assert as_words(backend.download(x)) == expected[3]


def test_it_needs_no_device_that_launches_cooperatively(backend: Backend) -> None:
    backend.capabilities = backend.compiler.capabilities = backend.capabilities._replace(cooperative_launch=False)
    seen, _ = backend.compile(sum_to_all, PARTS).dispatch([np.ones(32, np.uint32)])
    assert as_words(seen) == [33] * 32


def test_iterations_and_state(backend: Backend) -> None:
    @program(workgroup=32)
    def steps(k: px.Builder, x: X, count: Annotated[ptr[u32], persistent(1)]) -> None:
        i = k.global_id.x
        before = count.load(0, "relaxed", "gpu")
        grid_barrier(k)
        with k.if_(i == 0):
            k.atomic_add(count, 0, 1)
        x[i] = x[i] + before

    for config in (WHOLE, PARTS):
        pipeline = backend.compile(steps, config._replace(fixpoint_iterations=4))
        assert as_words(pipeline.dispatch([words(*range(64))])[0]) == [n + 6 for n in range(64)]
        assert as_words(pipeline.state.read("count")) == [4]


def test_a_loop_that_python_unrolls_is_cut(backend: Backend) -> None:
    @program(workgroup=32)
    def prefix(k: px.Builder, x: X, y: Annotated[ptr[u32], output(like="x")]) -> None:
        """Inclusive scan of 64 by doubling, through memory."""
        i = k.global_id.x
        value = k.var(u32, x[i])
        for power in range(6):
            y[i] = value
            grid_barrier(k)
            with k.if_(i >= 1 << power):
                value += y.load(i - (1 << power), "relaxed", "gpu")
            grid_barrier(k)
        x[i] = value

    assert len(split(prefix, "sm_90a").names) == 13
    whole, parts = both(backend, prefix, [np.arange(64, dtype=np.uint32)])
    assert whole == parts
    assert as_words(parts[0]) == np.cumsum(np.arange(64)).tolist()


def drawn(seed: int) -> Any:
    """A program of values of several types, branches and barriers, drawn."""

    @program(workgroup=32)
    def made(k: px.Builder, x: X, y: Annotated[ptr[u32], inout()], params: Params) -> None:
        rng = random.Random(seed)  # the same in every trace
        i = k.global_id.x
        n = params.element_count
        pool: list[Any] = [x[i], i, y[i], k.const(u32, 3) + i]
        for _ in range(rng.randint(1, 3)):
            for _ in range(rng.randint(1, 8)):
                a, b = rng.choice(pool), rng.choice(pool)
                kind = rng.randrange(7)
                if kind == 0:
                    pool.append(a * b + 1)
                elif kind == 1:
                    pool.append((a.to(u64) * b.to(u64) >> 7).to(u32))
                elif kind == 2:
                    pool.append(k.select(a < b, a, b ^ 5))
                elif kind == 3:
                    pool.append(((a & 255).to(f32) * 0.5 + 1.0).to(u32))
                elif kind == 4:
                    held = k.var(u32, a)
                    with k.if_(b > a):
                        held += 11
                    pool.append(held)
                elif kind == 5:
                    total = k.var(s32, 0)
                    with k.range(3) as j:
                        total += (a & 15).to(s32) + j.to(s32)
                    pool.append(total.to(u32))
                else:
                    pool.append((a.to(u16) + b.to(u16)).to(u32))
            y[i] = rng.choice(pool)
            grid_barrier(k)
            pool.append(y.load((i * 7 + 3) % n, "relaxed", "gpu"))
            grid_barrier(k)
        sum_ = pool[0]
        for value in pool[1:]:
            sum_ = sum_ * 31 + value
        x[i] = sum_

    return made


@pytest.mark.parametrize("seed", range(12))
def test_drawn_programs_compute_the_same_in_parts(backend: Backend, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs = [rng.integers(0, 1 << 32, 96, dtype=np.uint32) for _ in range(2)]
    whole, parts = both(backend, drawn(seed), inputs)
    assert whole == parts


# --- what is not cut --------------------------------------------------------------------------------------------------


def in_loop(k: px.Builder, x: X) -> None:
    with k.range(3) as _:
        grid_barrier(k)
    x[0] = 1


def in_branch(k: px.Builder, x: X) -> None:
    with k.if_(x[0] == 0):
        grid_barrier(k)


def behind_exit(k: px.Builder, x: X) -> None:
    k.ptx.exit(pred=k.global_id.x > 5)
    grid_barrier(k)
    x[0] = 1


def shared_tile(k: px.Builder, x: X, tile: Annotated[ptr[u32], shared(64)]) -> None:
    tile[k.tid.x] = x[k.tid.x]
    grid_barrier(k)
    x[k.tid.x] = tile[k.tid.x]


def local_array(k: px.Builder, x: X) -> None:
    held = k.local(u32, 4)
    held[0] = x[0]
    grid_barrier(k)
    x[0] = held[0]


def shared_address(k: px.Builder, x: X, tile: Annotated[ptr[u32], shared(64)]) -> None:
    step = x[k.tid.x]
    place = tile.at(step)
    place[0] = 1
    grid_barrier(k)
    x[0] = place[0]


def stored_address(k: px.Builder, x: X, tile: Annotated[ptr[u32], shared(64)]) -> None:
    tile[0] = 1
    held = k.register(TYPES["b32"])
    k.emit("mov.u32", held, tile.operand)
    k.emit("st.global.u32", x.element_address(0), held)
    grid_barrier(k)
    x[0] = 1


def variable(k: px.Builder, x: X) -> None:
    held = k.global_("kept", u32)
    held[0] = x[0]
    grid_barrier(k)
    x[0] = held[0]


def asynchronous(k: px.Builder, x: X) -> None:
    k.ptx.cp.async_.wait_all()
    grid_barrier(k)


def no_barrier(k: px.Builder, x: X) -> None:
    x[0] = 1


@px.func
def waits(k: px.Builder, v: u32) -> u32:
    grid_barrier(k)
    return v + 1


def in_function(k: px.Builder, x: X) -> None:
    x[0] = waits(x[1])


@pytest.mark.parametrize(
    "function, why",
    [
        (in_loop, "barrier 1 is in a loop"),
        (in_branch, "barrier 1 is in a branch, or a thread may exit before it"),
        (behind_exit, "barrier 1 is in a branch, or a thread may exit before it"),
        (shared_tile, r"shared memory .* is used on both sides of barrier 1: mov.u32 at .*test_splitting.py:\d+"),
        (local_array, "local memory .* is used on both sides of barrier 1"),
        (shared_address, "an address of shared or local memory crosses barrier 1"),
        (stored_address, "an address of shared or local memory is stored: st.global.u32"),
        (variable, "it has the module variable kept"),
        (asynchronous, "it leaves work under way: cp.async.wait_all"),
        (no_barrier, "it has no grid barrier"),
        (in_function, "a barrier is in the device function waits"),
    ],
)
def test_what_cannot_be_cut_says_why(function: Any, why: str) -> None:
    with pytest.raises(SplitError, match=why):
        split(program(workgroup=32)(function), "sm_90a")


def test_values_of_device_functions_cross(backend: Backend) -> None:
    @px.func
    def scramble(k: px.Builder, v: u32) -> u32:
        return (v ^ 12345) * 2654435761

    @program(workgroup=32)
    def calls(k: px.Builder, x: X, y: Annotated[ptr[u32], output(like="x")]) -> None:
        i = k.global_id.x
        mine = scramble(x[i])
        y[i] = mine
        grid_barrier(k)
        x[i] = scramble(y.load(i ^ 1, "relaxed", "gpu")) + mine

    whole, parts = both(backend, calls, [np.arange(96, dtype=np.uint32)])
    assert whole == parts


@pytest.mark.parametrize("target", ["sm_75", "sm_90a"])
def test_parts_assemble(assembler: Any, target: str) -> None:
    for made in (sum_to_all, mirrored, drawn(3)):
        assert assembler(split(made, target).ptx).cubin


def test_shared_memory_on_one_side_is_no_hindrance(backend: Backend) -> None:
    @program(workgroup=32)
    def tiles(k: px.Builder, x: X, a: Annotated[ptr[u32], shared(32)], b: Annotated[ptr[u32], shared(32)]) -> None:
        i, t = k.global_id.x, k.tid.x
        a[t] = x[i]
        k.barrier()
        x[i] = a[31 - t]
        grid_barrier(k)
        b[t] = x[i] + 1
        k.barrier()
        x[i] = b[t ^ 1]

    whole, parts = both(backend, tiles, [np.arange(96, dtype=np.uint32)])
    assert whole == parts


def test_the_reason_reaches_the_caller(backend: Backend) -> None:
    with pytest.raises(InvalidProgramError, match=r"program step has no grid barrier to be split at. Fix: leave split"):
        backend.compile(step, PARTS).dispatch([words(1)])
    with pytest.raises(ValidationError, match=r"cannot be cut at its grid barriers: barrier 1 is in a loop. Fix: "):
        backend.compile(ranks, PARTS).dispatch([words(*range(64))])
    with pytest.raises(CooperativeResidencyError, match="not split at its barriers: barrier 1 is in a loop") as caught:
        backend.compile(ranks, WHOLE).dispatch([bytes(4 * 64 * 100_000)])
    assert caught.value.unsplit == "barrier 1 is in a loop"
