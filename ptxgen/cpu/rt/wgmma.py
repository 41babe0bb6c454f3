"""wgmma under way (manual 9.7.15): a queue for each warp, which computes its own quarter of each product.

As with copies, each product is done as late as it may be: when a warp of the warpgroup waits for its group. It is done then for
all four warps, since it is the warpgroup's; and it cannot be done before all four have issued it, so that the one that waits
first waits for them too. Until then accumulators have their old values, and A and B are not read. All other warps have a turn
before, in which those that have been told too soon that a stage is free fill it again.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import Window
from ptxgen.cpu.rt.matrix.wgmma import CHUNK, Parameter
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, launch_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = [
    "write_wgmma_commit", "write_wgmma_exit", "write_wgmma_run", "write_wgmma_start", "write_wgmma_touch", "write_wgmma_wait",
]  # fmt: skip

WARPS = 4
"""Of a warpgroup."""
_MASK = record_layout.WgmmaQueue.SIZE - 1


def _queue(e: Emitter, pointer: LlvmValue) -> MemoryRecord:
    return MemoryRecord(e, record_layout.WgmmaQueue, pointer)


def _call(queue: MemoryRecord, number: LlvmValue) -> MemoryRecord:
    e = queue.emitter
    place = (number & _MASK).zext("i64") * ctypes.sizeof(record_layout.WgmmaCall)
    return MemoryRecord(e, record_layout.WgmmaCall, e.offset(queue.pointer_to("calls"), place))


def write_wgmma_start(e: Emitter, *arguments: LlvmValue) -> None:
    """`ptr wgmma_start(queue, warp, instruction)`: a new entry; the oldest is done if there is no room."""
    queue, warp = _queue(e, arguments[0]), arguments[1]
    number = queue.get("next")
    with e.if_((number - queue.get("first")).eq(record_layout.WgmmaQueue.SIZE)):
        e.invoke("wgmma_run", queue.pointer, warp, queue.get("first") + 1)
    queue.set("next", number + 1)
    entry = _call(queue, number)
    entry.set("instruction", arguments[2])
    e.line(f"ret ptr {entry.pointer.text}")


def write_wgmma_run(e: Emitter, *arguments: LlvmValue) -> None:
    """`void wgmma_run(queue, warp, until)`: does the warp's part of what it has issued before its number `until`, in order."""
    queue, warp_pointer, until = _queue(e, arguments[0]), arguments[1], arguments[2]
    launch = launch_of(MemoryRecord(e, record_layout.Warp, warp_pointer))
    with e.loop() as end:
        first = queue.get("first")
        e.break_if((until - first).sle(0), end)
        queue.set("first", first + 1)
        entry = _call(queue, first)
        scalars, parameters = entry.pointer_to("scalars"), entry.pointer_to("parameters")
        given = (
            f"ptr {warp_pointer.text}, ptr {e.ptr(entry.get('table')).text}, ptr {scalars.text}, ptr {parameters.text}"
        )
        e.line(f"call void {e.ptr(entry.get('function')).text}({given})")
        bad = entry.get("parameters", int(Parameter.BAD))
        with e.if_(bad.sge(0)):  # a descriptor has led outside of shared memory
            launch.set("fault_window", int(Window.SHARED))
            kind, lane, size = (e.const("i32", n) for n in (int(FaultKind.ILLEGAL_ADDRESS), 0, CHUNK))
            e.invoke("fault", warp_pointer, kind, entry.get("instruction"), lane, bad + entry.get("window"), size)
            e.leave("out")
    e.jump("out")
    e.label("out")
    e.line("ret void")


def write_wgmma_commit(e: Emitter, *arguments: LlvmValue) -> None:
    """`void wgmma_commit(queue)`: a group of what is in none yet."""
    queue = _queue(e, arguments[0])
    number = queue.get("groups")
    queue.set("ends", queue.get("next"), number & _MASK)
    queue.set("groups", number + 1)
    e.line("ret void")


@contextmanager
def _warpgroup(e: Emitter, queue: LlvmValue, warp_pointer: LlvmValue) -> Iterator[tuple[MemoryRecord, LlvmValue]]:
    """Its body runs for each warp of the warpgroup that has threads: (queue, pointer to the warp's record)."""
    warp = MemoryRecord(e, record_layout.Warp, warp_pointer)
    launch, own = launch_of(warp), warp.get("index")
    first = own & -WARPS
    with e.count(first, e.intrinsic("llvm.umin", first + WARPS, launch.get("warps"))) as index:
        distance = (index - own).sext("i64") * launch.get("warp_stride")
        other = MemoryRecord(e, record_layout.Warp, e.offset(warp_pointer, distance))
        with e.if_(other.get("live").ne(0)):
            yield _queue(e, e.offset(queue, distance)), other.pointer


def write_wgmma_wait(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 wgmma_wait(queue, warp, left)`: does all groups but the last `left`, for the whole warpgroup; false, and nothing is
    done, where another of its warps has not issued as much."""
    queue, warp, left = _queue(e, arguments[0]), arguments[1], arguments[2]
    groups = queue.get("groups")
    until = e.var("i32", 0)
    with e.if_(groups.ule(left)):
        e.leave("done")
    until.set(queue.get("ends", (groups - left - 1) & _MASK))
    with e.if_(queue.get("asked").ne(until.get())):  # the first time others have their turn
        queue.set("asked", until.get())
        e.leave("early")
    with _warpgroup(e, queue.pointer, warp) as (other, _pointer):
        with e.if_((other.get("next") - until.get()).slt(0)):
            e.leave("early")
    with _warpgroup(e, queue.pointer, warp) as (other, pointer):
        e.invoke("wgmma_run", other.pointer, pointer, until.get())
    e.jump("done")
    e.label("done")
    e.line("ret i1 true")
    e.label("early")
    e.line("ret i1 false")


def write_wgmma_touch(e: Emitter, *arguments: LlvmValue) -> None:
    """`void wgmma_touch(queue, warp, owners)`: does the warp's part of what these instructions have under way."""
    queue, warp, owners = _queue(e, arguments[0]), arguments[1], arguments[2]
    until = e.var("i32", queue.get("first"))
    number = e.var("i32", queue.get("first"))
    with e.loop() as end:
        now = number.get()
        e.break_if(now.eq(queue.get("next")), end)
        number.set(now + 1)
        with e.if_((_call(queue, now).get("owner") & owners).ne(0)):
            until.set(now + 1)
    e.invoke("wgmma_run", queue.pointer, warp, until.get())
    e.line("ret void")


def write_wgmma_exit(e: Emitter, *arguments: LlvmValue) -> None:
    """`void wgmma_exit(queue, warp)`: the warp exits: its part of all is done, and the record is as for a new one."""
    queue, warp = _queue(e, arguments[0]), arguments[1]
    e.invoke("wgmma_run", queue.pointer, warp, queue.get("next"))
    for field in ("first", "next", "groups", "asked"):
        queue.set(field, 0)
    e.line("ret void")
