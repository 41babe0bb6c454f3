"""Copies of single threads (manual 9.7.9.25.3: cp.async) under way.

A copy is done as late as it may be: when its thread waits for it, when an mbarrier that covers it is waited for, or when the
thread exits. So whoever reads too early reads what was there before, every time. A thread with more copies under way than
LaneCopies holds does its oldest at once, which a GPU may do too.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = [
    "lane_copies", "write_copies_drain", "write_copies_wait", "write_copy_finish", "write_copy_start", "write_draw",
    "write_spoil",
]  # fmt: skip


def lane_copies(copies: MemoryRecord, lane: LlvmValue) -> MemoryRecord:
    """A lane's own record in those of its warp."""
    e = copies.emitter
    offset = lane.zext("i64") * ctypes.sizeof(record_layout.LaneCopies)
    return MemoryRecord(e, record_layout.LaneCopies, e.offset(copies.pointer_to("lanes"), offset))


def _entry(lane: MemoryRecord, number: LlvmValue) -> MemoryRecord:
    e = lane.emitter
    place = (number & (record_layout.LaneCopies.SIZE - 1)).zext("i64") * ctypes.sizeof(record_layout.CopyRecord)
    return MemoryRecord(e, record_layout.CopyRecord, e.offset(lane.pointer_to("copies"), place))


def write_copy_start(e: Emitter, *arguments: LlvmValue) -> None:
    """`void copy_start(lane, to, source, bytes, taken)`: `taken` bytes of the source and then zeros, `bytes` in all."""
    lane_pointer, to, source, nbytes, taken = arguments
    lane = MemoryRecord(e, record_layout.LaneCopies, lane_pointer)
    with e.if_((lane.get("next") - lane.get("first")).eq(record_layout.LaneCopies.SIZE)):
        e.invoke("copy_finish", lane_pointer)
    copy = _entry(lane, lane.get("next"))
    for name, value in (
        ("to", to),
        ("source", source),
        ("bytes", nbytes),
        ("taken", taken),
        ("group", lane.get("groups")),
    ):
        copy.set(name, value)
    lane.add("next", 1)
    e.line("ret void")


def write_spoil(e: Emitter, *arguments: LlvmValue) -> None:
    """`void spoil(address, bytes)`: ones (NaN) in a run of memory, whose address and bytes are multiples of 4."""
    address, nbytes = arguments
    whole = nbytes & -16
    with e.count(0, whole >> 4) as line:
        e.line(f"store <2 x i64> <i64 -1, i64 -1>, ptr {e.ptr(address + (line << 4)).text}, align 8")
    with e.count(whole >> 2, nbytes >> 2) as word:
        e.store(e.const("i32", -1), e.ptr(address + (word << 2)))
    e.line("ret void")


def write_draw(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 draw(launch)`: is what has been started done at once? Asked where it is not always done late."""
    launch = MemoryRecord(e, record_layout.LaunchRecord, arguments[0])
    drawn = launch.get("draws") * 6364136223846793005 + 1442695040888963407  # Knuth, MMIX
    launch.set("draws", drawn)
    either = launch.get("early_copies").eq(1) | (drawn >> 63).ne(0)
    e.line(f"ret i1 {either.text}")


def write_copy_finish(e: Emitter, *arguments: LlvmValue) -> None:
    """`void copy_finish(lane)`: does the oldest copy."""
    lane = MemoryRecord(e, record_layout.LaneCopies, arguments[0])
    first = lane.get("first")
    copy = _entry(lane, first)
    lane.set("first", first + 1)
    to, source = e.ptr(copy.get("to")), e.ptr(copy.get("source"))
    nbytes, taken = copy.get("bytes"), copy.get("taken")
    whole = taken & -4
    with e.count(0, nbytes >> 2) as word:
        e.store(e.const("i32", 0), e.element("i32", to, word.zext("i64")))
    with e.count(0, whole >> 2) as word:
        e.store(e.load("i32", e.element("i32", source, word.zext("i64"))), e.element("i32", to, word.zext("i64")))
    with e.count(whole, taken) as byte:
        e.store(e.load("i8", e.element("i8", source, byte.zext("i64"))), e.element("i8", to, byte.zext("i64")))
    e.line("ret void")


def write_copies_drain(e: Emitter, *arguments: LlvmValue) -> None:
    """`void copies_drain(lane, end)`: does the copies that were started before the thread's copy number `end`."""
    lane = MemoryRecord(e, record_layout.LaneCopies, arguments[0])
    with e.loop() as end:
        e.break_if((arguments[1] - lane.get("first")).sle(0), end)
        e.invoke("copy_finish", lane.pointer)
    e.line("ret void")


def write_copies_wait(e: Emitter, *arguments: LlvmValue) -> None:
    """`void copies_wait(lane, left)`: does the copies of all committed groups but the last `left`."""
    lane = MemoryRecord(e, record_layout.LaneCopies, arguments[0])
    limit = e.intrinsic("llvm.usub.sat", lane.get("groups"), arguments[1])
    with e.loop() as end:
        first = lane.get("first")
        e.break_if(first.eq(lane.get("next")), end)
        e.break_if(_entry(lane, first).get("group").uge(limit), end)
        e.invoke("copy_finish", lane.pointer)
    e.line("ret void")
