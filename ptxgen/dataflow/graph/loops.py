"""The natural loops of a control-flow graph: what control can go round, with one head that every path into it passes."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.cfg import ControlFlow

__all__ = ["Loop", "natural_loops"]


class Loop(NamedTuple):
    """The blocks of a loop with one head; `latches` are those that jump back to it."""

    head: int
    blocks: frozenset[int]
    latches: tuple[int, ...]


def natural_loops(flow: ControlFlow) -> list[Loop]:
    """Every natural loop, the inner ones first. A cycle that can be entered in two places has no head and is none."""
    latches: dict[int, list[int]] = {}
    for index in flow.order:
        for successor in flow.blocks[index].successors:
            if flow.dominates(successor, index):
                latches.setdefault(successor, []).append(index)
    loops = []
    for head, tails in latches.items():
        blocks, work = {head}, list(tails)
        while work:
            index = work.pop()
            if index not in blocks:
                blocks.add(index)
                work += (p for p in flow.blocks[index].predecessors if p in flow.reachable)
        loops.append(Loop(head, frozenset(blocks), tuple(tails)))
    return sorted(loops, key=lambda loop: len(loop.blocks))
