"""Who runs next: CTAs over resident records, warps round robin, all in generated code.

A worker takes CTAs of the grid, several at a time where that is good, and runs them to their end; which of the grid's CTAs are
taken is the one thing that the workers of a launch share. The CTAs of a cluster start together, on one worker, and keep their
records until all of them are done.

The grid function returns to Python only when the launch is done, has faulted, is stuck, is to pause, or has used its fuel.
"""

from __future__ import annotations

import ctypes
import platform
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import Status, WarpStatus
from ptxgen.cpu.rt.records import MemoryRecord, call_hook, nth_cta

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue, Var

__all__ = ["first_of_cluster", "write_claim", "write_geometry", "write_grid", "write_start_cluster", "write_start_cta"]


PATIENCE = 1000
"""Times that all threads may be found waiting, with nothing new in between, before they are in a deadlock."""
LOOK_AGAIN = 256
"""Rounds after which waits for mbarriers expire, because others may wait for those threads in a loop."""


def write_geometry(e: Emitter, *arguments: LlvmValue) -> None:
    """`void geometry(launch)`: fills what depends on the block's shape, in CTA records `first` to `resident`."""
    launch = MemoryRecord(e, record_layout.LaunchRecord, arguments[0])
    address = launch.address()
    bx, by = launch.get("block", 0), launch.get("block", 1)
    threads, warps = launch.get("threads"), launch.get("warps")
    first_record, together = launch.get("first"), launch.get("cluster_ctas")
    with e.count(first_record, launch.get("resident")) as r:
        cta = _cta(e, launch, r)
        nth = (r - first_record).zext("i64")
        cta.set("launch", address)
        rank = r.urem(together)
        cta.set("rank", rank)
        cta.set("cluster", cta.address() - rank.zext("i64") * ctypes.sizeof(record_layout.Cta))
        cta.set("shared", launch.get("shared_base") + nth * launch.get("shared_stride"))
        nth_warp = nth * warps.zext("i64")
        cta.set("warps", launch.get("warp_base") + nth_warp * launch.get("warp_stride"))
        with e.count(0, warps) as w:
            warp = _warp(e, launch, cta, w)
            warp.set("cta", cta.address())
            warp.set("launch", address)
            local = ((nth_warp + w.zext("i64")) << 5) * launch.get("local_stride")
            warp.set("local", launch.get("local_base") + local)
            first = w << 5
            left = threads - first
            full = left.uge(32)
            warp.set("initial", full.select(e.const("i32", -1), (e.const("i32", 1) << (left & 31)) - 1))
            warp.set("index", w)
            with e.count(0, e.const("i32", 32)) as lane:
                thread = first + lane
                row = thread.udiv(bx)
                warp.set("tid_x", thread - row * bx, lane)
                warp.set("tid_y", row.urem(by), lane)
                warp.set("tid_z", row.udiv(by), lane)
    e.line("ret void")


