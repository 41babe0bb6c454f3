"""How much is alive before each instruction, as the text orders it: an estimate from above for what an assembler does, which
reorders and recomputes. And where single registers are alive, for those who ask for a few."""

from __future__ import annotations

from bisect import bisect_left
from operator import or_
from typing import TYPE_CHECKING, Protocol

from ptxgen.dataflow.graph.algorithms import members
from ptxgen.dataflow.graph.solver import liveness, solve
from ptxgen.dataflow.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.cfg import ControlFlow
    from ptxgen.ir import Instruction, Register

__all__ = ["LiveBlocks", "alive_before", "words"]


class FlowingBody(Protocol):
    """A body.Body, or a verifier's."""

    @property
    def flow(self) -> ControlFlow: ...

    @property
    def instructions(self) -> Sequence[Instruction]: ...

    @property
    def reads(self) -> Sequence[Sequence[int]]: ...

    @property
    def writes(self) -> Sequence[Sequence[int]]: ...

    @property
    def registers(self) -> Sequence[Register]: ...


def words(body: FlowingBody) -> list[int]:
    """The 32-bit registers that each register takes; predicates take none."""
    return [0 if r.type.kind == "p" else r.lanes * max(1, r.type.bits // 32) for r in body.registers]


def alive_before(body: FlowingBody, sizes: Sequence[int]) -> list[int]:
    """By position, the sum of the sizes of the registers alive before the instruction."""
    found = [0] * len(body.instructions)
    for block, live in zip(body.flow.blocks, liveness(body.flow, body.reads, body.writes)):
        alive = set(members(live))
        count = sum(sizes[number] for number in alive)
        for position in range(block.end - 1, block.start - 1, -1):
            if body.instructions[position].pred is None:
                for number in body.writes[position]:
                    if number in alive:
                        alive.remove(number)
                        count -= sizes[number]
            for number in body.reads[position]:
                if number not in alive:
                    alive.add(number)
                    count += sizes[number]
            found[position] = count
    return found


class LiveBlocks:
    """Which registers have a value at the starts of blocks that somebody may still read, as bits.

    Most registers are for one block alone: the rest is worked out together.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.needed: list[int] = [0] * len(body.flow.blocks)
        """By block, the registers that it may read before it has certainly written them."""
        self.written: list[int] = [0] * len(body.flow.blocks)
        """By block, those of the registers alive anywhere that it writes, under a guard perhaps."""
        self._killed: list[int] = [0] * len(body.flow.blocks)
        block_at, instructions, definitions = body.flow.block_at, body.instructions, body.chains.definitions
        for register, uses in body.chains.uses.items():
            written = definitions.get(register, ())
            first = written[0] if written else len(instructions)
            if first < uses[0] and instructions[first].pred is None and uses[-1] < block_at(first).end:
                continue  # it is read in one block alone, behind a certain write, the first of all
            self._enter(register, written, uses)

    def at(self, block: int) -> int:
        """The registers alive at a block's start."""
        return self._alive[block]

    @lazy
    def _alive(self) -> list[int]:
        needed, killed = self.needed, self._killed
        behind = solve(self.body.flow, lambda index, live: needed[index] | live & ~killed[index], or_, 0, forward=False)
        return [needed[index] | (live or 0) & ~killed[index] for index, live in enumerate(behind)]

    def _enter(self, register: int, definitions: Sequence[int], uses: Sequence[int]) -> None:
        bit, block_at, instructions = 1 << register, self.body.flow.block_at, self.body.instructions
        kills: dict[int, int] = {}
        place = 0
        while place < len(definitions):
            position = definitions[place]
            block = block_at(position)
            self.written[block.index] |= bit
            place += 1
            if instructions[position].pred is None:  # the first that is certain
                kills[block.index] = position
                self._killed[block.index] |= bit
                place = bisect_left(definitions, block.end, place)
        place = 0
        while place < len(uses):
            position = uses[place]
            block = block_at(position)
            place += 1
            if position <= kills.get(block.index, position):  # the instruction that writes it first may read it as well
                if instructions[position].pred is not None and self._is_made_for(register, position):
                    continue
                self.needed[block.index] |= bit
            place = bisect_left(uses, block.end, place)

    def _is_made_for(self, register: int, position: int) -> bool:
        """Has the block of a guarded read written the register under the same guard (`@p mov r, ...; @p add s, r, ...`)?"""
        body = self.body
        guard = body.guard(position)
        definitions = body.chains.definitions.get(register, ())
        before = bisect_left(definitions, position) - 1
        if guard is None or before < 0:
            return False
        written = definitions[before]
        if written < body.flow.block_at(position).start or body.guard(written) != guard:
            return False
        asked = body.chains.definitions.get(guard[0], ())
        return bisect_left(asked, written) == bisect_left(asked, position)  # the guard itself is not written in between
