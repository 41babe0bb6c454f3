"""Logic, shifts and byte permutation (manual 9.7.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import Op
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

BITWISE = "pred b16 b32 b64"


@lowers("and.type", type=BITWISE)
def and_(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return a & b


@lowers("or.type", type=BITWISE)
def or_(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return a | b


@lowers("xor.type", type=BITWISE)
def xor(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return a ^ b


@lowers("not.type", type=BITWISE)
def not_(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return ~a


@lowers("cnot.type", type="b16 b32 b64")
def cnot(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return a.eq(0).zext(a.type)


@lowers("shl.type", type="b16 b32 b64", reads="type u32")
def shl(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """Amounts of the width or more shift everything out."""
    if b.number is not None:
        return a << b.number if b.number < a.bits else k.e.const(a.type, 0)
    moved = a << (b & (a.bits - 1)).resize(a.type)
    return b.ult(a.bits).select(moved, 0)


@lowers("shr.type", type="b16 b32 b64 u16 u32 u64 s16 s32 s64", reads="type u32")
def shr(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    if form.type.is_signed:
        amount = k.e.intrinsic("llvm.umin", b, k.e.const("i32", a.bits - 1)) if b.number is None else b
        if amount.number is not None:
            amount = k.e.const("i32", min(amount.number, a.bits - 1))
        return a.sra(amount.resize(a.type))
    if b.number is not None:
        return a >> b.number if b.number < a.bits else k.e.const(a.type, 0)
    moved = a >> (b & (a.bits - 1)).resize(a.type)
    return b.ult(a.bits).select(moved, 0)


@lowers("shf.dir.mode.b32", dir="l r", mode="clamp wrap")
def shf(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    """Funnel shift of {b, a}."""
    name = "llvm.fshl" if form.dir == "l" else "llvm.fshr"
    moved = k.e.intrinsic(name, b, a, c & 31)
    if form.mode == "wrap":
        return moved
    return c.ult(32).select(moved, a if form.dir == "l" else b)


# -- lop3 -------------------------------------------------------------------------------------------------------------


def lookup(a: LlvmValue, b: LlvmValue, c: LlvmValue, table: int) -> LlvmValue:
    """The bitwise function of three inputs with this truth table, as a sum of its products, or of its complement's."""
    inverted = bin(table & 0xFF).count("1") > 4
    rows = ~table & 0xFF if inverted else table & 0xFF
    result = a.emitter.const(a.type, 0)
    for row in range(8):
        if rows >> row & 1:
            term = (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
            result = term if result.number == 0 else result | term
    return ~result if inverted else result


@lowers("lop3.b32", raw=True)
def lop3(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    b32 = TYPES["b32"]
    a, b, c = (k.read(o, b32) for o in op.operands[1:4])
    k.set(op.operands[0], lookup(a, b, c, _table(op)), b32)


@lowers("lop3.bool.b32", bool="or and", raw=True)
def lop3_bool(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    b32, pred = TYPES["b32"], TYPES["pred"]
    a, b, c = (k.read(o, b32) for o in op.operands[1:4])
    result = lookup(a, b, c, _table(op))
    q = k.read(op.operands[5], pred)
    p = result.ne(0)
    d, target = op.operands[0] if isinstance(op.operands[0], tuple) else (op.operands[0], ir.Sink())
    k.set(d, result, b32)
    k.set(target, p | q if form.bool == "or" else p & q, pred)


def _table(op: Op) -> int:
    table = op.operands[4]
    if not isinstance(table, ir.Immediate):
        raise unsupported(f"{op.op} with a table that is not a constant", op.origin.source)
    return table.value


# -- prmt -------------------------------------------------------------------------------------------------------------

_SELECTORS: dict[str, tuple[tuple[int, int, int, int], ...]] = {  # bytes b3 b2 b1 b0 for each value of c[1:0]
    "f4e": ((3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)),
    "b4e": ((5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)),
    "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ecl": ((3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)),
    "rc16": ((1, 0, 1, 0), (3, 2, 3, 2), (1, 0, 1, 0), (3, 2, 3, 2)),
}


@lowers("prmt.b32{.mode}", mode=" ".join(_SELECTORS))
def prmt(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    e = k.e
    if form.mode is None:
        return e.use(permute_bytes, a, b, c)
    control = e.const("i32", 0)
    for value, row in enumerate(_SELECTORS[form.mode]):
        code = sum(byte << 4 * (3 - i) for i, byte in enumerate(row))
        control = (c & 3).eq(value).select(e.const("i32", code), control)
    return e.use(permute_bytes, a, b, control)


def permute_bytes(e: Emitter, a: LlvmValue, b: LlvmValue, control: LlvmValue) -> LlvmValue:
    """Picks four of the eight bytes of {b, a}; the top bit of a selector replicates the byte's sign instead."""
    source = (b.zext("i64") << 32) | a.zext("i64")
    result = e.const("i32", 0)
    for i in range(4):
        selector = control >> (4 * i)
        byte = (source >> ((selector & 7) << 3).zext("i64")).trunc("i8")
        sign = (selector & 8).ne(0)
        byte = sign.select(byte.sra(7), byte)
        placed = byte.zext("i32") << (8 * i)
        result = placed if i == 0 else result | placed
    return result
