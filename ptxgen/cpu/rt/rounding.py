"""Arithmetic with a rounding mode other than to nearest (manual 9.7.3: .rz .rm .rp).

The processor's rounding mode is set, the operation done as a constrained one so that it can neither move nor fold, and the
mode set back. Static rounding metadata would not do: on x86 it is a promise about the mode, not a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, Value

__all__ = ["ROUNDINGS", "rounded"]

ROUNDINGS = {"rz": 0, "rn": 1, "rp": 2, "rm": 3}
"""PTX's names -> numbers of llvm.set.rounding."""

_METADATA = 'metadata !"round.dynamic", metadata !"fpexcept.ignore"'


def rounded(e: Emitter, *operands: Value, operation: str, rounding: str, type: str = "") -> Value:
    """A helper: fadd fsub fmul fdiv sqrt fma of floats, or fptrunc, sitofp, uitofp to `type`, in a rounding mode."""
    e.strict = True
    source = operands[0].type
    result = type or source
    names = {"float": "f32", "double": "f64"}
    suffix = names[result] + (f".{names.get(source, source)}" if type else "")
    name = f"llvm.experimental.constrained.{operation}.{suffix}"
    e.module.declare(name, result, (*(o.type for o in operands), "metadata", "metadata"))
    e.module.declare("llvm.set.rounding", "void", ("i32",))
    e.line(f"call void @llvm.set.rounding(i32 {ROUNDINGS[rounding]}) strictfp")
    arguments = ", ".join(f"{o.type} {o.text}" for o in operands)
    value = e.op(result, f"call {result} @{name}({arguments}, {_METADATA}) strictfp")
    e.line(f"call void @llvm.set.rounding(i32 {ROUNDINGS['rn']}) strictfp")
    return value
