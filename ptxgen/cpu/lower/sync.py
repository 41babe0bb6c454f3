"""What the lowering of an operation among several lanes works with: who is here, who goes on, who waits."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from ptxgen import ir
from ptxgen.cpu.emit import Emitter, LlvmValue
from ptxgen.cpu.flat import FlatOperand, Op, Reg
from ptxgen.cpu.rt.matrix.signature import ARGUMENTS
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from ptxgen.cpu.blocks import FlatBlock
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.cpu.lower.warp_record import WarpRecord

__all__ = ["SyncBlock"]


class WarpWriter(Protocol):
    """What writes the warp function: a `warp_function.WarpFunction`."""

    @property
    def k(self) -> LoweringContext: ...

    @property
    def e(self) -> Emitter: ...

    @property
    def blocks(self) -> Sequence[FlatBlock]: ...

    @property
    def record(self) -> WarpRecord: ...

    def lanes(self, mask: LlvmValue, accumulators: int = 0) -> AbstractContextManager[list[LlvmValue]]: ...

    def count_instructions(self, lanes: LlvmValue, number: int) -> None: ...

    def send(self, block: FlatBlock, lanes: LlvmValue) -> None: ...


class SyncBlock:
    """What the lowering of a sync operation works with. `arrived` are the lanes at it, some of which may have waited before."""

    __slots__ = ("_block", "_function", "arrived", "e", "k", "op")

    def __init__(self, function: WarpWriter, block: FlatBlock, op: Op) -> None:
        self._function = function
        self._block = block
        self.op = op
        self.k = function.k
        self.e = function.e
        self.arrived = function.k.mask

    def lanes(self, mask: LlvmValue, accumulators: int = 0) -> AbstractContextManager[list[LlvmValue]]:
        """A loop over the lanes of a mask, at least one; `k.read` gives their operands. See WarpFunction.lanes."""
        return self._function.lanes(mask, accumulators)

    def array(self, operand: FlatOperand) -> LlvmValue | None:
        """The pointer to the 32 values of an operand; None when it is the same in every lane, so that `k.read` gives it."""
        if isinstance(operand, Reg) and operand in self._function.record.arrays:
            return self._function.record.array_pointer(operand)
        return None

    def write(self, operand: FlatOperand, value: LlvmValue, type: ScalarType) -> None:
        """Sets a register of the lane in hand."""
        if isinstance(operand, Reg):
            self.k.write(operand, value, type)
            self._function.record.store_register(operand, self.k.values[operand])

    def release(self, lanes: LlvmValue) -> None:
        """The lanes go on to the next instruction."""
        self._function.count_instructions(lanes, 1)
        if self.k.probe.counting is not None:
            self.k.probe.counting.released(self.k, self.op, lanes)
        if self.k.probe.pausing is not None:
            self.k.probe.pausing.wrote(self.k, self.op, lanes)
        assert self._block.following is not None
        self._function.send(self._block.following, lanes)

    def keep(self, lanes: LlvmValue) -> None:
        """The lanes wait here."""
        self.e.store(lanes, self._function.record.mask_pointer(len(self._function.blocks) + self._block.index))

    @contextmanager
    def whole_warp(self) -> Iterator[None]:
        """Its body runs when all 32 lanes are here."""
        complete = self.arrived.eq(0xFFFFFFFF)
        self.keep(complete.select(self.e.const("i32", 0), self.arrived))
        with self.e.if_(complete):
            yield
            self.release(self.arrived)

    def call_matrix(
        self, name: str, registers: Sequence[FlatOperand], widths: Sequence[int], rows: LlvmValue | None
    ) -> None:
        """Calls a function of rt/matrix/functions.py, which reads and writes the registers, of `widths` bits, of all lanes."""
        e = self.e
        table, scalars = self.matrix_registers(registers, widths)
        null = e.undef("ptr")
        place = e.var(f"[{len(scalars)} x i64]").pointer if scalars else null
        for i, scalar in enumerate(scalars):
            e.store(scalar, e.offset(place, 8 * i))
        given = (self.k.warp.pointer, table, place, null if rows is None else rows)
        assert tuple(v.type for v in given) == ARGUMENTS
        e.invoke(name, *given)

    def matrix_registers(
        self, registers: Sequence[FlatOperand], widths: Sequence[int]
    ) -> tuple[LlvmValue, list[LlvmValue]]:
        """Where such a function finds its registers: a table, and the values of those that are the same in every lane."""
        e = self.e
        numbers: list[str] = []
        scalars: list[LlvmValue] = []
        for operand, bits in zip(registers, widths):
            if isinstance(operand, Reg) and operand in self._function.record.arrays:
                numbers.append(self._function.record.array_offset(operand))
                continue
            scalars.append(self.k.read(operand, TYPES[f"b{bits}"]).zext("i64"))
            numbers.append(f"i32 {-len(scalars)}")
        table = f"@registers{self._block.index}"
        e.module.heads.append(f"{table} = private constant [{len(numbers)} x i32] [{', '.join(numbers)}]")
        return LlvmValue(e, "ptr", table), scalars

    @contextmanager
    def groups(self, members: FlatOperand | None) -> Iterator[LlvmValue]:
        """Its body runs for each complete group: lanes that are here with the same member mask, all of it that has not exited.
        Before there were masks (None), those that are here are the group.

        Faults when a lane is not in its own mask (manual 9.7.9.6: behaviour is undefined).
        """
        e, k = self.e, self.k
        if members is None:
            yield self.arrived
            self.release(self.arrived)
            return
        live = k.warp.get("live")
        if isinstance(members, ir.Immediate) and members.value & 0xFFFFFFFF == 0xFFFFFFFF:  # all: there is one group
            complete = self.arrived.eq(live)
            self.keep(complete.select(e.const("i32", 0), self.arrived))
            with e.if_(complete):
                yield self.arrived
                self.release(self.arrived)
            return
        waiting, left = e.var("i32", self.arrived), e.var("i32", self.arrived)
        with e.loop() as end:
            now = left.get()
            e.break_if(now.eq(0), end)
            k.lane = e.intrinsic("llvm.cttz", now, True)
            array = self.array(members)
            if array is not None:
                mask = e.load("i32", e.element("i32", array, k.lane.zext("i64")))
                alike = e.call("same_lanes", "i32", array, self.arrived, mask)
            else:
                mask, alike = k.read(members, TYPES["u32"]), self.arrived
            outside = alike & ~mask
            here = k.lane
            with k.unlikely(outside.ne(0)):
                k.lane = e.intrinsic("llvm.cttz", outside, True)
                k.fault(FaultKind.MEMBER_MASK, mask.zext("i64"))
            k.lane = here
            group = alike & mask
            left.set(now & ~alike)
            needed = mask & live
            with e.if_((group & needed).eq(needed)):
                yield group
                waiting.set(waiting.get() & ~group)
                self.release(group)
        self.keep(waiting.get())
