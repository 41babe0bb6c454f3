"""asynccheck: what is used while it is under way: memory that copies write or read, and that wgmma reads; registers of wgmma.

Of each word of shared memory it is kept what was last started there: the ring of rt/copies.py, rt/bulk.py or rt/wgmma.py that
has it, whose, and its number there. Whether that is still under way the ring itself says. The executor does all of it as late as
it may be, so it is under way until somebody has waited.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import BulkKind
from ptxgen.cpu.rt.copies import lane_copies
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of, nth_cta
from ptxgen.cpu.sanitizer.clocks import epoch_of, record_of, state_of, thread_word, warp_state
from ptxgen.cpu.sanitizer.state_layout import EPOCH, LARGEST_SIZE, WRITE, FindingKind

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue, Var

__all__ = [
    "BULK", "COPY", "MATRIX", "is_same", "write_async_access", "write_async_exit", "write_async_mark", "write_async_registers",
    "write_under_way",
]  # fmt: skip

COPY, BULK, MATRIX = 1, 2, 3
"""Which ring has it: that of the thread's cp.async, of the warp's copies in bulk, of its wgmma."""
_LANE, _WARP, _RANK, _RING = 16, 21, 26, 30
"""Of what is kept of a word in 32 bits, behind 16 bits of the number in the ring."""
_READ, _WRITTEN, _UNCOMMITTED = 1, 2, 4
_QUEUE = ctypes.sizeof(record_layout.Copies)


def write_async_mark(e: Emitter, *arguments: LlvmValue) -> None:
    """`void async_mark(state, address, bytes, lane, ring, number)`: what has that number in a ring of the thread is under way
    in a run of memory."""
    pointer, address, nbytes, lane, ring, number = arguments
    state = state_of(e, pointer)
    warp = state.follow("warp", record_layout.Warp)
    word = (number & 0xFFFF) | (lane << _LANE) | (warp.get("index") << _WARP) | (ring << _RING)
    word = word | (cta_of(warp).get("rank") << _RANK)
    start = e.ptr(address + state.get("async_bias"))
    with e.count(0, nbytes >> 2) as i:
        e.store(word, e.element("i32", start, i.zext("i64")))
    e.line("ret void")


def write_async_access(e: Emitter, *arguments: LlvmValue) -> None:
    """`void async_access(state, address, access, lane, instruction, new)`: an access at an address of the machine. What has ended
    since it was marked is forgotten. `new` is where the bytes are that it is about to write, null where they are elsewhere: what
    reads them meanwhile finds the same, if they are there already."""
    pointer, address, access, lane, instruction, new = arguments
    state = state_of(e, pointer)
    first = address & ~3
    windows = record_of(state).get("windows")
    e.break_if(first.ult(windows), "out")
    end = address + (access & LARGEST_SIZE).zext("i64")
    writes = (access & WRITE).ne(0)
    at = e.var("i64", first)
    with e.loop() as done:
        place = at.get()
        e.break_if(place.uge(end), done)
        at.set(place + 4)
        with e.if_(writes):
            e.store(e.const("i32", 0), e.ptr(place + state.get("box_bias")))
        shadow = e.ptr(place + state.get("async_bias"))
        word = e.load("i32", shadow)
        with e.if_(word.ne(0)):
            earlier = e.var("i64")
            how = e.call("under_way", "i32", pointer, word, place, earlier.pointer)
            with e.if_(how.eq(0)):
                e.store(e.const("i32", 0), shadow)
            written = (how & _WRITTEN).ne(0)
            reads = writes & (how & _READ).ne(0)
            with e.if_(written | (reads & ~is_same(e, new, address, place, end))):
                used, over = (
                    e.const("i32", int(kind))
                    for kind in (FindingKind.USED_IN_FLIGHT, FindingKind.OVERWRITTEN_IN_FLIGHT)
                )
                kind = (written & ~writes).select(used, over)
                kind = (how & _UNCOMMITTED).ne(0).select(e.const("i32", int(FindingKind.NOT_COMMITTED)), kind)
                mine = thread_word(state, lane, instruction)
                size = access & LARGEST_SIZE
                e.invoke("sanitizer_report", pointer, kind, mine, earlier.get(), place, size)
                e.break_if(~writes, done)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def is_same(e: Emitter, new: LlvmValue, address: LlvmValue, word: LlvmValue, end: LlvmValue) -> LlvmValue:
    """Is what is about to be written in a word, of bytes from an address to its end, there already?"""
    first = e.intrinsic("llvm.umax", word, address)
    same = e.var("i1", new.ne(e.undef("ptr")))
    with e.if_(same.get()):
        with e.count(first, e.intrinsic("llvm.umin", word + 4, end)) as at:
            was, will = e.load("i8", e.ptr(at)), e.load("i8", e.offset(new, at - address))
            same.set(same.get() & was.eq(will))
    return same.get()


def write_under_way(e: Emitter, *arguments: LlvmValue) -> None:
    """`i32 under_way(state, word, address, earlier)`: how what is kept of a word is using that word now; 0: it has ended. Who
    started it, at which instruction, goes to `earlier`, as an access."""
    pointer, word, address, earlier = arguments
    state = state_of(e, pointer)
    warp = state.follow("warp", record_layout.Warp)
    first = cta_of(warp).follow("cluster", record_layout.Cta)
    cta = nth_cta(e, first.pointer, (word >> _RANK) & 15)
    lane, stride = (word >> _LANE) & 31, launch_of(warp).get("warp_stride")
    theirs = cta.get("warps") + ((word >> _WARP) & 31).zext("i64") * stride
    copies = MemoryRecord(e, record_layout.Copies, e.ptr(theirs + record_of(state).get("copies_offset")))
    owner, ring, number = warp_state(e, theirs), word >> _RING, word & 0xFFFF
    how, instruction = e.var("i32", 0), e.var("i32", 0)
    with e.if_(ring.eq(COPY)):
        _of_thread(lane_copies(copies, lane), number, address, how, instruction)
    with e.if_(ring.eq(BULK)):
        _in_bulk(copies, lane, number, address, how, instruction)
    with e.if_(ring.eq(MATRIX)):
        queue = MemoryRecord(e, record_layout.WgmmaQueue, e.offset(copies.pointer, _QUEUE))
        _of_matrix(queue, number, how, instruction)
    with e.if_(how.get().ne(0)):
        epoch = epoch_of(owner).zext("i64") << EPOCH
        e.store(thread_word(owner, lane, instruction.get()) | epoch, earlier)
    e.line(f"ret i32 {how.get().text}")


def _entry(
    ring: MemoryRecord, name: str, structure: type[ctypes.Structure], size: int, number: LlvmValue
) -> tuple[LlvmValue, MemoryRecord]:
    """(is it between `first` and `next`, the entry) of a number's lowest 16 bits."""
    e = ring.emitter
    first = ring.get("first")
    distance = (number - first) & 0xFFFF
    place = ((first + distance) & (size - 1)).zext("i64") * ctypes.sizeof(structure)
    entry = MemoryRecord(e, structure, e.offset(ring.pointer_to(name), place))
    return distance.ult(ring.get("next") - first), entry


