"""Arithmetic with a rounding mode other than to nearest (manual 9.7.3: .rz .rm .rp).

The processor's rounding mode is set, the operation done as a constrained one so that it can neither move nor fold, and the
mode set back. Static rounding metadata would not do: on x86 it is a promise about the mode, not a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["ROUNDINGS", "constrained", "rounded", "set_rounding"]

ROUNDINGS = {"rz": 0, "rn": 1, "rp": 2, "rm": 3}
"""PTX's names -> numbers of llvm.set.rounding."""

_METADATA = 'metadata !"round.dynamic", metadata !"fpexcept.ignore"'


def rounded(e: Emitter, *operands: LlvmValue, operation: str, rounding: str, type: str = "") -> LlvmValue:
    """A helper: fadd fsub fmul fdiv sqrt fma of floats, or fptrunc, sitofp, uitofp to `type`, in a rounding mode."""
    source = operands[0].type
    result = type or source
    names = {"float": "f32", "double": "f64"}
    suffix = names[result] + (f".{names.get(source, source)}" if type else "")
    set_rounding(e, rounding)
    value = constrained(e, f"{operation}.{suffix}", result, *operands)
    set_rounding(e, "rn")
    return value


def set_rounding(e: Emitter, rounding: str) -> None:
    """Sets the processor's rounding mode, for `constrained` operations; whoever does sets it back to "rn"."""
    e.strict = True
    e.module.declare("llvm.set.rounding", "void", ("i32",))
    e.line(f"call void @llvm.set.rounding(i32 {ROUNDINGS[rounding]}) strictfp")


def constrained(e: Emitter, operation: str, result: str, *operands: LlvmValue) -> LlvmValue:
    """`llvm.experimental.constrained.OPERATION` in the mode that is set."""
    name = f"llvm.experimental.constrained.{operation}"
    e.module.declare(name, result, (*(o.type for o in operands), "metadata", "metadata"))
    arguments = ", ".join(f"{o.type} {o.text}" for o in operands)
    return e.op(result, f"call {result} @{name}({arguments}, {_METADATA}) strictfp")
