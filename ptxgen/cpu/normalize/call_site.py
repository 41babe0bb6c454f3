"""A call with its operands taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen import ir

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.flat import FlatOperand, Reg
    from ptxgen.cpu.normalize.name_scope import SymbolScope
    from ptxgen.cpu.normalize.operands import Operands

__all__ = ["CallSite", "call_site"]


class CallSite(NamedTuple):
    """A call: its operands, and the predicate that guards it."""

    instruction: ir.Instruction
    results: Sequence[FlatOperand]
    arguments: Sequence[FlatOperand]
    guard: Reg | None
    negated: bool


def call_site(i: ir.Instruction, scope: SymbolScope, operands: Operands) -> CallSite:
    """`call (results), function, (arguments), prototype` with either list left out (manual 9.7.12.5)."""
    lists = [o.elements for o in i.operands if isinstance(o, ir.Arguments)]
    results = lists.pop(0) if lists and isinstance(i.operands[0], ir.Arguments) else ()
    arguments = lists[0] if lists else ()
    given = [[operands.flat(o, scope, i) for o in each] for each in (results, arguments)]
    return CallSite(i, given[0], given[1], *operands.guard(i, scope))
