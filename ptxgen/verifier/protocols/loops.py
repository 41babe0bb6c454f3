"""Natural loops of a body, and what stays the same in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.graph.algorithms import bits
from ptxgen.dataflow.values.value_numbers import ValueNumbers

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.loops import Loop

__all__ = ["Loops"]


class Loops:
    """The loops of a body, the inner ones first."""

    def __init__(self, body: Body) -> None:
        self.values: ValueNumbers = body.analysis(ValueNumbers)
        self.flow = body.flow
        self.all: list[Loop] = body.loops
        self._inside: dict[Loop, int] = {}

    def around(self, *blocks: int) -> Loop | None:
        """The innermost loop with all these blocks in it."""
        return next((loop for loop in self.all if loop.blocks.issuperset(blocks)), None)

    def inside(self, loop: Loop) -> int:
        """The blocks of a loop behind its head, as bits."""
        found = self._inside.get(loop)
        if found is None:
            found = self._inside[loop] = bits(loop.blocks) & ~(1 << loop.head)
        return found

    def every_iteration(self, loop: Loop, block: int) -> bool:
        """Does each iteration of the loop go through the block?"""
        return all(self.flow.dominates(block, latch) for latch in loop.latches)

    def written(self, loop: Loop, position: int) -> bool:
        """Does the instruction there lie in the loop?"""
        return self.flow.block_at(position).index in loop.blocks

    def varies(self, loop: Loop, numbers: frozenset[int]) -> set[int]:
        """The registers written in the loop that these values depend on."""
        values = self.values
        found = set()
        for key in values.leaves(numbers):
            if key[0] != "reg" or not isinstance(key[1], int):
                continue
            if any(self.written(loop, position) for position in values.definitions.get(key[1], ())):
                found.add(key[1])
        return found
