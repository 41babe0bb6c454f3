"""Control flow that does not end a block: traps (manual 9.7.20), calls of functions that the system defines. Branches, exits and
other calls are the business of cfg.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.printing import BAD_ADDRESS
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
    """What normalize makes of a call of __assertfail; the operand is the address of a text."""
    k.fault_if(k.guard() or k.e.const("i1", 1), FaultKind.ASSERT, k.read(op.operands[0], TYPES["u64"]))


@lowers("vprintf", raw=True)
def vprintf(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """What normalize makes of a call of vprintf; operands: the result, the addresses of the format and of the arguments."""
    e = k.e
    result, *addresses = op.operands
    with k.when(k.guard()):
        places = [k.read(address, TYPES["u64"]).clean() for address in addresses]
        function = e.ptr(k.launch.get("printer"))
        values = ", ".join(f"{v.type} {v.text}" for v in (k.warp.pointer, k.lane, *places))
        printed = e.op("i32", f"call i32 {function.text}({values})")
        k.fault_if(printed.eq(BAD_ADDRESS), FaultKind.ILLEGAL_ADDRESS, k.launch.get("printer_address"), 1)
        k.write(result, printed, TYPES["b32"])


@lowers("malloc", raw=True)
def malloc(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """What normalize makes of a call of malloc; operands: the result, the number of bytes."""
    e = k.e
    with k.when(k.guard()):
        size = k.read(op.operands[1], TYPES["u64"])
        function = e.ptr(k.launch.get("malloc"))
        k.write(op.operands[0], e.op("i64", f"call i64 {function.text}(i64 {size.text})"), TYPES["b64"])


@lowers("free", raw=True, destinations=0)
def free(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """What normalize makes of a call of free; the operand is what malloc gave."""
    e = k.e
    with k.when(k.guard()):
        address = k.read(op.operands[0], TYPES["u64"])
        function = e.ptr(k.launch.get("free"))
        freed = e.op("i32", f"call i32 {function.text}(i64 {address.text})")
        k.fault_if(freed.eq(0), FaultKind.HEAP_POINTER, address)


@lowers("bra", "call", raw=True, destinations=0)
def passed(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """A branch inside a block leads to what follows there, and a call is a copy of its function that follows: they stand there to
    be counted."""


@lowers("brx.idx{.uni}", "exit", raw=True, destinations=0)
def terminator(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Known here so that every opcode has one home; blocks end in these and never contain them."""
    raise AssertionError(op)
