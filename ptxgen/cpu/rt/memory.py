"""The slow path of checked memory: which block does an address lie in, and may this access touch it?

Fast path (in the kernel): every memory instruction has a *slot* in the launch record, (base, bytes >> log2 size) of the block
that it touched last. An access is good when `rotate_right(address - base, log2 size) < bytes >> log2 size`: one comparison for
both bounds and alignment. Only a miss comes here.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.arena import READ_ONLY
from ptxgen.cpu.record_layout import NOWHERE
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["GENERIC", "WRITE", "FaultKind", "find_block", "write_fault", "write_resolve"]

WRITE = 0x100
"""Flag in `resolve`'s access word beside log2 of the size: the access writes."""
GENERIC = 0x200
"""Flag: a generic address, which may lead to shared, local or parameter memory (manual 6.4.1.1)."""


class FaultKind(IntEnum):
    """Why a launch was stopped; the number that generated code stores."""

    ILLEGAL_ADDRESS = 1
    MISALIGNED_ADDRESS = 2
    READ_ONLY_ADDRESS = 3
    TRAP = 4
    BREAKPOINT = 5
    MEMBER_MASK = 6
    BARRIER_INDEX = 7
    BARRIER_COUNT = 8
    BARRIER_OVERFULL = 9
    BRANCH_INDEX = 10
    ASSERT = 11
    COPY_SIZE = 12
    MBARRIER_INVALID = 13
    MBARRIER_COUNT = 14
    MBARRIER_OVERFULL = 15
    MBARRIER_COMPLETES = 16
    MBARRIER_TX = 17
    BULK_SIZE = 18
    CLUSTER_RANK = 19
    TENSOR_MAP = 20
    CLUSTER_EXITED = 21
    NO_CLUSTER = 22
    TENSOR_ROW = 23
    TENSOR_NEGATIVE = 24
    TENSOR_PIXEL = 25
    TENSOR_CORNER = 26
    CALL_PARAMETER = 27
    CLUSTER_PAIR = 28
    CLUSTER_ADDRESS = 29
    TENSOR_MEMORY_SIZE = 30
    TENSOR_MEMORY_PERMIT = 31
    TENSOR_MEMORY_FREE = 32
    TENSOR_MEMORY_LEAK = 33
    TENSOR_MEMORY_COLUMNS = 34
    TENSOR_MEMORY_LANES = 35
    INSTRUCTION_DESCRIPTOR = 36
    MATRIX_DESCRIPTOR = 37
    MATRIX_ADDRESS = 38
    CTA_PAIR = 39
    STACK_OVERFLOW = 40
    FUNCTION_POINTER = 41
    HEAP_POINTER = 42
    TEXTURE_HANDLE = 43
    SURFACE_POSITION = 44
    MULTICAST_ADDRESS = 45
    SCALE_SELECTOR = 46


def write_fault(e: Emitter, *arguments: LlvmValue) -> None:
    """`void fault(warp, kind, instruction, lane, address, size)`: notes the first fault of a launch."""
    warp, kind, instruction, lane, address, size = arguments
    launch = launch_of(MemoryRecord(e, record_layout.Warp, warp))
    with e.if_(launch.get("fault_kind").eq(0)):
        launch.set("fault_kind", kind)
        launch.set("fault_instruction", instruction)
        launch.set("fault_lane", lane)
        launch.set("fault_address", address)
        launch.set("fault_size", size)
        launch.set("fault_warp", MemoryRecord(e, record_layout.Warp, warp).address())
    e.line("ret void")


@contextmanager
def find_block(
    e: Emitter, launch: MemoryRecord, address: LlvmValue
) -> Iterator[tuple[LlvmValue, LlvmValue, LlvmValue]]:
    """Its body runs when a block of the allocation table begins at or before the address: (base, bytes, is it read-only)."""
    table = e.ptr(launch.get("table"))
    low, high = e.var("i64", 0), e.var("i64", launch.get("table_count"))
    with e.loop() as end:  # the last entry with base <= address lies before `low`
        e.break_if(low.get().uge(high.get()), end)
        middle = (low.get() + high.get()) >> 1
        base = e.load("i64", e.element("i64", table, middle << 1))
        below = base.ule(address)
        low.set(below.select(middle + 1, low.get()))
        high.set(below.select(high.get(), middle))
    with e.if_(low.get().ne(0)):
        entry = (low.get() - 1) << 1
        base = e.load("i64", e.element("i64", table, entry))
        word = e.load("i64", e.element("i64", table, entry + 1))
        yield base, word & (READ_ONLY - 1), (word >> 63).ne(0)


def write_resolve(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 resolve(slot, address, access, warp, lane, instruction)`: true when the access is good; else the fault is noted.

    `access` is log2 of the size with the flags WRITE and GENERIC.
    """
    slot, address, access, warp_pointer, lane, instruction = arguments
    warp = MemoryRecord(e, record_layout.Warp, warp_pointer)
    cta, launch = cta_of(warp), launch_of(warp)
    shift = (access & 0xFF).zext("i64")
    size = e.const("i64", 1) << shift
    kind = e.var("i32", int(FaultKind.MISALIGNED_ADDRESS))

    def inside(base: LlvmValue, nbytes: LlvmValue) -> LlvmValue:
        offset = address - base
        return offset.ult(nbytes) & (nbytes - offset).uge(size)

    aligned = (address & (size - 1)).eq(0)
    with e.if_(aligned):
        kind.set(int(FaultKind.ILLEGAL_ADDRESS))
        with e.if_((access & GENERIC).ne(0)):
            local = warp.get("local") + lane.zext("i64") * launch.get("local_stride")
            for base, nbytes, readable in (
                (cta.get("shared"), launch.get("shared_bytes").zext("i64"), False),
                (local, launch.get("local_bytes"), False),
                (launch.get("param"), launch.get("param_bytes"), True),
            ):
                with e.if_(inside(base, nbytes)):
                    if readable:
                        with e.if_((access & WRITE).ne(0)):
                            kind.set(int(FaultKind.READ_ONLY_ADDRESS))
                            e.leave("bad")
                    e.leave("good")
            with e.if_(launch.get("cluster_ctas").ne(1) | (address & NOWHERE).ne(0)):
                where = e.call("cluster_address", "i64", address, warp_pointer)
                with e.if_(where.ne(-1)):
                    who = (warp_pointer, lane, instruction)
                    found = e.call("cluster_pointer", "i64", where, size, size, *who)
                    e.line(f"ret i1 {found.ne(0).text}")
                    e.label(e.fresh("dead"))
        with find_block(e, launch, address) as (base, nbytes, read_only):
            with e.if_(inside(base, nbytes)):
                with e.if_(~(read_only & (access & WRITE).ne(0))):
                    e.store(base, slot)
                    e.store(nbytes >> shift, e.offset(slot, 8))
                    e.leave("good")
                kind.set(int(FaultKind.READ_ONLY_ADDRESS))
    e.jump("bad")
    e.label("good")
    e.line("ret i1 true")
    e.label("bad")
    e.invoke("fault", warp_pointer, kind.get(), instruction, lane, address, size.trunc("i32"))
    e.line("ret i1 false")
