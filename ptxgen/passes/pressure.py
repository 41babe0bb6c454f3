"""How many 32-bit registers are alive where: what a pass that moves code must not raise too far.

A value of 64 bits counts two, of 128 four, anything smaller one; predicates have registers of their own and are counted apart.
An assembler keeps other things in registers too, and reuses constants: this is an estimate from below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.graph.solver import liveness

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.cfg import BasicBlock
    from ptxgen.ir import Register
    from ptxgen.passes.editing import Edit

__all__ = ["FREE", "FREE_PREDICATES", "Alive", "Pressure", "Room", "words"]

FREE = 24
"""Live words that cost no occupancy: an SM has 65,536 registers for 2,048 threads, 32 each; 8 are left to the assembler."""

FREE_PREDICATES = 5
"""The same of predicates, of which a thread has 7 (and one that always holds)."""


def words(register: Register) -> int:
    """32-bit registers that a value takes; 0 for a predicate."""
    return 0 if register.type.kind == "p" else max(1, register.type.bits // 32) * register.lanes


class Alive:
    """Which registers are needed where, as bits; `behind` is by block, at its end. Pinned ones always are."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        body = edit.body
        self.flow = body.flow
        self.behind: list[int] = [alive | edit.pinned for alive in liveness(body.flow, body.reads, body.writes)]

    def before(self, position: int, alive: int) -> int:
        """What is alive before an instruction, from what is behind it."""
        body = self.edit.body
        if body.instructions[position].pred is None:
            for register in body.writes[position]:
                alive &= ~(1 << register) | self.edit.pinned
        for register in body.reads[position]:
            alive |= 1 << register
        return alive

    def after(self, index: int, position: int) -> int:
        """What is alive behind an instruction of a block; before the whole block with the position in front of it."""
        alive = self.behind[index]
        for later in range(self.flow.blocks[index].end - 1, position, -1):
            alive = self.before(later, alive)
        return alive

    def at_start(self, index: int) -> int:
        """What is alive where control enters a block."""
        return self.after(index, self.flow.blocks[index].start - 1)


class Pressure(Alive):
    """How much is alive in a body, as its instructions stand.

    `by_block`  the most words and predicates alive at a time; `most` words of all of them
    `limit`, `predicates`  the most that a pass may leave alive at a time: as many as there are, or as many as are free
    """

    def __init__(self, edit: Edit) -> None:
        super().__init__(edit)
        self.weights: list[int] = [words(register) for register in edit.body.registers]
        self._masks: dict[int, int] = {}
        for number, weight in enumerate(self.weights):
            self._masks[weight] = self._masks.get(weight, 0) | 1 << number
        self.by_block: list[tuple[int, int]] = [self._most(block) for block in self.flow.blocks]
        self.most: int = max((most for most, _ in self.by_block), default=0)
        self.limit: int = max(FREE, self.most)
        self.predicates: int = max(FREE_PREDICATES, max((most for _, most in self.by_block), default=0))

    def count(self, alive: int) -> tuple[int, int]:
        """Words and predicates of a set of registers."""
        total = sum(weight * (alive & mask).bit_count() for weight, mask in self._masks.items() if weight)
        return total, (alive & self._masks.get(0, 0)).bit_count()

    def _most(self, block: BasicBlock) -> tuple[int, int]:
        alive = self.behind[block.index]
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


class Room:
    """Where a value can be kept alive for longer without raising the most that is alive in the function."""

    def __init__(self, edit: Edit) -> None:
        self.pressure: Pressure = Pressure(edit)
        self.flow = edit.body.flow
        self.edit = edit
        self._words = [0] * len(edit.body.instructions)
        """By position: the words alive around it, with those kept since."""
        for block in self.flow.blocks:
            alive = self.pressure.behind[block.index]
            for position in range(block.end - 1, block.start - 1, -1):
                before = self.pressure.before(position, alive)
                self._words[position] = max(self.pressure.count(alive)[0], self.pressure.count(before)[0])
                alive = before

    def keep(self, register: int, since: int, until: int) -> bool:
        """Keep a register alive from one position to another, where it is not: True, and so noted, if there is room."""
        first, last = self.flow.block_at(since), self.flow.block_at(until)
        if self.pressure.after(last.index, until) >> register & 1:
            return True
        weight = self.pressure.weights[register]
        if first is last and since < until:
            stretch = list(range(since, until + 1))
        else:
            between = self._reach(first.index, forward=True) & self._reach(last.index, forward=False)
            blocks = {index for index in range(len(self.flow.blocks)) if between >> index & 1} | {
                first.index,
                last.index,
            }
            stretch = [
                p for index in sorted(blocks) for p in range(self.flow.blocks[index].start, self.flow.blocks[index].end)
            ]
        if any(self._words[position] + weight > self.pressure.limit for position in stretch):
            return False
        for position in stretch:
            self._words[position] += weight
        return True

    def _reach(self, index: int, *, forward: bool) -> int:
        """The blocks that lie on paths from a block, or to it, as bits; itself where it is in a loop."""
        found, work = 0, [index]
        while work:
            block = self.flow.blocks[work.pop()]
            for other in block.successors if forward else block.predecessors:
                if not found >> other & 1:
                    found |= 1 << other
                    work.append(other)
        return found
