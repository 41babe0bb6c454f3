"""Which write a read sees: static single assignment, without renaming anything.

Where paths meet that have last written a register in different places, the values *merge*. What an instruction reads in a
register is then one thing, the write at a position or the merge at the start of a block, found by going up the dominator tree
from it. Merges are placed for one register at a time, when somebody first asks for it (Cytron et al., "Efficiently Computing
Static Single Assignment Form and the Control Dependence Graph").
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.dataflow.graph.cfg import ControlFlow

__all__ = ["Merges"]


class Merges:
    """The value that a register has at a place: the position of a write, -1 - b for the merge at the start of block b, or None.

    None is the value from before the first write. `definitions[register]` are the positions of its writes, in text order. A
    guarded write counts as one; `before` is the value that it may leave.
    """

    __slots__ = ("_at", "_flow", "_known", "definitions")

    def __init__(self, flow: ControlFlow, definitions: dict[int, list[int]]) -> None:
        self._flow = flow
        self.definitions: dict[int, list[int]] = definitions
        self._at: dict[int, frozenset[int]] = {}
        """By register, the blocks at whose start its values merge."""
        self._known: dict[int, dict[int, int | None]] = {}
        """By register and block, the value at the block's start."""

    def at(self, register: int, position: int) -> int | None:
        """The value that the instruction at that position reads; that of the only write where there is one."""
        written = self.definitions.get(register)
        if written is None:
            return None
        if len(written) == 1:
            return written[0]
        return self.before(register, position)

    def before(self, register: int, position: int) -> int | None:
        """The value right before an instruction, as far as text shows: None where no path has written it."""
        block = self._flow.block_at(position)
        last = self._last(self.definitions[register], block.start, position)
        return self._entry(register, block.index) if last < 0 else last

    def merged(self, register: int, block: int) -> tuple[list[int], list[int]]:
        """The different values that merge at the start of a block: those on forward edges, and those that come round a loop."""
        forwards: dict[int, None] = {}
        around: dict[int, None] = {}
        rank = self._flow.rank
        for index in self._flow.blocks[block].predecessors:
            if index not in rank:
                continue
            value = self.behind(register, index)
            if value is not None and value != -1 - block:
                (forwards if rank[index] < rank[block] else around)[value] = None
        return list(forwards), list(around)

    def behind(self, register: int, block: int) -> int | None:
        """The value at the end of a block."""
        here = self._flow.blocks[block]
        last = self._last(self.definitions[register], here.start, here.end)
        return self._entry(register, block) if last < 0 else last

    @staticmethod
    def _last(written: Sequence[int], start: int, end: int) -> int:
        """The last write from `start` up to `end`; -1 when there is none."""
        place = bisect_left(written, end) - 1
        return written[place] if place >= 0 and written[place] >= start else -1

    def _entry(self, register: int, block: int) -> int | None:
        """The value at a block's start, found up the dominator tree, and noted on the way."""
        known = self._known.setdefault(register, {})
        merges = self._places(register)
        written, above, blocks = self.definitions[register], self._flow.dominators, self._flow.blocks
        trail = []
        value: int | None
        while True:
            if block in known:
                value = known[block]
                break
            if block in merges:
                value = -1 - block
                break
            trail.append(block)
            if block == 0 or above[block] < 0:
                value = None
                break
            block = above[block]
            last = self._last(written, blocks[block].start, blocks[block].end)
            if last >= 0:
                value = last
                break
        for each in trail:
            known[each] = value
        return value

    def _places(self, register: int) -> frozenset[int]:
        """The iterated dominance frontier of the blocks that write the register."""
        found = self._at.get(register)
        if found is None:
            frontiers = self._flow.frontiers
            seen: set[int] = set()
            work = list({self._flow.block_at(position).index for position in self.definitions[register]})
            while work:
                for index in frontiers[work.pop()]:
                    if index not in seen:
                        seen.add(index)
                        work.append(index)
            found = self._at[register] = frozenset(seen)
        return found
