"""Floating-point arithmetic in f32 and f64 (manual 9.7.3); what is only approximate is in transcendental.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.numbers import absolute, flush, integer, propagate_nan, saturate, sign_bit, tiny_to_zero
from ptxgen.cpu.rt.rounding import rounded

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

ROUNDS = "rn rz rm rp"
_OPERATIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "fma": "fma", "mad": "fma", "sqrt": "sqrt"}


_PRECEDENCE = {"fadd": (1, 0), "fsub": (1, 0), "fmul": (1, 0), "fdiv": (0, 1), "fma": (1, 2, 0), "sqrt": (0,)}
"""Whose NaN is the result of an f64 operation, when several operands are NaN (measured, H200)."""


def arithmetic(k: LoweringContext, form: FormModifiers, *operands: LlvmValue) -> LlvmValue:
    """An IEEE operation with the form's rounding, flushing and saturation."""
    operation = _OPERATIONS[form.op.partition(".")[0]]
    if form.get("ftz"):
        operands = tuple(flush(o) for o in operands)
    rounding = form.get("rnd") or "rn"
    result = _rounded(k, operation, rounding, operands)
    if result.type == "double":
        return propagate_nan(result, *(operands[i] for i in _PRECEDENCE[operation]))
    if form.get("ftz"):
        result = _flush_tiny(k, operation, rounding, operands, result)
    return saturate(result) if form.get("sat") else result


def _rounded(k: LoweringContext, operation: str, rounding: str, operands: tuple[LlvmValue, ...]) -> LlvmValue:
    if rounding != "rn":
        return k.e.use(rounded, *operands, operation=operation, rounding=rounding).soiled()
    if operation in ("fma", "sqrt"):
        return k.e.intrinsic(f"llvm.{operation}", *operands)
    return operands[0].binary(operation, operands[1])


def _flush_tiny(
    k: LoweringContext, operation: str, rounding: str, operands: tuple[LlvmValue, ...], result: LlvmValue
) -> LlvmValue:
    """`.ftz` of a result; sums that small are exact."""
    if operation not in ("fmul", "fma", "fdiv"):
        return flush(result)
    scale = k.e.const_float("float", (127 + 32) << 23)
    scaled = tuple(o * scale if i in (0, 2) else o for i, o in enumerate(operands))
    return tiny_to_zero(result, _rounded(k, operation, rounding, scaled))


