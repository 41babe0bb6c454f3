"""How much is alive before each instruction, as the text orders it: an estimate from above for what an assembler does, which
reorders and recomputes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ptxgen.dataflow.graph.algorithms import members
from ptxgen.dataflow.graph.solver import liveness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.dataflow.graph.cfg import ControlFlow
    from ptxgen.ir import Instruction, Register

__all__ = ["alive_before", "words"]


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
