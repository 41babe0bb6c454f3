"""Facts that hold where control passes: equalities between registers and what was computed, over the whole control flow.

A fact is a key and a value. It begins at the instruction that makes it true and ends where a register is written that it is
about. Where several ways meet, those hold that hold on all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ptxgen.ir.cfg import ControlFlow
from ptxgen.ir.dataflow import solve

__all__ = ["flow_of_facts"]

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


def _common(one: dict[K, V], other: dict[K, V]) -> dict[K, V]:
    if len(other) < len(one):
        one, other = other, one
    return {key: value for key, value in one.items() if other.get(key) == value}
