"""synccheck: barriers that do not have everyone they count, and mbarriers that begin twice.

What keeps a kernel from going on (a barrier that some never reach, another one in each branch, an object that is no mbarrier)
is a fault in any launch. The executor lets a barrier of all threads go on without those that have exited, as GPUs since Volta do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of
from ptxgen.cpu.sanitizer.clocks import state_of, thread_word
from ptxgen.cpu.sanitizer.state_layout import (
    BARRIERS,
    MBARRIERS,
    FindingKind,
    WarpState,
    arrivals_at,
)

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["write_sync_barrier", "write_sync_complete", "write_sync_mbarrier"]


def _report(state: MemoryRecord, kind: FindingKind, mine: LlvmValue, address: LlvmValue, number: LlvmValue) -> None:
    e = state.emitter
    e.invoke("sanitizer_report", state.pointer, e.const("i32", int(kind)), mine, e.const("i64", 0), address, number)


def _memory(state: MemoryRecord) -> LlvmValue:
    """The pointer to what a CTA has for this tool: who came last to each barrier, then MBARRIERS addresses."""
    return state.emitter.ptr(state.get("block") + arrivals_at())


def write_sync_barrier(e: Emitter, *arguments: LlvmValue) -> None:
    """`void sync_barrier(state, barrier, count, lanes, instruction)`: lanes are about to arrive at a barrier of the CTA, which is
    for `count` threads, 0 for all."""
    pointer, index, count, lanes, instruction = arguments
    state = state_of(e, pointer)
    cta = cta_of(state.follow("warp", record_layout.Warp))
    number = index.zext("i64")
    with e.if_(index.ult(BARRIERS)):
        barrier = MemoryRecord(e, record_layout.Barrier, e.element("[4 x i32]", cta.pointer_to("barriers"), number))
        expected = barrier.get("expected")
        mine = thread_word(state, e.intrinsic("llvm.cttz", lanes, False), instruction)
        e.store(mine, e.element("i64", _memory(state), number))
        with e.if_(barrier.get("arrived").ne(0) & expected.ne(count)):
            _report(state, FindingKind.BARRIER_COUNTS, mine, number, expected)
    e.line("ret void")


def write_sync_complete(e: Emitter, *arguments: LlvmValue) -> None:
    """`void sync_complete(cta, barrier)`: a barrier for all threads is complete; whether all were there shows now, since those
    who exit may do so while the others wait."""
    pointer, index = arguments
    cta = MemoryRecord(e, record_layout.Cta, pointer)
    exited = launch_of(cta).get("threads") - cta.get("alive")
    with e.if_(exited.ne(0)):
        state = cta.follow("warps", record_layout.Warp).follow("sanitizer", WarpState)
        number = index.zext("i64")
        mine = e.load("i64", e.element("i64", _memory(state), number))
        _report(state, FindingKind.BARRIER_AFTER_EXIT, mine, number, exited)
    e.line("ret void")


def write_sync_mbarrier(e: Emitter, *arguments: LlvmValue) -> None:
    """`void sync_mbarrier(state, address, begins, lane, instruction)`: a thread initialises the mbarrier at an address of the
    machine, or with `begins` 0 invalidates it. Of each CTA so many are kept in mind as state_layout.MBARRIERS."""
    pointer, address, begins, lane, instruction = arguments
    state = state_of(e, pointer)
    known = _memory(state)
    free = e.var("i64", MBARRIERS)
    with e.count(0, e.const("i64", MBARRIERS)) as i:
        place = e.element("i64", known, i + BARRIERS)
        there = e.load("i64", place)
        with e.if_(there.eq(address)):
            with e.if_(begins.eq(0)):
                e.store(e.const("i64", 0), place)
            with e.if_(begins.ne(0)):
                mine = thread_word(state, lane, instruction)
                _report(state, FindingKind.MBARRIER_AGAIN, mine, address, e.const("i32", 8))
            e.jump("out")
            e.label(e.fresh("dead"))
        with e.if_(there.eq(0)):
            free.set(i)
    with e.if_(begins.ne(0) & free.get().ult(MBARRIERS)):
        e.store(address, e.element("i64", known, free.get() + BARRIERS))
    e.jump("out")
    e.label("out")
    e.line("ret void")
