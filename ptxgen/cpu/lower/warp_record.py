"""The record of a warp as its kernel has it: behind the header the masks of blocks, an array of 32 for each register that lives
in memory, and the queues of what is under way."""

from __future__ import annotations

import ctypes
from itertools import accumulate
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.blocks import definitions, members, register_set, uses
from ptxgen.cpu.emit import BITS
from ptxgen.cpu.lower.context import representation
from ptxgen.cpu.lower.needs import uses_copies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.blocks import FlatBlock
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import FlatKernel, Reg
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["WarpRecord"]

_WARP, _COPIES, _WGMMA = (
    ctypes.sizeof(r) for r in (record_layout.Warp, record_layout.Copies, record_layout.WgmmaQueue)
)


class WarpRecord:
    """Of one kernel. `arrays` are the registers in memory, those that cross blocks or belong to sync operations, with their
    fields in the state type."""

    def __init__(self, k: LoweringContext, kernel: FlatKernel, blocks: Sequence[FlatBlock]) -> None:
        self.k = k
        self.e = k.e
        self.blocks = blocks
        self.has_copies = uses_copies(kernel)
        self.pausing = k.probe.pausing
        word = 0
        for block in blocks:
            word |= block.live_in
            if block.sync is not None:
                word |= register_set([*uses(block.sync), *definitions(block.sync)])
        found = [reg for i in members(word) if (reg := kernel.regs[i]) not in k.uniform_values]
        if self.pausing is None:  # debuggers know registers by their numbers
            found.sort(key=lambda reg: -reg.type.bits)  # so that vectors of no more than a line of the cache lie in one
        self.arrays = {reg: 3 + i for i, reg in enumerate(found)}

    # -- how it is laid out -------------------------------------------------------------------------------------------

    def state_type(self) -> str:
        """Its LLVM type, under the name %State."""
        count = len(self.blocks)
        pad = self._registers_at() - _WARP - 8 * count
        fields = [f"[{_WARP} x i8]", f"[{2 * count} x i32]", f"[{pad} x i8]"]
        fields += [f"[32 x {_stored(reg)}]" for reg in self.arrays]
        if self.has_copies:
            fields.append(f"[{_COPIES} x i8]")
        if self.k.has_wgmma:
            fields.append(f"[{_WGMMA} x i8]")
        if self.pausing is not None:
            fields.append(f"[{self.pausing.registers} x i32]")
        return f"%State = type <{{ {', '.join(fields)} }}>"

    def _registers_at(self) -> int:
        """Where registers begin: at a line of the cache, of which vectors then touch as few as can be."""
        size = _WARP + 8 * len(self.blocks)
        return size + -size % 64

    def register_offsets(self) -> tuple[int, ...]:
        """Where the values of each register with an array begin in the record of a warp, and behind all of them."""
        sizes = [32 * max(BITS[_stored(reg)], 8) // 8 for reg in self.arrays]
        return tuple(accumulate(sizes, initial=self._registers_at()))

    def copies_offset(self) -> int:
        """Where Copies lie in the record of a warp that has them: behind its registers."""
        return self.register_offsets()[-1]

    def end(self) -> int:
        """What lies behind the queues of a warp, where it has such."""
        size = self.copies_offset() + (_COPIES if self.has_copies else 0)
        return size + (_WGMMA if self.k.has_wgmma else 0)

    def nbytes(self) -> int:
        """Of the whole record."""
        size = self.end() + (4 * self.pausing.registers if self.pausing is not None else 0)
        return -(-size // 64) * 64

    # -- where generated code finds things in it ----------------------------------------------------------------------

    def find_queues(self) -> None:
        """The pointers to the queues, at the head of the function."""
        allocas, k, behind = self.e.allocas, self.k, self.copies_offset()
        if self.has_copies:
            allocas.append(f"  {k.copies.pointer.text} = getelementptr i8, ptr %warp, i64 {behind}")
        if k.has_wgmma:
            allocas.append(f"  {k.wgmma.pointer.text} = getelementptr i8, ptr %warp, i64 {behind + _COPIES}")

    def mask_pointer(self, index: int) -> LlvmValue:
        """Of the lanes at a block; behind those of all blocks lie the masks of lanes that wait there."""
        return self.e.op("ptr", f"getelementptr inbounds %State, ptr %warp, i64 0, i32 1, i64 {index}")

    def array_pointer(self, reg: Reg) -> LlvmValue:
        return self.e.op("ptr", f"getelementptr inbounds %State, ptr %warp, i64 0, i32 {self.arrays[reg]}")

    def array_offset(self, reg: Reg) -> str:
        """The byte of the warp's record at which a register's array begins, as an LLVM constant."""
        return f"i32 ptrtoint (ptr getelementptr (%State, ptr null, i64 0, i32 {self.arrays[reg]}) to i32)"

    def register_pointer(self, reg: Reg) -> LlvmValue:
        """Of the lane in hand, or of the first of several."""
        lane = (self.k.first.zext("i64") if self.k.lanes else self.k.lane64).text
        return self.e.op("ptr", f"getelementptr inbounds %State, ptr %warp, i64 0, i32 {self.arrays[reg]}, i64 {lane}")

    def load_register(self, reg: Reg) -> LlvmValue:
        if reg not in self.arrays:
            return self.e.undef(representation(reg.type))
        kind, pointer, lanes = _stored(reg), self.register_pointer(reg), self.k.lanes
        value = self.e.load_vector(kind, pointer, lanes) if lanes else self.e.load(kind, pointer)
        return value.trunc("i1") if reg.type.kind == "p" else value

    def store_register(self, reg: Reg, value: LlvmValue) -> None:
        value, lanes = value.zext("i8") if value.type == "i1" else value, self.k.lanes
        if lanes:
            self.e.masked_store(value.spread(lanes).clean(), self.register_pointer(reg), self.k.active)
        else:
            self.e.store(value, self.register_pointer(reg))


def _stored(reg: Reg) -> str:
    """The type of a register's array element."""
    kind = representation(reg.type)
    return "i8" if kind == "i1" else kind
