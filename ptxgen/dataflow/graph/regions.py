"""Stretches of a graph that a search passes at once, because nothing changes in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.graph.algorithms import members

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.cfg import ControlFlow

__all__ = ["Region"]


class Region:
    """Where control comes to in some blocks before it meets one at which something may change. Blocks are bits."""

    def __init__(self, flow: ControlFlow, within: int, stops: int) -> None:
        self.flow = flow
        self.within = within
        self.stops = stops
        self._behind: dict[int, tuple[int, int]] = {}
        self._next: dict[int, list[int]] = {}

    def behind(self, index: int) -> tuple[int, int]:
        """From a block's start: the blocks that control comes to, those at which it stops among them, and those outside."""
        known = self._behind.get(index)
        if known is None:
            within, stops, successors = self.within, self.stops, self.flow.successors
            inside = outside = 0
            work = [index]
            while work:
                at = work.pop()
                bit = 1 << at
                if inside & bit:
                    continue
                if within & bit:
                    inside |= bit
                    if not stops & bit:
                        work += successors[at]
                else:
                    outside |= bit
            known = self._behind[index] = inside, outside
        return known

    def next(self, index: int) -> list[int]:
        """From a block's start: those of the blocks at which something may change that control comes to first."""
        known = self._next.get(index)
        if known is None:
            known = self._next[index] = (
                [index] if self.stops >> index & 1 else members(self.behind(index)[0] & self.stops)
            )
        return known
