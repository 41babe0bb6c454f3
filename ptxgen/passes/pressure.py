"""How many 32-bit registers are alive where: what a pass that moves code must not raise too far.

A value of 64 bits counts two, of 128 four, anything smaller one; predicates have registers of their own and are counted apart.
An assembler keeps other things in registers too, and reuses constants: this is an estimate from below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir.dataflow import liveness

if TYPE_CHECKING:
    from ptxgen.ir import Register
    from ptxgen.ir.cfg import BasicBlock
    from ptxgen.passes.editing import Edit

__all__ = ["FREE", "FREE_PREDICATES", "Pressure", "words"]

FREE = 24
"""Live words that cost no occupancy: an SM has 65,536 registers for 2,048 threads, 32 each; 8 are left to the assembler."""

FREE_PREDICATES = 5
"""The same of predicates, of which a thread has 7 (and one that always holds)."""


def words(register: Register) -> int:
    """32-bit registers that a value takes; 0 for a predicate."""
    return 0 if register.type.kind == "p" else max(1, register.type.bits // 32) * register.lanes


class Pressure:
    """What is alive in a body, as its instructions stand.

    `limit`, `predicates`  the most words and predicates that a pass may leave alive at a time: as many as there are, or as many
              as are free
    """

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        body = edit.body
        self.flow = body.flow
        self.behind = liveness(self.flow, body.reads, body.writes)
        self.weights = [words(register) for register in body.registers]
        self._masks: dict[int, int] = {}
        for number, weight in enumerate(self.weights):
            self._masks[weight] = self._masks.get(weight, 0) | 1 << number
        self.by_block = [self._most(block) for block in self.flow.blocks]
        self.most = max((most for most, _ in self.by_block), default=0)
        self.limit = max(FREE, self.most)
        self.predicates = max(FREE_PREDICATES, max((most for _, most in self.by_block), default=0))

    def count(self, alive: int) -> tuple[int, int]:
        """Words and predicates of a set of registers."""
        total = sum(weight * (alive & mask).bit_count() for weight, mask in self._masks.items() if weight)
        return total, (alive & self._masks.get(0, 0)).bit_count()

    def before(self, position: int, alive: int) -> int:
        """What is alive before an instruction, from what is behind it."""
        body = self.edit.body
        if body.instructions[position].pred is None:
            for register in body.writes[position]:
                alive &= ~(1 << register)
        for register in body.reads[position]:
            alive |= 1 << register
        return alive

    def _most(self, block: BasicBlock) -> tuple[int, int]:
        alive = self.behind[block.index] | self.edit.pinned
        most, predicates = self.count(alive)
        for position in range(block.end - 1, block.start - 1, -1):
            here = alive
            for register in self.edit.body.writes[position]:
                here |= 1 << register
            found, held = self.count(here)
            most, predicates = max(most, found), max(predicates, held)
            alive = self.before(position, alive)
        found, held = self.count(alive)
        return max(most, found), max(predicates, held)
