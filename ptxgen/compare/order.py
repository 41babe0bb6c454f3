"""Which instructions of a block may not change places, beyond what their values say: memory, barriers, whatever nothing passes.

The kinds are those of `passes.effects`, which are the table's. What only computes passes a barrier, as its values are in its
registers alone; but nothing passes the reading of a clock, and what uses registers after it was issued (wgmma, tcgen05).
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from ptxgen.compare.values import ASYNCHRONOUS
from ptxgen.dataflow.bodies.special_registers import variation
from ptxgen.ir import Special
from ptxgen.passes.editing import Edit
from ptxgen.passes.effects import behaviour, may_alias

if TYPE_CHECKING:
    from ptxgen.compare.graph import CodeBlock, Graph
    from ptxgen.passes.effects import Behaviour

__all__ = ["Order"]

_KEPT = frozenset({("together", "memory"), ("memory", "together"), ("together", "together")}) | {
    pair for other in ("together", "matrix") for pair in (("matrix", other), (other, "matrix"))
}


class Order:
    """The order that one function keeps."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.edit = Edit(graph.body)
        self._behaviours: dict[int, dict[int, Behaviour]] = {}

    def displaced(self, block: CodeBlock, places: dict[int, int]) -> list[tuple[int, int]]:
        """The instructions of a block that stand elsewhere in an order that they may not have, each with one that it has passed.

        `places`: position -> its place in the other order. As few as there are outside a longest stretch that is in order.
        """
        ordered = [position for position in block.nodes if position in places]
        if all(places[one] < places[other] for one, other in pairwise(ordered)):
            return []
        behaviours = self._of(block)
        if not any(behaviours[one].kind == "wall" and self._stops_all(one) for one in ordered):
            ordered = [one for one in ordered if behaviours[one].kind != "pure" or behaviours[one].carries]
        kept = _rising([places[position] for position in ordered])
        found = []
        for n, position in enumerate(ordered):
            if n in kept:
                continue
            for m, other in enumerate(ordered):
                if (n < m) != (places[position] < places[other]) and self._kept(block, position, other):
                    found.append((position, other))
                    break
        return found

    def _kept(self, block: CodeBlock, one: int, other: int) -> bool:
        """Must two instructions of a block keep their order?"""
        behaviours = self._of(block)
        first, second = behaviours[one], behaviours[other]
        if first.carries and second.carries:
            return True
        for here, there, position in ((first, second, one), (second, first, other)):
            if here.kind == "wall" and (there.kind != "pure" or self._stops_all(position)):
                return True
        if (first.kind, second.kind) in _KEPT:
            return True
        return first.access is not None and second.access is not None and may_alias(first.access, second.access)

    def _of(self, block: CodeBlock) -> dict[int, Behaviour]:
        found = self._behaviours.get(block.index)
        if found is None:
            found = self._behaviours[block.index] = {}
            versions: dict[int, int] = {}
            flow = self.graph.body.flow
            for index in block.chain:
                for position in range(flow.blocks[index].start, flow.blocks[index].end):
                    found[position] = behaviour(self.edit, position, versions)
                    for register in self.graph.body.writes[position]:
                        versions[register] = versions.get(register, 0) + 1
        return found

    def _stops_all(self, position: int) -> bool:
        instruction = self.graph.body.instructions[position]
        return instruction.opcode in ASYNCHRONOUS or any(
            isinstance(operand, Special) and variation(operand.name).changes == "always"
            for operand in instruction.operands
        )


def _rising(numbers: list[int]) -> set[int]:
    """The indices of a longest rising subsequence."""
    tails: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        place = bisect_left(tails, number)
        before.append(at[place - 1] if place else -1)
        if place == len(tails):
            tails.append(number)
            at.append(index)
        else:
            tails[place], at[place] = number, index
    found = set()
    index = at[-1] if at else -1
    while index >= 0:
        found.add(index)
        index = before[index]
    return found
