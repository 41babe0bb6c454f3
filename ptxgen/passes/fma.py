"""A floating product and a sum as one fma. It rounds once where they round twice: only for those who ask for it.

Kill-safe: nothing between the two writes what the product reads, no guard lets the product come from elsewhere, and both
agree about type, rounding and subnormal numbers.
"""

from __future__ import annotations

from ptxgen.ir import Immediate, Instruction, Register
from ptxgen.ir.operands import Operand
from ptxgen.passes.chains import product_of
from ptxgen.passes.editing import Edit, is_legal

__all__ = ["fuse_fma"]

_MODES = ("rn", "rz", "rm", "rp")
_TYPES = ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "f32x2")
_SIGN = {"f32": 1 << 31, "f64": 1 << 63}


def fuse_fma(edit: Edit) -> None:
    """Turns a floating mul and an add of its only use into fma, which changes rounding; never by default."""
    for position, instruction in enumerate(edit.body.instructions):
        if instruction.opcode not in ("add", "sub") or len(instruction.operands) != 3:
            continue
        d, a, b = instruction.operands
        ways = ((a, b), (b, a)) if instruction.opcode == "add" else ((a, b),)
        if _mode(instruction.op, instruction.op) is None:
            continue
        obstacle = ""
        for term, other in ways:
            where = product_of(edit, term, position)
            if not isinstance(where, int):
                obstacle = obstacle or where or ""
                continue
            mode = _mode(edit.body.instructions[where].op, instruction.op)
            if mode is None:
                obstacle = (
                    obstacle or f"{edit.body.instructions[where].op} and {instruction.op} differ in how they round"
                )
                continue
            addend: Operand | None = other
            if instruction.opcode == "sub":
                addend = _negated(other, mode)
            if addend is None:
                continue
            product = edit.body.instructions[where]
            fused = Instruction(f"fma.{mode}", (d, *product.operands[1:], addend), instruction.pred)
            if isinstance(d, Register) and is_legal(fused):
                edit.delete(where)
                edit.replace(position, fused)
                break
        else:
            if obstacle:
                edit.remark(position, f"not fused with its product: {obstacle}")


def _mode(product: str, total: str) -> str | None:
    """The modifiers of the fma; None when the two differ, saturate, or are not floats."""
    one, other = product.split(".")[1:], total.split(".")[1:]
    if one[-1] not in _TYPES or one[-1] != other[-1]:
        return None
    words = [[word for word in each[:-1] if word in _MODES] or ["rn"] for each in (one, other)]
    rest = [[word for word in each[:-1] if word not in _MODES] for each in (one, other)]
    if words[0] != words[1] or rest[0] != rest[1] or rest[0] not in ([], ["ftz"]):
        return None
    return ".".join([*words[0], *rest[0], one[-1]])


def _negated(operand: Operand, mode: str) -> Operand | None:
    """A constant with the other sign; a register would need an instruction of its own."""
    sign = _SIGN.get(mode.rpartition(".")[2])
    if isinstance(operand, Immediate) and sign is not None and operand.kind == mode.rpartition(".")[2]:
        return Immediate(operand.value ^ sign, operand.kind)
    return None
