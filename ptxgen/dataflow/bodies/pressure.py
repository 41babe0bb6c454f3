"""How many registers are alive before each instruction, as the text orders them: from above, for assemblers reorder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.graph.solver import liveness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.dataflow.bodies.body import Body

__all__ = ["live_sizes", "register_sizes"]


def register_sizes(body: Body) -> list[int]:
    """How many 32-bit registers each register of a body takes; predicates take none."""
    return [0 if r.type.kind == "p" else r.lanes * max(1, r.type.bits // 32) for r in body.registers]


def live_sizes(body: Body, sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(position, sum of the sizes of the registers alive before the instruction there), block by block, each from its end."""
    for block, live in zip(body.flow.blocks, liveness(body.flow, body.reads, body.writes)):
        alive = {number for number in range(live.bit_length()) if live >> number & 1}
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
            yield position, count
