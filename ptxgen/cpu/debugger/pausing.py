"""What lets a warp function pause between instructions: it is entered where it was left, and asks before each block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ptxgen.cpu.blocks import definitions
from ptxgen.cpu.debugger.debug_record import DebugRecord
from ptxgen.cpu.lower.windows import Writer
from ptxgen.cpu.record_layout import WarpStatus
from ptxgen.cpu.rt.records import MemoryRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.blocks import FlatBlock
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.value import Var

__all__ = ["Pausing"]


class LaneWriter(Writer, Protocol):
    """A writer that has a lane in hand: a `context.LoweringContext`."""

    @property
    def bit(self) -> LlvmValue: ...

    op: Op

    def guard(self) -> LlvmValue | None: ...


class Pausing:
    """Of one kernel. The warp's record has for each register a mask of the lanes that have written it, from the byte `written`
    on, so that what nobody has written is not shown as a value. `registers` is their number."""

    def __init__(self, registers: int) -> None:
        self.registers = registers
        self.written = 0

    def _record(self, k: Writer) -> MemoryRecord:
        return MemoryRecord(k.e, DebugRecord, k.uniform("debug", lambda: k.e.ptr(k.launch.get("debug"))))

    def enter(self, k: Writer, budget: Var, blocks: Sequence[FlatBlock]) -> None:
        """The function begins with the block at which it was left, if it was, and what was left of its budget."""
        e, record = k.e, self._record(k)
        resuming = record.get("resuming")
        budget.set(resuming.ne(0).select(record.get("budget"), k.launch.get("budget")))
        cases = " ".join(f"i32 {b.index + 1}, label %check{b.index}" for b in blocks)
        e.line(f"switch i32 {resuming.text}, label %check0 [{cases}]")

    def ask(self, k: Writer, budget: Var, block: FlatBlock, lanes: LlvmValue, arrived: LlvmValue) -> None:
        """Before lanes execute a block, of which some have `arrived` just now. Does it pause?"""
        op = _operation(block)
        if op is None:
            return
        e, record = k.e, self._record(k)
        begins = arrived if op.leads and (block.sync is None or op.guard is None) else e.const("i32", 0)
        number = e.const("i32", block.index)
        pauses = e.call("debug_pauses", "i1", record.pointer, k.warp.pointer, number, begins, lanes)
        with e.if_(pauses):
            record.set("budget", budget.get())
            record.set("resuming", block.index + 1)
            e.line(f"ret i32 {int(WarpStatus.PAUSED)}")
            e.label(e.fresh("dead"))

    def begin_cta(self, k: Writer) -> None:
        """At the entry of the kernel: no register of the warp is written."""
        with k.e.count(0, k.e.const("i32", self.registers)) as number:
            k.e.store(k.e.const("i32", 0), k.e.element("i32", k.e.offset(k.warp.pointer, self.written), number))

    def mbarrier(self, k: Writer, address: LlvmValue) -> None:
        """The lane in hand initialises an mbarrier."""
        k.e.invoke("debug_mbarrier", self._record(k).pointer, address)

    def guard_of(self, k: LaneWriter, op: Op) -> LlvmValue | None:
        """For `wrote`, before the operation: it may write its own guard."""
        k.op = op
        return k.guard()

    def wrote(self, k: Writer, op: Op, lanes: LlvmValue) -> None:
        """Lanes have executed an operation."""
        for reg in definitions(op):
            place = k.e.offset(k.warp.pointer, self.written + 4 * reg.id)
            k.e.store(k.e.load("i32", place) | lanes, place)


def _operation(block: FlatBlock) -> Op | None:
    """The only one of a block."""
    if block.sync is not None:
        return block.sync
    for step in block.ops:
        assert not hasattr(step, "branch"), "blocks that pause have no choices"
        return step
    return block.terminator
