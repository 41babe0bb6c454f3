"""Extended-precision integer arithmetic: carries through the condition code (manual 9.7.2).

normalize makes the carry flag an operand: the second destination of `.cc` forms, the last source of addc, subc, madc.
A subtraction adds the complement, as the hardware does: sub.cc is a + ~b + 1 and leaves the carry out of that (1 where
nothing was borrowed), subc is a + ~b + the carry. So the two kinds may be mixed; read on an H200.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.integer import product
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import LoweringContext

WORDS = "u32 s32 u64 s64"


def _finish(k: LoweringContext, form: FormModifiers, op: Op, wide: LlvmValue) -> None:
    """Writes the low half of a double-width sum, and its carry when the form asks for it."""
    target = op.operands[0]
    bits = wide.bits // 2
    low = wide.trunc(f"i{bits}")
    if isinstance(target, tuple):
        k.set(target[0], low, form.type)
        k.set(target[1], ((wide >> bits) & 1).trunc("i1"), TYPES["pred"])
    else:
        k.set(target, low, form.type)


def _carry(k: LoweringContext, op: Op, type: str) -> LlvmValue:
    return k.read(op.operands[-1], TYPES["pred"]).zext(type)


@lowers("add.cc.type", "addc{.cc}.type", "sub.cc.type", "subc{.cc}.type", type=WORDS, raw=True)
def add_sub(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    a, b = (k.read(o, form.type) for o in op.operands[1:3])
    wide = f"i{2 * a.bits}"
    subtracts = op.opcode.startswith("sub")
    carry = _carry(k, op, wide) if op.opcode.endswith("c") else k.e.const(wide, int(subtracts))
    _finish(k, form, op, a.zext(wide) + (~b if subtracts else b).zext(wide) + carry)


@lowers("mad.mode.cc.type", "madc.mode{.cc}.type", mode="lo hi", type=WORDS, raw=True)
def mad(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    a, b, c = (k.read(o, form.type) for o in op.operands[1:4])
    wide = f"i{2 * a.bits}"
    total = product(form, a, b, form.mode).zext(wide) + c.zext(wide)
    _finish(k, form, op, total + _carry(k, op, wide) if op.opcode == "madc" else total)
