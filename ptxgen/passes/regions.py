"""Stretches of a body in which instructions may change places: within a block, between what nothing passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ir import Block, Comment, Instruction, Label
from ptxgen.passes.effects import Behaviour, behaviour

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.ir import Function
    from ptxgen.passes.editing import Edit

__all__ = ["SchedulingRegion", "cuts", "regions"]

_LONGEST = 1024
"""Longer stretches are cut: the work on one grows with its square."""


class SchedulingRegion(NamedTuple):
    """Positions `start` to `end - 1` of a block, none of them a wall, and how each behaves."""

    block: int
    start: int
    end: int
    behaviours: list[Behaviour]


def regions(edit: Edit) -> Iterator[SchedulingRegion]:
    """The regions of two and more instructions, in the order of the text."""
    body = edit.body
    apart_at = cuts(body.function)
    for block in body.flow.blocks:
        if block.index not in body.flow.reachable:
            continue
        versions: dict[int, int] = {}
        found: list[Behaviour] = []
        start = block.start
        for position in range(block.start, block.end):
            here = behaviour(edit, position, versions)
            for register in body.writes[position]:
                versions[register] = versions.get(register, 0) + 1
            apart = position in apart_at or body.scopes[position] is not body.scopes[start] or len(found) >= _LONGEST
            if apart or here.kind == "wall":
                if len(found) > 1:
                    yield SchedulingRegion(block.index, start, position, found)
                start, found = position, []
            if here.kind == "wall":
                start = position + 1
            else:
                found.append(here)
        if len(found) > 1:
            yield SchedulingRegion(block.index, start, block.end, found)


def cuts(function: Function) -> set[int]:
    """Positions before which something other than an instruction stands: a declaration, the end of a `{}`, a line directive, a
    remark to the verifier. What it says holds for what follows, or from there on. Comments and labels say nothing here."""
    found: set[int] = set()
    assert function.body is not None
    _note(function.body, 0, found)
    return found


def _note(block: Block, position: int, found: set[int]) -> int:
    for statement in block.statements:
        if isinstance(statement, Instruction):
            position += 1
        elif isinstance(statement, Block):
            found.add(position)
            position = _note(statement, position, found)
            found.add(position)
        elif not isinstance(statement, Label) and not (
            isinstance(statement, Comment) and "ptxgen:" not in statement.text
        ):
            found.add(position)
    return position
