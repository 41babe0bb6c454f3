"""How much is alive before each instruction, as the text orders it: an estimate from above for what an assembler does, which
reorders and recomputes. And where single registers are alive, for those who ask for a few."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Protocol

from ptxgen.dataflow.graph.algorithms import members
from ptxgen.dataflow.graph.solver import liveness

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
    """Where registers are alive, one register at a time, when somebody asks for it."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._blocks: dict[int, int] = {}

    def blocks(self, register: int) -> int:
        """The blocks, as bits, at whose start a register has a value that somebody may still read."""
        found = self._blocks.get(register)
        if found is None:
            found = self._blocks[register] = self._find(register)
        return found

    def _find(self, register: int) -> int:
        flow, chains, instructions = self.body.flow, self.body.chains, self.body.instructions
        kills: dict[int, int] = {}
        for position in chains.definitions.get(register, ()):
            if instructions[position].pred is None:
                kills.setdefault(flow.block_at(position).index, position)
        work = []
        for position in chains.uses.get(register, ()):
            index = flow.block_at(position).index
            if position <= kills.get(index, position) and not self._is_made_for(register, position):
                work.append(index)  # the instruction that writes it first may read it as well
        found = 0
        while work:
            index = work.pop()
            if not found >> index & 1:
                found |= 1 << index
                work += [before for before in flow.blocks[index].predecessors if before not in kills]
        return found

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
