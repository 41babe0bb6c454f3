"""What completes on mbarriers and in bulk groups, under way (manual 9.7.9.25.2): a ring for each warp. What the tensor cores of
tcgen05 have to do is in it too.

As with the copies of copies.py, each is done as late as it may be: when somebody waits for the mbarrier, when its thread
waits for the group, or when its thread exits. Of those that complete on one mbarrier only as many are done as a phase needs.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import BulkKind
from ptxgen.cpu.rt.copies import lane_copies
from ptxgen.cpu.rt.matrix.tcgen05_parameters import Parameter
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of, nth_cta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = [
    "write_bulk_advance", "write_bulk_finish", "write_bulk_settle", "write_bulk_start", "write_bulk_wait",
    "write_copies_exit",
]  # fmt: skip


def _entry(copies: MemoryRecord, number: LlvmValue) -> MemoryRecord:
    e = copies.emitter
    place = (number & (record_layout.Copies.SIZE - 1)).zext("i64") * ctypes.sizeof(record_layout.BulkCopy)
    return MemoryRecord(e, record_layout.BulkCopy, e.offset(copies.pointer_to("bulk"), place))


@contextmanager
def _under_way(e: Emitter, copies: MemoryRecord) -> Iterator[tuple[LlvmValue, MemoryRecord]]:
    """Its body runs for each entry of a ring that is not done, oldest first: (number, entry). It may finish them."""
    number = e.var("i32", copies.get("first"))
    with e.loop() as end:
        now = number.get()
        e.break_if(now.eq(copies.get("next")), end)
        entry = _entry(copies, now)
        with e.if_(entry.get("kind").ne(int(BulkKind.DONE))):
            yield now, entry
        number.set(now + 1)


def write_bulk_start(e: Emitter, *arguments: LlvmValue) -> None:
    """`ptr bulk_start(copies, warp, kind, mbarrier, to, source, bytes, lane, instruction)`: the entry, a new one.

    `mbarrier` is null for what completes in a bulk group.
    """
    copies_pointer, warp_pointer, kind, mbarrier, to, source, nbytes, lane, instruction = arguments
    copies = MemoryRecord(e, record_layout.Copies, copies_pointer)
    with e.if_((copies.get("next") - copies.get("first")).eq(record_layout.Copies.SIZE)):
        e.invoke("bulk_finish", copies_pointer, warp_pointer, copies.get("first"))
    number = copies.get("next")
    copies.set("next", number + 1)
    entry = _entry(copies, number)
    group = lane_copies(copies, lane).get("bulk_groups")
    where = e.op("i64", f"ptrtoint ptr {mbarrier.text} to i64")
    cta = cta_of(MemoryRecord(e, record_layout.Warp, warp_pointer))
    cta.add("under_way", where.ne(0).zext("i32"))
    values = {
        "kind": kind, "rank": cta.get("rank"), "mbarrier": where, "to": to, "source": source,
        "bytes": nbytes, "lane": lane, "instruction": instruction, "group": group,
    }  # fmt: skip
    for name, value in values.items():
        entry.set(name, value)
    e.line(f"ret ptr {entry.pointer.text}")


def write_bulk_finish(e: Emitter, *arguments: LlvmValue) -> None:
    """`void bulk_finish(copies, warp, number)`: does an entry, and takes those that are done from the ring's beginning."""
    copies_pointer, warp_pointer, number = arguments
    copies = MemoryRecord(e, record_layout.Copies, copies_pointer)
    entry = _entry(copies, number)
    kind, lane, instruction = entry.get("kind"), entry.get("lane"), entry.get("instruction")
    entry.set("kind", int(BulkKind.DONE))
    mbarrier, nbytes = entry.get("mbarrier"), entry.get("bytes").zext("i64")
    who = (warp_pointer, lane, instruction)
    cta, rank = cta_of(MemoryRecord(e, record_layout.Warp, warp_pointer)), entry.get("rank")
    cta.add("under_way", -mbarrier.ne(0).zext("i32"))
    with e.if_(nth_cta(e, e.ptr(cta.get("cluster")), rank).get("alive").eq(0)):
        fault = e.const("i32", int(FaultKind.CLUSTER_EXITED))
        e.invoke("fault", warp_pointer, fault, instruction, lane, rank.zext("i64"), e.const("i32", 0))
        e.leave("done")
    with e.if_(kind.eq(int(BulkKind.COPY))):
        to, source = e.ptr(entry.get("to")), e.ptr(entry.get("source"))
        with e.count(0, nbytes >> 3) as word:
            e.store(e.load("i64", e.element("i64", source, word)), e.element("i64", to, word))
    with e.if_(kind.eq(int(BulkKind.MASKED_COPY))):
        to, source, mask = e.ptr(entry.get("to")), e.ptr(entry.get("source")), entry.get("numbers", 0)
        with e.count(0, nbytes) as byte:
            with e.if_((mask >> (byte & 15).trunc("i32") & 1).ne(0)):
                e.store(e.load("i8", e.offset(source, byte)), e.offset(to, byte))
    with e.if_(kind.eq(int(BulkKind.STORE))):
        to, source = e.ptr(entry.get("to")), entry.pointer_to("numbers")
        with e.count(0, nbytes >> 2) as word:
            e.store(e.load("i32", e.element("i32", source, word)), e.element("i32", to, word))
    with e.if_(kind.eq(int(BulkKind.REDUCE))):
        run = f"ptr {e.ptr(entry.get('to')).text}, ptr {e.ptr(entry.get('source')).text}, i64 {nbytes.text}, i32 0"
        e.op("i32", f"call i32 {e.ptr(entry.get('function')).text}({run})")
    for tensor, shared in (
        (BulkKind.TENSOR_LOAD, "to"),
        (BulkKind.TENSOR_STORE, "source"),
        (BulkKind.TENSOR_REDUCE, "source"),
    ):
        with e.if_(kind.eq(int(tensor))):
            stores = e.const("i32", int(shared == "source"))
            function = entry.get("function") if tensor is BulkKind.TENSOR_REDUCE else e.const("i64", 0)
            box = (entry.pointer_to("map"), entry.pointer_to("numbers"), entry.get(shared))
            e.invoke("tensor_move", *box, stores, function)
    with e.if_(kind.eq(int(BulkKind.ARRIVAL))):
        e.invoke("copies_drain", lane_copies(copies, lane).pointer, entry.get("to").trunc("i32"))
        one, zero = e.const("i32", 1), e.const("i32", 0)
        e.call("mbarrier_arrive", "i64", e.ptr(mbarrier), one, zero, zero, *who)
    with e.if_(kind.eq(int(BulkKind.TENSOR_CORE))):
        _run_tensor_core(e, entry, who)
    with e.if_(kind.eq(int(BulkKind.COMMIT))):
        with _under_way(e, copies) as (other, before):
            mine = before.get("kind").eq(int(BulkKind.TENSOR_CORE)) & before.get("lane").eq(lane)
            with e.if_(mine & (other - number).slt(0)):
                e.invoke("bulk_finish", copies_pointer, warp_pointer, other)
        one, zero = e.const("i32", 1), e.const("i32", 0)
        e.call("mbarrier_arrive", "i64", e.ptr(mbarrier), one, zero, zero, *who)
    arrives = kind.eq(int(BulkKind.ARRIVAL)) | kind.eq(int(BulkKind.COMMIT))
    with e.if_(~arrives & mbarrier.ne(0)):
        e.call("mbarrier_transact", "i1", e.ptr(mbarrier), -nbytes, *who)
    e.jump("done")
    e.label("done")
    with e.loop() as end:
        first = copies.get("first")
        e.break_if(first.eq(copies.get("next")), end)
        e.break_if(_entry(copies, first).get("kind").ne(int(BulkKind.DONE)), end)
        copies.set("first", first + 1)
    e.line("ret void")


