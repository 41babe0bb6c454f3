"""Control flow that does not end a block: traps (manual 9.7.20). Branches, exits and calls are the business of cfg.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import Form, lowers
from ptxgen.cpu.rt.memory import FaultKind

if TYPE_CHECKING:
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import Context


@lowers("trap", "brkpt", raw=True, destinations=0)
def trap(k: Context, form: Form, op: Op) -> None:
    kind = FaultKind.TRAP if op.op == "trap" else FaultKind.BREAKPOINT
    k.fault_if(k.guard() or k.e.const("i1", 1), kind)


@lowers("bra", "brx.idx", "exit", raw=True, destinations=0)
def terminator(k: Context, form: Form, op: Op) -> None:
    """Known here so that every opcode has one home; blocks end in these and never contain them."""
    raise AssertionError(op)