def _of_thread(lane: MemoryRecord, number: LlvmValue, address: LlvmValue, how: Var, instruction: Var) -> None:
    """A cp.async of the thread."""
    e = lane.emitter
    open_, entry = _entry(lane, "copies", record_layout.CopyRecord, record_layout.LaneCopies.SIZE, number)
    with e.if_(open_ & (address - entry.get("to")).ult(entry.get("bytes").zext("i64"))):
        loose = entry.get("group").eq(lane.get("groups"))
        how.set(loose.select(e.const("i32", _WRITTEN | _UNCOMMITTED), _WRITTEN))
        instruction.set(entry.get("instruction"))


def _in_bulk(
    copies: MemoryRecord, lane: LlvmValue, number: LlvmValue, address: LlvmValue, how: Var, instruction: Var
) -> None:
    """A copy in bulk: of a group it reads shared memory, else it writes there."""
    e = copies.emitter
    open_, entry = _entry(copies, "bulk", record_layout.BulkCopy, record_layout.Copies.SIZE, number)
    with e.if_(open_ & entry.get("kind").ne(int(BulkKind.DONE))):
        group = entry.get("mbarrier").eq(0)
        start = group.select(entry.get("source"), entry.get("to"))
        tensor = entry.get("kind").eq(int(BulkKind.TENSOR_LOAD))
        length = tensor.select(e.const("i64", 1 << 18), entry.get("bytes").zext("i64"))
        with e.if_((address - start).ult(length)):
            how.set(group.select(e.const("i32", _READ), _WRITTEN))
            loose = group & entry.get("group").eq(lane_copies(copies, lane).get("bulk_groups"))
            how.set(loose.select(e.const("i32", _READ | _UNCOMMITTED), how.get()))
            instruction.set(entry.get("instruction"))


