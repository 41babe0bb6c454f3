"""Comparison and selection (manual 9.7.6 and 9.7.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import Op
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.half import bf16_to_f32, f16_to_f32
from ptxgen.cpu.rt.numbers import flush
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

COMPARISONS = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"
BOOLEANS = "and or xor"
SCALARS = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 bf16"

_UNSIGNED = {"lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}
_FLOAT = {
    "num": "ord",
    "nan": "uno",
    "equ": "ueq",
    "neu": "une",
    "ltu": "ult",
    "leu": "ule",
    "gtu": "ugt",
    "geu": "uge",
}


def compare(k: LoweringContext, comparison: str, type: ScalarType, ftz: bool, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """`a CmpOp b` as a predicate."""
    if not type.is_float:
        if comparison in ("eq", "ne"):
            return a.icmp(comparison, b)
        return a.icmp(_UNSIGNED.get(comparison) or ("s" if type.is_signed else "u") + comparison, b)
    if type.name in ("f16", "bf16"):
        widen = f16_to_f32 if type.name == "f16" else bf16_to_f32
        if ftz:  # of the format's own subnormals
            a, b = ((v & 0x7C00).eq(0).select(v & 0x8000, v) for v in (a, b))
        a, b = k.e.use(widen, a), k.e.use(widen, b)
    elif ftz:
        a, b = flush(a), flush(b)
    return a.fcmp(_FLOAT.get(comparison) or "o" + comparison, b)


def combine(operation: str | None, a: LlvmValue, b: LlvmValue | None) -> LlvmValue:
    """`BoolOp(a, b)`; `a` alone without one."""
    if operation is None or b is None:
        return a
    return {"and": a.__and__, "or": a.__or__, "xor": a.__xor__}[operation](b)


def operands(
    k: LoweringContext, form: FormModifiers, op: Op, type: ScalarType
) -> tuple[LlvmValue, LlvmValue, LlvmValue | None]:
    a, b = (k.read(o, type) for o in op.operands[1:3])
    return a, b, k.read(op.operands[3], TYPES["pred"]) if len(op.operands) > 3 else None


@lowers(
    "setp.cmp{.bool}{.ftz}.type", "setp.cmp{.bool}.type", cmp=COMPARISONS, bool=BOOLEANS, type=SCALARS, raw=True
)  # fmt: skip
def setp(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    a, b, c = operands(k, form, op, form.type)
    t = compare(k, form.cmp, form.type, bool(form.get("ftz")), a, b)
    p, q = op.operands[0] if isinstance(op.operands[0], tuple) else (op.operands[0], None)
    k.set(p, combine(form.bool, t, c), TYPES["pred"])
    if q is not None:
        k.set(q, combine(form.bool, ~t, c), TYPES["pred"])


@lowers("setp.cmp{.bool}{.ftz}.type", cmp=COMPARISONS, bool=BOOLEANS, type="f16x2 bf16x2", raw=True)
def setp_packed(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    a, b, c = operands(k, form, op, form.type)
    targets = op.operands[0] if isinstance(op.operands[0], tuple) else (op.operands[0],)
    element = TYPES[form.type.element]
    for i, target in enumerate(targets):
        x, y = ((v >> (16 * i)).trunc("i16") for v in (a, b))
        k.set(target, combine(form.bool, compare(k, form.cmp, element, bool(form.ftz), x, y), c), TYPES["pred"])


def truth(k: LoweringContext, t: LlvmValue, type: ScalarType) -> LlvmValue:
    """What `set` writes for a predicate: 1.0 in a float type, all ones in an integer type."""
    one = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}.get(type.name, -1)
    bits = t.select(k.e.const(f"i{type.bits}", one), 0)
    return bits.bitcast("float") if type.name == "f32" else bits


@lowers(
    "set.cmp{.bool}{.ftz}.dtype.type",
    cmp=COMPARISONS, bool=BOOLEANS, dtype="u32 s32 f32 u16 s16 f16 bf16", type=SCALARS, raw=True,
)  # fmt: skip
def set_(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    a, b, c = operands(k, form, op, form.type)
    t = combine(form.bool, compare(k, form.cmp, form.type, bool(form.ftz), a, b), c)
    k.set(op.operands[0], truth(k, t, form.dtype), form.dtype)


@lowers(
    "set.cmp{.bool}{.ftz}.dtype.type",
    cmp=COMPARISONS, bool=BOOLEANS, dtype="f16x2 bf16x2 u32 s32", type="f16x2 bf16x2", raw=True,
)  # fmt: skip
def set_packed(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    a, b, c = operands(k, form, op, form.type)
    element = TYPES[form.type.element]
    result = element if form.dtype.is_float else TYPES["u16"]
    word = k.e.const("i32", 0)
    for shift in (0, 16):
        x, y = ((v >> shift).trunc("i16") for v in (a, b))
        t = combine(form.bool, compare(k, form.cmp, element, bool(form.ftz), x, y), c)
        word = word | (truth(k, t, result).zext("i32") << shift)
    k.set(op.operands[0], word, TYPES["b32"])


@lowers("selp.type", type="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", reads="type type pred")
def selp(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    return c.select(a, b)


@lowers("slct.type.stype", type="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", stype="s32", reads="type type stype")
def slct(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    return c.sge(0).select(a, b)


@lowers(
    "slct{.ftz}.type.stype", type="b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", stype="f32", reads="type type stype"
)  # fmt: skip
def slct_float(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    c = flush(c) if form.ftz else c
    return c.fcmp("oge", k.e.const("float", 0)).select(a, b)
