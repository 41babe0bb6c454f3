"""Facts that hold where control passes: equalities between registers and what was computed, over the whole control flow.

A fact is a key and a value. It begins at the instruction that makes it true and ends where a register is written that it is
about. Where several paths meet, those hold that hold on all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ptxgen.dataflow.graph.cfg import ControlFlow
from ptxgen.dataflow.graph.solver import solve

__all__ = ["flow_of_facts", "rewrite_by_facts"]

K = TypeVar("K")
V = TypeVar("V")


def flow_of_facts(flow: ControlFlow, step: Callable[[int, dict[K, V]], None]) -> list[dict[K, V] | None]:
    """The facts where control enters each block, by its index; None for those that it cannot reach.

    `step(position, facts)` takes the facts past an instruction: it deletes those that end there and enters those that begin.
    """

    def transfer(index: int, facts: dict[K, V]) -> dict[K, V]:
        after = dict(facts)
        block = flow.blocks[index]
        for position in range(block.start, block.end):
            step(position, after)
        return after

    return solve(flow, transfer, _common, {})


class Rewriter(Protocol[K, V]):
    """A pass that knows facts at each instruction."""

    def step(self, position: int, facts: dict[K, V], /) -> None:
        """Take the facts past an instruction."""

    def rewrite(self, position: int, facts: dict[K, V], /) -> None:
        """Change the instruction by what holds before it."""


def rewrite_by_facts(flow: ControlFlow, work: Rewriter[K, V]) -> None:
    """Show every instruction that control reaches to `work.rewrite`, with the facts that hold before it."""
    entering = flow_of_facts(flow, work.step)
    for block in flow.blocks:
        known = entering[block.index]
        if known is None:
            continue
        facts = dict(known)  # blocks with one predecessor share it
        for position in range(block.start, block.end):
            work.rewrite(position, facts)
            work.step(position, facts)


def _common(one: dict[K, V], other: dict[K, V]) -> dict[K, V]:
    if len(other) < len(one):
        one, other = other, one
    return {key: value for key, value in one.items() if other.get(key) == value}