def write_claim(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 claim(launch)`: has the worker a CTA to start? Takes CTAs of the grid when it has none left."""
    launch = MemoryRecord(e, record_layout.LaunchRecord, arguments[0])
    with e.if_(launch.get("next_cta").ult(launch.get("end_cta"))):
        e.line("ret i1 true")
        e.label(e.fresh("dead"))
    claims, total, size = e.ptr(launch.get("claims")), launch.get("grid_ctas"), launch.get("cluster_ctas").zext("i64")
    taken = e.load("i64", claims, "monotonic")
    e.break_if(taken.uge(total), "none")
    part = (total - taken).udiv(size) >> launch.get("claim_shift").zext("i64")
    part = e.intrinsic("llvm.umin", part, launch.get("claim_most").zext("i64"))
    wanted = e.intrinsic("llvm.umax", part, e.const("i64", 1)) * size
    first = e.op("i64", f"atomicrmw add ptr {claims.text}, i64 {wanted.text} monotonic")
    e.break_if(first.uge(total), "none")
    launch.set("next_cta", first)
    launch.set("end_cta", e.intrinsic("llvm.umin", first + wanted, total))
    e.line("ret i1 true")
    e.label("none")
    e.line("ret i1 false")


def write_start_cta(e: Emitter, *arguments: LlvmValue) -> None:
    """`void start_cta(launch, cta)`: the next CTA that the worker has taken takes this record.

    Where copies run beside the threads, and under a sanitizer, shared memory holds ones: NaN, and no mbarrier. So who reads too
    early does not find what the CTA before has left, which may be the same. `fills_shared` may ask for zeros (2), too.
    """
    launch = MemoryRecord(e, record_layout.LaunchRecord, arguments[0])
    cta = MemoryRecord(e, record_layout.Cta, arguments[1])
    number = launch.get("next_cta")
    launch.set("next_cta", number + 1)
    size = launch.get("cluster_ctas")
    threads = launch.get("threads")
    with e.if_(size.ne(1)):
        _place_in_cluster(launch, cta, number, size.zext("i64"))
        cta.set("missing", threads * size)
        e.leave("placed")
    for axis, value in enumerate(_coordinates(launch, "grid", number)):
        cta.set("ctaid", value.trunc("i32"), axis)
    cta.set("index", number)
    cta.set("missing", threads)
    e.jump("placed")
    e.label("placed")
    cta.set("alive", threads)
    cta.set("running", 1)
    cta.set("tensor_used", 0)
    cta.set("tensor_closed", 0)
    for byte in range(0, 16 * ctypes.sizeof(record_layout.Barrier) + 64, 64):  # `tensor_sizes` follow the barriers
        pointer = e.offset(cta.pointer, record_layout.Cta.barriers.offset + byte)
        e.line(f"store <16 x i32> zeroinitializer, ptr {pointer.text}, align 8")
    with e.if_(launch.get("fills_shared").ne(0)):
        shared = e.ptr(cta.get("shared"))
        word = launch.get("fills_shared").eq(1).select(e.const("i64", -1), 0)
        first = e.op("ptr", f"insertelement <8 x i64> zeroinitializer, i64 {word.text}, i32 0")
        whole = e.op(
            "ptr", f"shufflevector <8 x i64> {first.text}, <8 x i64> zeroinitializer, <8 x i32> zeroinitializer"
        )
        with e.count(0, launch.get("shared_stride") >> 6) as line:
            e.line(f"store <8 x i64> {whole.text}, ptr {e.offset(shared, line << 6).text}, align 8")
    with e.count(0, launch.get("warps")) as w:
        warp = _warp(e, launch, cta, w)
        initial = warp.get("initial")
        warp.set("live", initial)
        warp.set("released", 0)
        warp.set("arrived", 0)
        warp.set("in_cluster", 0)
        e.store(initial, e.offset(warp.pointer, ctypes.sizeof(record_layout.Warp)))  # every lane is at the entry block
    call_hook(launch, "start", launch.pointer, cta.pointer)
    e.line("ret void")


def _coordinates(launch: MemoryRecord, extents: str, number: LlvmValue) -> tuple[LlvmValue, LlvmValue, LlvmValue]:
    """x, y and z of a number, all i64, that counts through these extents of the launch, x first."""
    x, y = launch.get(extents, 0).zext("i64"), launch.get(extents, 1).zext("i64")
    row = number.udiv(x)
    return number - row * x, row.urem(y), row.udiv(y)


def _place_in_cluster(launch: MemoryRecord, cta: MemoryRecord, number: LlvmValue, size: LlvmValue) -> None:
    """The coordinates and the number in the grid of a CTA that is the next one, counted cluster by cluster."""
    within = _coordinates(launch, "cluster", cta.get("rank").zext("i64"))
    at = [a + b for a, b in zip(first_of_cluster(launch, number.udiv(size)), within)]
    for axis, value in enumerate(at):
        cta.set("ctaid", value.trunc("i32"), axis)
    gx, gy = launch.get("grid", 0).zext("i64"), launch.get("grid", 1).zext("i64")
    cta.set("index", (at[2] * gy + at[1]) * gx + at[0])


def first_of_cluster(launch: MemoryRecord, number: LlvmValue) -> list[LlvmValue]:
    """x, y and z of the first CTA of a cluster, all i64, by the cluster's number."""
    extents = [launch.get("cluster", axis).zext("i64") for axis in range(3)]
    across, down = (launch.get("grid", axis).zext("i64").udiv(extents[axis]) for axis in range(2))
    row = number.udiv(across)
    return [at * extent for at, extent in zip((number - row * across, row.urem(down), row.udiv(down)), extents)]


def write_start_cluster(e: Emitter, *arguments: LlvmValue) -> None:
    """`void start_cluster(launch, cta)`: the next cluster of the grid takes this record, which is free, and those behind
    it, unless it is not the first of its cluster or a CTA of that one still runs, or there is none."""
    launch = MemoryRecord(e, record_layout.LaunchRecord, arguments[0])
    size = launch.get("cluster_ctas")
    e.break_if(MemoryRecord(e, record_layout.Cta, arguments[1]).get("rank").ne(0), "out")
    with e.count(0, size) as i:
        e.break_if(nth_cta(e, arguments[1], i).get("running").ne(0), "out")
    e.break_if(~e.call("claim", "i1", launch.pointer), "out")
    with e.count(0, size) as i:
        e.invoke("start_cta", launch.pointer, nth_cta(e, arguments[1], i).pointer)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def write_grid(e: Emitter, *arguments: LlvmValue) -> None:
    """`i32 grid(launch)`: runs until there is a Status to tell."""
    launch = MemoryRecord(e, record_layout.LaunchRecord, arguments[0])
    restore = _default_float_environment(e)
    answer = e.var("i32", int(Status.DONE))

    def leave(status: Status) -> None:
        answer.set(int(status))
        e.leave("out")

    with e.loop() as end:
        turn = launch.get("turn")
        cut = turn.ne(0)  # by a tick; the round goes on where it was, or else those behind never run
        before, quiet = e.var("i64", launch.get("instructions")), e.var("i32", 1)
        running, warp = e.var("i32", cut.zext("i32")), e.var("i32", turn.trunc("i32"))
        with e.if_(cut):
            launch.set("turn", 0)
            before.set(launch.get("round_instructions"))
            quiet.set(launch.get("quiet"))
        with e.if_(~cut):
            launch.set("parked", 0)
            with e.if_((launch.add("rounds", 1) & (LOOK_AGAIN - 1)).eq(0)):
                launch.set("expired", 1)
        with e.count((turn >> 32).trunc("i32"), launch.get("resident")) as r:
            cta = _cta(e, launch, r)
            with e.if_(cta.get("running").eq(0) & _more(launch)):
                alone = launch.get("cluster_ctas").eq(1)
                with e.if_(alone):
                    with e.if_(e.call("claim", "i1", launch.pointer)):
                        e.invoke("start_cta", launch.pointer, cta.pointer)
                with e.if_(~alone):
                    e.invoke("start_cluster", launch.pointer, cta.pointer)
            with e.if_(cta.get("running").ne(0)):
                running.set(1)
                _run_round(launch, cta, (r, warp.get()), (before, quiet), leave)
                with e.if_(cta.get("alive").eq(0)):
                    cta.set("running", 0)
                    launch.add("done_ctas", 1)
                    quiet.set(0)
            warp.set(0)
        launch.set("expired", 0)
        e.break_if(running.get().eq(0), end)
        with e.if_(launch.get("instructions").eq(before.get())):
            _expire_waits(launch)
            with e.if_(launch.get("expired").eq(0)):
                with e.if_(_more(launch)):
                    launch.set("idle_rounds", 1)
                    leave(Status.GROW)
                leave(Status.DEADLOCK)
        with e.if_(launch.get("look").ne(0) & (launch.get("rounds") & launch.get("look_mask")).eq(0)):
            leave(Status.TICK)
        weight = (launch.get("resident") >> 4).zext("i64") + 1  # so that many CTAs are in flight soon, once some are
        idle = quiet.get().ne(0).select(launch.get("idle_rounds") + weight, 0)
        launch.set("idle_rounds", idle)
        with e.if_(idle.ugt(launch.get("idle_limit"))):
            with e.if_(launch.get("workers").ugt(1)):
                e.call("sched_yield", "i32")  # what they wait for may come from a worker that waits for this core
            with e.if_(_more(launch)):
                launch.set("idle_rounds", 0)
                leave(Status.GROW)
    e.jump("out")
    e.label("out")
    restore()
    e.line(f"ret i32 {answer.get().text}")


def _expire_waits(launch: MemoryRecord) -> None:
    """Nothing can run: those that wait for mbarriers are told that the phase is not complete, as after a time limit.

    They may do something else then. When no mbarrier changes however often that happens, nothing ever will.
    """
    e = launch.emitter
    with e.if_(launch.get("parked").ne(0)):
        changes = launch.get("changes")
        expiries = changes.eq(launch.get("seen_changes")).select(launch.get("expiries") + 1, 0)
        launch.set("seen_changes", changes)
        launch.set("expiries", expiries)
        launch.set("expired", expiries.ult(PATIENCE).zext("i32"))


def _run_round(
    launch: MemoryRecord,
    cta: MemoryRecord,
    turn: tuple[LlvmValue, LlvmValue],
    seen: tuple[Var, Var],
    leave: Callable[[Status], None],
) -> None:
    """Each warp of a CTA gets its turn once. `turn` is (number of the CTA's record, the first warp); `seen` is (instructions
    when the round began, quiet), of which `quiet` is cleared when a warp finishes or reaches a barrier."""
    e, (began, quiet) = launch.emitter, seen
    function = e.ptr(launch.get("warp_function"))

    def cut(warp: LlvmValue) -> None:
        """The round will go on with this warp's turn."""
        launch.set("turn", (turn[0].zext("i64") << 32) | warp.zext("i64"))
        launch.set("round_instructions", began.get())
        launch.set("quiet", quiet.get())

    with e.count(turn[1], launch.get("warps")) as w:
        warp = _warp(e, launch, cta, w)
        with e.if_(warp.get("live").ne(0)):
            now, paused = launch.get("instructions"), launch.get("paused_turn")
            with e.if_(now.uge(launch.get("tick_at"))):
                cut(w)
                leave(Status.TICK)
            before = paused.eq(0).select(now, paused - 1)
            launch.set("paused_turn", 0)
            status = e.op("i32", f"call i32 {function.text}(ptr {warp.pointer.text})")
            with e.if_(status.eq(int(WarpStatus.PAUSED))):
                launch.set("paused_turn", before + 1)
                cut(w)
                leave(Status.PAUSED)
            with e.if_(status.eq(int(WarpStatus.FAULT))):
                leave(Status.FAULT)
            advanced = status.eq(int(WarpStatus.BLOCKED)) & launch.get("instructions").ne(before)
            with e.if_(advanced | status.eq(int(WarpStatus.DONE))):
                quiet.set(0)


def _more(launch: MemoryRecord) -> LlvmValue:
    """Are there CTAs that have not started, taken by the worker or by nobody?"""
    e = launch.emitter
    free = e.load("i64", e.ptr(launch.get("claims")), "monotonic").ult(launch.get("grid_ctas"))
    return launch.get("next_cta").ult(launch.get("end_cta")) | free


def _cta(e: Emitter, launch: MemoryRecord, index: LlvmValue) -> MemoryRecord:
    return MemoryRecord(
        e, record_layout.Cta, e.ptr(launch.get("ctas") + index.zext("i64") * ctypes.sizeof(record_layout.Cta))
    )


def _warp(e: Emitter, launch: MemoryRecord, cta: MemoryRecord, index: LlvmValue) -> MemoryRecord:
    return MemoryRecord(e, record_layout.Warp, e.ptr(cta.get("warps") + index.zext("i64") * launch.get("warp_stride")))


def _default_float_environment(e: Emitter) -> Callable[[], None]:
    """Round to nearest, no flushing of subnormals, whatever other libraries have set; the result restores what was there."""
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        saved, ours = e.var("i32"), e.var("i32", 0x1F80)  # MXCSR: all exceptions masked, nothing else
        e.invoke("llvm.x86.sse.stmxcsr", saved.pointer)
        e.invoke("llvm.x86.sse.ldmxcsr", ours.pointer)
        return lambda: e.invoke("llvm.x86.sse.ldmxcsr", saved.pointer)
    if machine in ("aarch64", "arm64"):
        old = e.call("llvm.aarch64.get.fpcr", "i64")
        e.invoke("llvm.aarch64.set.fpcr", e.const("i64", 0))
        return lambda: e.invoke("llvm.aarch64.set.fpcr", old)
    return lambda: None
