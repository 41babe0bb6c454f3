"""Control flow that does not end a block: traps (manual 9.7.20). Branches, exits and calls are the business of cfg.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import LoweringContext


@lowers("trap", "brkpt", raw=True, destinations=0)
def trap(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    kind = FaultKind.TRAP if op.op == "trap" else FaultKind.BREAKPOINT
    k.fault_if(k.guard() or k.e.const("i1", 1), kind)


@lowers("assertfail", raw=True, destinations=0)
def assertfail(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """What normalize.py makes of a call of __assertfail; the operand is the address of a text."""
    k.fault_if(k.guard() or k.e.const("i1", 1), FaultKind.ASSERT, k.read(op.operands[0], TYPES["u64"]))


@lowers("bra", "brx.idx", "exit", raw=True, destinations=0)
def terminator(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Known here so that every opcode has one home; blocks end in these and never contain them."""
    raise AssertionError(op)
