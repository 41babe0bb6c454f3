"""The registers that wgmma has while it is under way, and the operations of other blocks on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.blocks import definitions, operations, uses
from ptxgen.cpu.flat import Reg
from ptxgen.cpu.lower.matrix_wgmma import owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.blocks import FlatBlock
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["WgmmaRegisters"]


class WgmmaRegisters:
    """Of one kernel. `owners`: accumulators -> the bits of the instructions that they belong to; `products`, `factors`:
    accumulators, and registers of A -> the numbers of the instructions that have them."""

    def __init__(self, k: LoweringContext, blocks: Sequence[FlatBlock]) -> None:
        self.k = k
        self.owners: dict[Reg, int] = {}
        self.products: dict[Reg, list[int]] = {}
        self.factors: dict[Reg, list[int]] = {}
        for op in (block.sync for block in blocks):
            if op is not None and op.op.startswith("wgmma.mma_async"):
                for reg in definitions(op):
                    self.owners[reg] = self.owners.get(reg, 0) | owner(op)
                for operand, found in zip(op.operands, (self.products, self.factors)):
                    for each in operand if isinstance(operand, tuple) else ():
                        if isinstance(each, Reg):
                            found.setdefault(each, []).append(op.index)

    def meet(self, block: FlatBlock) -> None:
        """Before the operations of a block."""
        if self.owners:
            self._check(block)
            self._settle_moved(block)

    def _check(self, block: FlatBlock) -> None:
        """Lets asynccheck look at each operation on registers that wgmma may have; once for those of the same instructions."""
        e, k, seen = self.k.e, self.k, set[tuple[int, ...]]()
        for op in operations(block.ops) if k.probe.watches_registers else ():
            if op.opcode == "mov":  # compilers rename registers so
                continue
            written = definitions(op)
            found = {number for reg in (*uses(op), *written) for number in self.products.get(reg, ())}
            found |= {number for reg in written for number in self.factors.get(reg, ())}
            numbers = tuple(sorted(found))
            if numbers and numbers not in seen:
                seen.add(numbers)
                with e.if_(k.wgmma.get("first").ne(k.wgmma.get("next"))):
                    k.probe.registers(k, k.wgmma.pointer, op, numbers)

    def _settle_moved(self, block: FlatBlock) -> None:
        """Products whose accumulators are moved to other registers in the block are done. Compilers rename registers so while
        wgmma has them, and assemblers take the two for one."""
        owners = 0
        for op in operations(block.ops):
            if op.opcode == "mov":
                for reg in uses(op):
                    owners |= self.owners.get(reg, 0)
        if owners:
            e, k = self.k.e, self.k
            with e.if_(k.wgmma.get("first").ne(k.wgmma.get("next"))):
                e.invoke("wgmma_touch", k.wgmma.pointer, k.warp.pointer, e.const("i64", owners))
                e.break_if(k.launch.get("fault_kind").ne(0), "faulted")