def _run_tensor_core(e: Emitter, entry: MemoryRecord, who: tuple[LlvmValue, LlvmValue, LlvmValue]) -> None:
    """Calls an entry's function of rt/matrix/functions.py, and notes the fault that it has left in its parameters."""
    warp_pointer, lane, instruction = who
    parameters = entry.pointer_to("map")
    given = f"ptr {warp_pointer.text}, ptr null, ptr null, ptr {parameters.text}"
    e.line(f"call void {e.ptr(entry.get('function')).text}({given})")
    fault = e.load("i32", e.offset(parameters, 4 * Parameter.FAULT))
    with e.if_(fault.ne(0)):
        detail = e.load("i64", e.offset(parameters, 4 * Parameter.NUMBER))
        e.invoke("fault", warp_pointer, fault, instruction, lane, detail, e.const("i32", 0))


def write_bulk_advance(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 bulk_advance(copies, warp, mbarrier)`: does the oldest entry of any warp of the cluster that completes on the mbarrier,
    a lower CTA's and in it a lower warp's first; false when there is none."""
    own_copies, own_warp, mbarrier = arguments
    warp = MemoryRecord(e, record_layout.Warp, own_warp)
    launch, first = launch_of(warp), e.ptr(cta_of(warp).get("cluster"))
    stride = launch.get("warp_stride")
    wanted, behind, own = (e.op("i64", f"ptrtoint ptr {p.text} to i64") for p in (mbarrier, own_copies, own_warp))
    behind = behind - own  # from a warp's record to its copies
    with e.count(0, launch.get("cluster_ctas")) as rank:
        cta = nth_cta(e, first, rank)
        with e.if_(cta.get("under_way").ne(0)):
            with e.count(0, launch.get("warps")) as w:
                address = cta.get("warps") + w.zext("i64") * stride
                copies = MemoryRecord(e, record_layout.Copies, e.ptr(address + behind))
                with _under_way(e, copies) as (number, entry):
                    with e.if_(entry.get("mbarrier").eq(wanted)):
                        e.invoke("bulk_finish", copies.pointer, e.ptr(address), number)
                        e.leave("found")
    e.jump("none")
    e.label("none")
    e.line("ret i1 false")
    e.label("found")
    e.line("ret i1 true")


def write_bulk_wait(e: Emitter, *arguments: LlvmValue) -> None:
    """`void bulk_wait(copies, warp, lane, left)`: does the copies of all bulk groups of a thread but the last `left`."""
    copies_pointer, warp_pointer, lane, left = arguments
    copies = MemoryRecord(e, record_layout.Copies, copies_pointer)
    limit = e.intrinsic("llvm.usub.sat", lane_copies(copies, lane).get("bulk_groups"), left)
    with _under_way(e, copies) as (number, entry):
        with e.if_(_in_group(entry, lane) & entry.get("group").ult(limit)):
            e.invoke("bulk_finish", copies_pointer, warp_pointer, number)
    e.line("ret void")


def _in_group(entry: MemoryRecord, lane: LlvmValue) -> LlvmValue:
    """Does the entry complete in a bulk group of that thread?"""
    copies = entry.get("mbarrier").eq(0) & entry.get("kind").ne(int(BulkKind.TENSOR_CORE))
    return copies & entry.get("lane").eq(lane)


def write_bulk_settle(e: Emitter, *arguments: LlvmValue) -> None:
    """`void bulk_settle(copies, warp)`: does all that a warp has under way."""
    copies_pointer, warp_pointer = arguments
    with _under_way(e, MemoryRecord(e, record_layout.Copies, copies_pointer)) as (number, _):
        e.invoke("bulk_finish", copies_pointer, warp_pointer, number)
    e.line("ret void")


def write_copies_exit(e: Emitter, *arguments: LlvmValue) -> None:
    """`void copies_exit(copies, warp, lanes)`: does all that exiting lanes have under way."""
    copies_pointer, warp_pointer, lanes = arguments
    copies = MemoryRecord(e, record_layout.Copies, copies_pointer)
    copies.set("denied", copies.get("denied") & ~lanes)
    with _under_way(e, copies) as (number, entry):
        with e.if_(((lanes >> entry.get("lane")) & 1).ne(0)):
            e.invoke("bulk_finish", copies_pointer, warp_pointer, number)
    with e.count(0, e.const("i32", 32)) as lane:
        with e.if_(((lanes >> lane) & 1).ne(0)):
            own = lane_copies(copies, lane)
            e.invoke("copies_drain", own.pointer, own.get("next"))
    e.line("ret void")
