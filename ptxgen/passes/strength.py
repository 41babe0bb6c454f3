"""Multiplication by small constants as shifts and additions; a product and a sum as one mad.lo."""

from __future__ import annotations

from ptxgen.ir import Immediate, Instruction, Operand, Register
from ptxgen.isa.types import TYPES, ScalarType
from ptxgen.passes.chains import single_product
from ptxgen.passes.editing import Edit

__all__ = ["form_mads", "shift_for_multiply"]


def shift_for_multiply(edit: Edit) -> None:
    """Turns mul.lo by 2**k into a shift, by 2**k + 1 and 2**k - 1 into a shift and an addition."""
    for position, instruction in enumerate(edit.body.instructions):
        type_ = _integer(instruction.op, "mul.lo.")
        if type_ is None:
            continue
        d, a, b = instruction.operands
        if isinstance(a, Immediate):
            a, b = b, a
        if isinstance(d, Register) and isinstance(a, Register) and isinstance(b, Immediate):
            new = _shifted(edit, type_, d, a, b.value & ((1 << type_.bits) - 1))
            if new:
                new[-1].pred = instruction.pred
                edit.replace(position, *new)


def _integer(op: str, start: str) -> ScalarType | None:
    type_ = TYPES.get(op[len(start) :]) if op.startswith(start) else None
    return type_ if type_ is not None and type_.is_integer and type_.lanes == 1 else None


def _shifted(edit: Edit, type_: ScalarType, d: Register, a: Register, factor: int) -> list[Instruction]:
    """d = a * factor; [] where a multiplication is better."""
    shift = f"shl.b{type_.bits}"
    if factor < 2:
        return []
    if factor & (factor - 1) == 0:
        return [Instruction(shift, (d, a, Immediate(factor.bit_length() - 1)))]
    for power, op in ((factor - 1, "add"), (factor + 1, "sub")):
        if power & (power - 1) == 0 and power >> type_.bits == 0:
            part = edit.fresh(type_)
            return [
                Instruction(shift, (part, a, Immediate(power.bit_length() - 1))),
                Instruction(f"{op}.{type_.name}", (d, part, a)),
            ]
    return []


def form_mads(edit: Edit) -> None:
    """Turns mul.lo and an add of its only use into mad.lo, and mul.wide likewise into mad.wide."""
    for position, instruction in enumerate(edit.body.instructions):
        type_ = _integer(instruction.op, "add.")
        if type_ is None or len(instruction.operands) != 3:
            continue
        d, *terms = instruction.operands
        for term, other in (terms, terms[::-1]):
            where = single_product(edit, term, position)
            mode = None if where is None else _product(edit.body.instructions[where].op, type_)
            if where is None or mode is None:
                continue
            product = edit.body.instructions[where]
            operands: tuple[Operand, ...] = (d, *product.operands[1:], other)
            op = f"mad.{mode}"
            edit.delete(where)
            edit.replace(position, Instruction(op, operands, instruction.pred))
            break


def _product(op: str, sum_type: ScalarType) -> str | None:
    """What a mad of this product and that sum is called."""
    if op in (f"mul.lo.u{sum_type.bits}", f"mul.lo.s{sum_type.bits}"):
        return f"lo.{sum_type.name}"
    if op in (f"mul.wide.u{sum_type.bits // 2}", f"mul.wide.s{sum_type.bits // 2}"):
        return op[4:]
    return None
