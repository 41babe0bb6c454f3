"""Data flow over a control-flow graph: one fixpoint solver, and what everybody asks of it.

Registers are small integers here, sets of them the bits of a Python int; what an instruction reads and writes is given by
the caller, who knows the table of instructions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

from ptxgen.dataflow.graph.cfg import ControlFlow

__all__ = ["DefUseChains", "liveness", "solve"]

T = TypeVar("T")


def solve(
    flow: ControlFlow,
    transfer: Callable[[int, T], T],
    join: Callable[[T, T], T],
    start: T,
    *,
    forward: bool = True,
) -> list[T | None]:
    """The least fixpoint of a data-flow problem: its value where control enters each block, by the block's index.

    `start` holds at the entry; `transfer(block index, value)` takes a value through a block; `join` merges the values of
    several paths. With `forward=False` the flow runs from the ends: `start` holds where the function is left, and the answer
    is the value at the *end* of each block. Blocks that control cannot reach
    have None. Values are compared with ==; transfer and join must be monotone, on a lattice of finite height.
    """
    blocks, order = flow.blocks, flow.order if forward else flow.order[::-1]
    rank = {index: place for place, index in enumerate(order)}
    value: list[T | None] = [None] * len(blocks)
    waiting = [False] * len(order)
    for index in (0,) if forward else flow.ends:
        value[index] = start
        waiting[rank[index]] = True
    place = 0
    while place < len(order):
        if not waiting[place]:
            place += 1
            continue
        waiting[place] = False
        index = order[place]
        block = blocks[index]
        before = value[index]
        assert before is not None
        after = transfer(index, before)
        place += 1
        for other in block.successors if forward else block.predecessors:
            if other not in rank:
                continue
            known = value[other]
            merged = after if known is None else join(known, after)
            if known is None or merged != known:
                value[other] = merged
                waiting[rank[other]] = True
                place = min(place, rank[other])
    return value


def liveness(flow: ControlFlow, reads: Sequence[Sequence[int]], writes: Sequence[Sequence[int]]) -> list[int]:
    """The registers alive at the end of each block, as bits; `reads` and `writes` are by the position of the instruction.

    A guarded write does not end a register's life.
    """
    needs, kills = [], []
    for block in flow.blocks:
        need = kill = 0
        for position in range(block.end - 1, block.start - 1, -1):
            if flow.instructions[position].pred is None:
                for register in writes[position]:
                    bit = 1 << register
                    kill |= bit
                    need &= ~bit
            for register in reads[position]:
                need |= 1 << register
        needs.append(need)
        kills.append(kill)
    found = solve(
        flow,
        lambda index, live: needs[index] | (live & ~kills[index]),
        lambda one, other: one | other,
        0,
        forward=False,
    )
    return [live or 0 for live in found]


def _positions(mentions: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """By register, the positions at which it is among these."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for position, registers in enumerate(mentions):
        for register in registers:
            found[register].append(position)
    return dict(found)


class DefUseChains:
    """Where registers are written and read: `definitions[register]` and `uses[register]` are positions in text order."""

    __slots__ = ("_flow", "definitions", "uses")

    def __init__(self, flow: ControlFlow, reads: Sequence[Sequence[int]], writes: Sequence[Sequence[int]]) -> None:
        self._flow = flow
        self.definitions: dict[int, list[int]] = _positions(writes)
        self.uses: dict[int, list[int]] = _positions(reads)

    def reaching(self, register: int, position: int) -> list[int]:
        """The positions of the writes whose value the instruction at `position` may read, in text order.

        A guarded write lets those before it through.
        """
        written = self.definitions.get(register, ())
        if len(written) < 2:
            return list(written)
        flow = self._flow
        found: set[int] = set()
        seen: set[int] = set()
        block = flow.block_at(position)
        work = [(block, position)]
        while work:
            block, end = work.pop()
            if self._last(written, block.start, end, found):
                continue
            for index in block.predecessors:
                if index not in seen:
                    seen.add(index)
                    work.append((flow.blocks[index], flow.blocks[index].end))
        return sorted(found)

    def is_read(self, register: int, written: int) -> bool:
        """May anybody read what the instruction at `written` has put into a register?"""
        uses, definitions = self.uses.get(register, ()), self.definitions[register]
        flow, seen = self._flow, set[int]()
        work = [(flow.block_at(written), written)]
        while work:
            block, behind = work.pop()
            read = bisect_right(uses, behind)
            kills = self._certain(definitions, bisect_right(definitions, behind), block.end)
            if read < len(uses) and uses[read] <= min(kills, block.end - 1):  # the one that kills may read it as well
                return True
            for index in block.successors if kills >= block.end else ():
                if index not in seen:
                    seen.add(index)
                    work.append((flow.blocks[index], flow.blocks[index].start - 1))
        return False

    def _certain(self, written: Sequence[int], first: int, end: int) -> int:
        """The first write without a guard from `written[first]` on; `end` where there is none before it."""
        for place in range(first, len(written)):
            if written[place] >= end:
                break
            if self._flow.instructions[written[place]].pred is None:
                return written[place]
        return end

    def _last(self, written: Sequence[int], start: int, end: int, found: set[int]) -> bool:
        """Adds the last of the writes in a stretch of a block to `found`; True when one of them is certain."""
        for place in range(bisect_left(written, end) - 1, -1, -1):
            position = written[place]
            if position < start:
                break
            found.add(position)
            if self._flow.instructions[position].pred is None:
                return True
        return False
