"""The functions that kernels under a debugger call: before each instruction, and where an mbarrier begins."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu.debugger.debug_record import MBARRIERS, DebugRecord, Reason, WatchRecord
from ptxgen.cpu.record_layout import Warp
from ptxgen.cpu.rt.records import MemoryRecord, cta_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["DEBUGGER"]


def write_pauses(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 debug_pauses(debug, warp, block, begins, lanes)`: does a warp pause before the lanes execute the block? `begins` are
    those that come to an instruction now, not those that wait at it; 0 where the block is not the beginning of one."""
    debug = MemoryRecord(e, DebugRecord, arguments[0])
    warp, block, begins, lanes = arguments[1:]
    address = e.op("i64", f"ptrtoint ptr {warp.text} to i64")
    resumes = debug.get("resuming").ne(0)
    debug.set("resuming", 0)
    e.break_if(resumes, "goes")
    reason = e.var("i32", 0)

    def note(condition: LlvmValue, why: Reason) -> None:
        reason.set(reason.get() | condition.select(e.const("i32", int(why)), 0))

    with e.if_(debug.get("watch_count").ne(0)):
        note(_changed(e, debug), Reason.WATCH)
    with e.if_(begins.ne(0)):
        index = block.zext("i64")
        note(debug.get("steps").uge(debug.get("limit")), Reason.LIMIT)
        note(e.load("i8", e.offset(e.ptr(debug.get("breaks")), index)).ne(0), Reason.BREAK)
        followed = debug.get("step_warp").eq(address) & (debug.get("step_lanes") & begins).ne(0)
        with e.if_(followed):
            cta = cta_of(MemoryRecord(e, Warp, warp))
            comes = e.load("i8", e.offset(e.ptr(debug.get("step_blocks")), index)).ne(0)
            comes = comes & cta.get("index").eq(debug.get("step_cta"))
            noting = debug.get("noting").ne(0)
            note(comes & ~noting, Reason.STEP)
            with e.if_(comes & noting & debug.get("steps").ult(debug.get("limit"))):
                debug.set("noted", debug.get("steps"))
    with e.if_(reason.get().ne(0)):
        for name, value in (("reason", reason.get()), ("block", block), ("lanes", lanes), ("warp", address)):
            debug.set(name, value)
        e.line("ret i1 true")
        e.label(e.fresh("dead"))
    e.jump("goes")
    e.label("goes")
    debug.add("steps", begins.ne(0).zext("i64"))
    for name, value in (("last_warp", address), ("last_block", block), ("last_lanes", lanes)):
        debug.set(name, value)
    e.line("ret i1 false")


def _changed(e: Emitter, debug: MemoryRecord) -> LlvmValue:
    """Do watched bytes differ from their copy?"""
    found = e.var("i1", 0)
    first = e.ptr(debug.get("watches"))
    with e.count(0, debug.get("watch_count")) as i:
        watch = MemoryRecord(e, WatchRecord, e.offset(first, i.zext("i64") * ctypes.sizeof(WatchRecord)))
        now, before = e.ptr(watch.get("address")), e.ptr(watch.get("copy"))
        with e.count(0, watch.get("bytes")) as byte:
            differs = e.load("i8", e.offset(now, byte)).ne(e.load("i8", e.offset(before, byte)))
            found.set(found.get() | differs)
    return found.get()


def write_mbarrier(e: Emitter, *arguments: LlvmValue) -> None:
    """`void debug_mbarrier(debug, address)`: an mbarrier is initialised there."""
    debug, address = MemoryRecord(e, DebugRecord, arguments[0]), arguments[1]
    first, count = e.ptr(debug.get("mbarriers")), debug.get("mbarrier_count")
    with e.count(0, count) as i:
        e.break_if(e.load("i64", e.element("i64", first, i)).eq(address), "known")
    with e.if_(count.ult(MBARRIERS)):
        e.store(address, e.element("i64", first, count))
        debug.set("mbarrier_count", count + 1)
    e.jump("known")
    e.label("known")
    e.line("ret void")


DEBUGGER: dict[str, tuple[str, tuple[str, ...], Callable[..., None]]] = {
    "debug_pauses": ("i1", ("ptr", "ptr", "i32", "i32", "i32"), write_pauses),
    "debug_mbarrier": ("void", ("ptr", "i64"), write_mbarrier),
}
"""Name in generated code -> result type, argument types, and what writes the body."""