def _of_matrix(queue: MemoryRecord, number: LlvmValue, how: Var, instruction: Var) -> None:
    """A wgmma reads what is in shared memory."""
    e = queue.emitter
    open_, entry = _entry(queue, "calls", record_layout.WgmmaCall, record_layout.WgmmaQueue.SIZE, number)
    with e.if_(open_):
        how.set(_READ)
        instruction.set(entry.get("instruction"))


# -- registers, and ends ----------------------------------------------------------------------------------------------


def write_async_registers(e: Emitter, *arguments: LlvmValue) -> None:
    """`void async_registers(state, queue, numbers, count, lane, instruction)`: a thread touches registers that belong to wgmma of
    these instructions, i32s at `numbers`: an accumulator, or one of A that it writes."""
    pointer, queue_pointer, numbers, many, lane, instruction = arguments
    state, queue = state_of(e, pointer), MemoryRecord(e, record_layout.WgmmaQueue, queue_pointer)
    at = e.var("i32", queue.get("first"))
    groups = queue.get("groups")
    with e.loop() as done:
        now = at.get()
        e.break_if(now.eq(queue.get("next")), done)
        at.set(now + 1)
        _, entry = _entry(queue, "calls", record_layout.WgmmaCall, record_layout.WgmmaQueue.SIZE, now & 0xFFFF)
        with e.count(0, many) as i:
            number = entry.get("instruction")
            with e.if_(e.load("i32", e.element("i32", numbers, i.zext("i64"))).eq(number)):
                last = queue.get("ends", (groups - 1) & (record_layout.WgmmaQueue.SIZE - 1))
                loose = groups.eq(0) | (now - last).sge(0)
                kinds = (FindingKind.NOT_COMMITTED, FindingKind.REGISTER_IN_FLIGHT)
                first, second = (e.const("i32", int(kind)) for kind in kinds)
                earlier = thread_word(state, lane, number) | (epoch_of(state).zext("i64") << EPOCH)
                mine, none = thread_word(state, lane, instruction), e.const("i64", 0)
                e.invoke(
                    "sanitizer_report", pointer, loose.select(first, second), mine, earlier, none, e.const("i32", 0)
                )
    e.line("ret void")


def write_async_exit(e: Emitter, *arguments: LlvmValue) -> None:
    """`void async_exit(state, copies, lanes, instruction)`: threads exit; what they have stored in bulk from shared memory must
    have been waited for."""
    pointer, copies_pointer, lanes, instruction = arguments
    state, copies = state_of(e, pointer), MemoryRecord(e, record_layout.Copies, copies_pointer)
    at = e.var("i32", copies.get("first"))
    with e.loop() as done:
        now = at.get()
        e.break_if(now.eq(copies.get("next")), done)
        at.set(now + 1)
        _, entry = _entry(copies, "bulk", record_layout.BulkCopy, record_layout.Copies.SIZE, now & 0xFFFF)
        lane, kind = entry.get("lane"), entry.get("kind")
        of_group = entry.get("mbarrier").eq(0) & kind.ne(int(BulkKind.DONE)) & kind.ne(int(BulkKind.TENSOR_CORE))
        with e.if_(of_group & ((lanes >> lane) & 1).ne(0)):
            loose = entry.get("group").eq(lane_copies(copies, lane).get("bulk_groups"))
            first, second = (e.const("i32", int(kind)) for kind in (FindingKind.NOT_COMMITTED, FindingKind.NOT_WAITED))
            earlier = thread_word(state, lane, entry.get("instruction")) | (epoch_of(state).zext("i64") << EPOCH)
            mine, none = thread_word(state, lane, instruction), e.const("i64", 0)
            e.invoke("sanitizer_report", pointer, loose.select(first, second), mine, earlier, none, e.const("i32", 0))
    e.line("ret void")