@lowers("add{.rnd}{.ftz}{.sat}.f32", "sub{.rnd}{.ftz}{.sat}.f32", "mul{.rnd}{.ftz}{.sat}.f32", rnd=ROUNDS)
@lowers("add{.rnd}.f64", "sub{.rnd}.f64", "mul{.rnd}.f64", rnd=ROUNDS)
@lowers("div.rnd{.ftz}.f32", "div.rnd.f64", rnd=ROUNDS)
def two_operands(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return arithmetic(k, form, a, b)


@lowers("mad{.ftz}{.sat}.f32")  # .rn, as for every device that is left (manual 9.7.3.7)
@lowers("fma.rnd{.ftz}{.sat}.f32", "mad.rnd{.ftz}{.sat}.f32", "fma.rnd.f64", "mad.rnd.f64", rnd=ROUNDS)
def fma(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, c: LlvmValue) -> LlvmValue:
    return arithmetic(k, form, a, b, c)


@lowers("sqrt.rnd{.ftz}.f32", "sqrt.rnd.f64", rnd=ROUNDS)
def sqrt(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return arithmetic(k, form, a)


@lowers("rcp.rnd{.ftz}.f32", "rcp.rnd.f64", rnd=ROUNDS)
def rcp(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    a = flush(a) if form.get("ftz") else a
    one = k.e.const(a.type, 1)
    if form.rnd == "rn":
        result = one / a
    else:
        result = k.e.use(rounded, one, a, operation="fdiv", rounding=form.rnd).soiled()
    if result.type == "double":
        return propagate_nan(result, a)
    return flush(result) if form.get("ftz") else result


@lowers(
    "add{.rnd}{.ftz}.f32x2", "sub{.rnd}{.ftz}.f32x2", "mul{.rnd}{.ftz}.f32x2", "fma.rnd{.ftz}.f32x2",
    rnd=ROUNDS, reads="b64", writes="b64",
)  # fmt: skip
def packed(k: LoweringContext, form: FormModifiers, *operands: LlvmValue) -> LlvmValue:
    word = k.e.const("i64", 0)
    for shift in (0, 32):
        parts = [(o >> shift).trunc("i32").bitcast("float") for o in operands]
        word = word | (arithmetic(k, form, *parts).bitcast("i32").zext("i64") << shift)
    return word


# -- signs ------------------------------------------------------------------------------------------------------------


@lowers("abs{.ftz}.f32", "abs.f64")
def abs_(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    result = absolute(flush(a) if form.get("ftz") else a).soiled()
    return propagate_nan(result, a) if a.type == "double" else result


@lowers("neg{.ftz}.f32", "neg.f64")
def neg(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    a = flush(a) if form.get("ftz") else a
    result = (integer(a) ^ (1 << (a.bits - 1))).bitcast(a.type).soiled()
    return propagate_nan(result, a) if a.type == "double" else result


@lowers("copysign.type", type="f32 f64")
def copysign(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """The sign of a, the magnitude of b."""
    return (sign_bit(a) | integer(absolute(b))).bitcast(a.type)


@lowers("testp.test.type", test="finite infinite number notanumber normal subnormal", type="f32 f64", writes="pred")
def testp(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    infinity = 0x7F800000 if a.bits == 32 else 0x7FF << 52
    smallest = 1 << (23 if a.bits == 32 else 52)
    magnitude = integer(absolute(a))
    subnormal = (magnitude - 1).ult(smallest - 1)
    tests = {
        "finite": lambda: magnitude.ult(infinity),
        "infinite": lambda: magnitude.eq(infinity),
        "number": lambda: magnitude.ule(infinity),
        "notanumber": lambda: magnitude.ugt(infinity),
        "subnormal": lambda: subnormal,
        "normal": lambda: magnitude.ult(infinity) & ~subnormal,
    }
    return tests[form.test]()


# -- extremes ---------------------------------------------------------------------------------------------------------


def extreme(opcode: str, propagate: bool, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """min or max: a NaN loses against a number, or wins with `.NaN`; -0 is less than +0."""
    x, y = integer(a), integer(b)
    less = a.fcmp("olt", b) if opcode == "min" else a.fcmp("ogt", b)
    zeros = (
        (x | y) if opcode == "min" else (x & y)
    )  # of two equal numbers: the bits differ only for zeros of both signs
    tie = a.fcmp("oeq", b)
    result = tie.select(zeros.bitcast(a.type), less.select(a, b))
    result = b.is_nan().select(a, result)
    if propagate:
        result = a.is_nan().select(a, b.is_nan().select(b, result))
    if result.type == "double":
        return propagate_nan(result, b, a)
    return result.soiled()


@lowers("min{.ftz}{.NaN}{.xorsign}{.abs}.f32", "max{.ftz}{.NaN}{.xorsign}{.abs}.f32", "min.f64", "max.f64")
def min_max(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue, *more: LlvmValue) -> LlvmValue:
    operands = [a, b, *more]
    if form.get("ftz"):
        operands = [flush(o) for o in operands]
    sign = sign_bit(operands[0]) ^ sign_bit(operands[1]) if form.get("xorsign") else None
    if form.get("abs"):
        operands = [absolute(o) for o in operands]
    result = operands[0]
    for other in operands[1:]:
        result = extreme(form.op[:3], bool(form.get("NaN")), result, other)
    if sign is not None:
        signed = ((integer(result) & ~(1 << (result.bits - 1))) | sign).bitcast(result.type)
        result = result.is_nan().select(result, signed)
    return result.soiled()
