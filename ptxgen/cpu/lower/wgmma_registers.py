"""The registers that wgmma has while it is under way, and the operations of other blocks on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.blocks import definitions, registers_in, uses
from ptxgen.cpu.flat import Op, Reg
from ptxgen.cpu.lower.matrix_wgmma import owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.blocks import FlatBlock
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["WgmmaRegisters"]


class WgmmaRegisters:
    """Of one kernel. `products`, `factors`: accumulators, and registers of A and of its metadata -> the instructions that have
    them."""

    def __init__(self, k: LoweringContext, blocks: Sequence[FlatBlock]) -> None:
        self.k = k
        self.products: dict[Reg, list[Op]] = {}
        self.factors: dict[Reg, list[Op]] = {}
        for op in (block.sync for block in blocks):
            if op is not None and _is_product(op):
                for reg in registers_in(op.operands[0]):
                    self.products.setdefault(reg, []).append(op)
                for reg in _factors(op):
                    self.factors.setdefault(reg, []).append(op)

    def meet(self, operations: Sequence[Op]) -> None:
        """Before the operations of a block."""
        if self.products:
            self._check(operations)
            self._settle(operations)

    def _touched(self, op: Op) -> list[Op]:
        """The instructions that may not be under way when an operation is executed (manual 9.7.15.7.3, wgmma.wait_group): it
        reads or writes their accumulators, or writes what they have of A."""
        if _is_product(op):  # those of one accumulator are done in order
            read, written = _factors(op), []
        else:
            read, written = uses(op), definitions(op)
        found = {each.index: each for reg in (*read, *written) for each in self.products.get(reg, ())}
        found |= {each.index: each for reg in written for each in self.factors.get(reg, ())}
        return [found[index] for index in sorted(found)]

    def _check(self, operations: Sequence[Op]) -> None:
        """Lets asynccheck look at each operation on registers that wgmma may have; once for those of the same instructions."""
        e, k, seen = self.k.e, self.k, set[tuple[int, ...]]()
        for op in operations if k.probe.watches_registers else ():
            if op.opcode == "mov":  # compilers rename registers so
                continue
            numbers = tuple(each.index for each in self._touched(op))
            if numbers and numbers not in seen:
                seen.add(numbers)
                with e.if_(k.wgmma.get("first").ne(k.wgmma.get("next"))):
                    k.probe.registers(k, k.wgmma.pointer, op, numbers)

    def _settle(self, operations: Sequence[Op]) -> None:
        """Does products whose accumulators are moved to other registers: compilers rename registers so while wgmma has them, and
        assemblers take the two for one. With injected waits, does whatever the operations touch."""
        moved = touched = 0
        for op in operations:
            if op.opcode == "mov":
                for reg in uses(op):
                    moved |= _owners(self.products.get(reg, ()))
            touched |= _owners(self._touched(op))
        if touched:
            e, k = self.k.e, self.k
            with e.if_(k.wgmma.get("first").ne(k.wgmma.get("next"))):
                injected = k.launch.get("injects_waits").ne(0)
                owners = injected.select(e.const("i64", touched), e.const("i64", moved))
                e.invoke("wgmma_touch", k.wgmma.pointer, k.warp.pointer, owners)
                e.break_if(k.launch.get("fault_kind").ne(0), "faulted")


def _is_product(op: Op) -> bool:
    return op.op.startswith("wgmma.mma_async")


def _factors(op: Op) -> list[Reg]:
    """Registers of A, and of a sparse product's metadata. Descriptors are read when it is issued."""
    _, a, _, metadata, *_ = op.operands
    found = [*registers_in(a)] if isinstance(a, tuple) else []
    return [*found, *registers_in(metadata)] if op.op.startswith("wgmma.mma_async.sp") else found


def _owners(instructions: Sequence[Op]) -> int:
    """Their bits in WgmmaCall.owner."""
    bits = 0
    for op in instructions:
        bits |= owner(op)
    return bits
