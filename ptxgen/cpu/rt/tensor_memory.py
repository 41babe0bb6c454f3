"""Tensor memory at run time (manual 9.7.16.2): who owns which columns, and where a lane's columns lie.

A CTA has all 512 columns for itself: others that a GPU would run on the same multiprocessor take none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.record_layout import TENSOR_COLUMNS, TENSOR_MEMORY_BYTES
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, cta_of, launch_of

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = [
    "FULL", "REFUSED", "column_pointer", "not_allocated", "tensor_memory", "write_tensor_alloc", "write_tensor_free",
]  # fmt: skip

UNITS = 16
"""Of 32 columns each."""
FULL = 1 << 16
"""What `tensor_alloc` answers where no columns are free."""
REFUSED = FULL + 1


def tensor_memory(cta: MemoryRecord) -> LlvmValue:
    """The pointer to a CTA's tensor memory, which lies at the end of its part of shared memory."""
    end = cta.get("shared") + launch_of(cta).get("shared_stride")
    return cta.emitter.ptr(end - TENSOR_MEMORY_BYTES)


def column_pointer(e: Emitter, memory: LlvmValue, lane: LlvmValue, column: LlvmValue) -> LlvmValue:
    """The pointer to the 32 bits of a lane and a column, both i32."""
    return e.element("i32", memory, (lane * TENSOR_COLUMNS + column).zext("i64"))


def not_allocated(cta: MemoryRecord, first: LlvmValue, count: LlvmValue) -> LlvmValue:
    """Is one of `count` columns, at least one, from `first` on not allocated? Both are i32."""
    e = cta.emitter
    last = first + count - 1
    low, high = (e.intrinsic("llvm.umin", n >> 5, e.const("i32", UNITS)) for n in (first, last))
    one = e.const("i32", 1)
    wanted = (one << (high + 1)) - (one << low)
    return (cta.get("tensor_used") & wanted).ne(wanted)


def write_tensor_alloc(e: Emitter, *arguments: LlvmValue) -> None:
    """`i32 tensor_alloc(warp, columns, lane, instruction)`: the first column; FULL, or REFUSED after a fault."""
    warp_pointer, columns, lane, instruction = arguments
    cta = cta_of(MemoryRecord(e, record_layout.Warp, warp_pointer))

    def refuse(condition: LlvmValue, kind: FaultKind) -> None:
        with e.if_(condition):
            zero = e.const("i32", 0)
            e.invoke("fault", warp_pointer, e.const("i32", int(kind)), instruction, lane, columns.zext("i64"), zero)
            e.leave("refused")

    power = e.intrinsic("llvm.ctpop", columns).eq(1)
    refuse(~power | columns.ult(32) | columns.ugt(TENSOR_COLUMNS), FaultKind.TENSOR_MEMORY_SIZE)
    refuse(cta.get("tensor_closed").ne(0), FaultKind.TENSOR_MEMORY_PERMIT)
    units = columns >> 5
    mask = (e.const("i32", 1) << units) - 1
    first = e.var("i32", 0)
    with e.loop() as end:
        now, used = first.get(), cta.get("tensor_used")
        e.break_if(now.uge(UNITS), end)
        wanted = mask << now
        with e.if_((used & wanted).eq(0)):
            cta.set("tensor_used", used | wanted)
            cta.set("tensor_sizes", units, now)
            e.line(f"ret i32 {(now << 5).text}")
            e.label(e.fresh("dead"))
        first.set(now + units)
    e.line(f"ret i32 {FULL}")
    e.label("refused")
    e.line(f"ret i32 {REFUSED}")


def write_tensor_free(e: Emitter, *arguments: LlvmValue) -> None:
    """`i1 tensor_free(warp, address, columns, lane, instruction)`: frees an allocation; false after a fault."""
    warp_pointer, address, columns, lane, instruction = arguments
    cta = cta_of(MemoryRecord(e, record_layout.Warp, warp_pointer))
    unit = e.intrinsic("llvm.umin", address >> 5, e.const("i32", UNITS - 1))
    units = cta.get("tensor_sizes", unit)
    with e.if_((unit << 5).ne(address) | units.eq(0) | (units << 5).ne(columns)):
        kind = e.const("i32", int(FaultKind.TENSOR_MEMORY_FREE))
        e.invoke("fault", warp_pointer, kind, instruction, lane, address.zext("i64"), columns)
        e.leave("refused")
    mask = ((e.const("i32", 1) << units) - 1) << unit
    cta.set("tensor_used", cta.get("tensor_used") & ~mask)
    cta.set("tensor_sizes", 0, unit)
    e.line("ret i1 true")
    e.label("refused")
    e.line("ret i1 false")
