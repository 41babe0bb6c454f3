"""Approximate functions (manual 9.7.3): reciprocal, roots, powers, logarithms, circular and hyperbolic functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt import transcendental as rt
from ptxgen.cpu.rt.numbers import flush, propagate_nan, sign_bit, tiny_to_zero

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext


def in_double(
    k: LoweringContext, form: FormModifiers, function: Callable[..., LlvmValue], *operands: LlvmValue
) -> LlvmValue:
    """A function of f32, computed in f64 and rounded once."""
    if form.get("ftz"):
        operands = tuple(flush(o) for o in operands)
    whole = function(*(o.cast("fpext", "double") for o in operands))
    result = whole.cast("fptrunc", "float").soiled()
    if not form.get("ftz"):
        return result
    return tiny_to_zero(result, (whole * k.e.double(2.0**32)).cast("fptrunc", "float"))


@lowers("rcp.approx{.ftz}.f32")
def rcp(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x: k.e.double(1.0) / x, a)


@lowers("sqrt.approx{.ftz}.f32")
def sqrt(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x: k.e.intrinsic("llvm.sqrt", x), a)


@lowers("rsqrt.approx{.ftz}.f32")
def rsqrt(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x: k.e.use(rt.reciprocal_sqrt, x), a)


@lowers("sin.approx{.ftz}.f32")
def sin(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x: k.e.use(rt.sine, x), a)


@lowers("cos.approx{.ftz}.f32")
def cos(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x: k.e.use(rt.cosine, x), a)


@lowers("lg2.approx{.ftz}.f32")
def lg2(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x: k.e.use(rt.log2, x), a)


@lowers("ex2.approx{.ftz}.f32")
def ex2(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x: k.e.use(rt.exp2, x), a)


@lowers("tanh.approx.f32")
def tanh(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x: k.e.use(rt.tanh, x), a)


@lowers("div.full{.ftz}.f32")
def div_full(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    return in_double(k, form, lambda x, y: x / y, a, b)


@lowers("div.approx{.ftz}.f32")
def div_approx(k: LoweringContext, form: FormModifiers, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    """a * (1/b); for |b| above 2^126 the reciprocal is 0, so the quotient is a zero, or NaN when a is infinite."""
    quotient = in_double(k, form, lambda x, y: x / y, a, b)
    magnitude = b.bitcast("i32") & 0x7FFFFFFF
    huge = magnitude.ugt(0x7E800000) & magnitude.ult(0x7F800000)
    a = flush(a) if form.ftz else a
    return huge.select(a * sign_bit(b).bitcast("float"), quotient)


# -- gross f64 forms: only the upper word of operand and result counts (manual 9.7.3.14, 9.7.3.18) ------------------------


def high_word_only(k: LoweringContext, function: Callable[[LlvmValue], LlvmValue], a: LlvmValue) -> LlvmValue:
    """Flushes, truncates the operand to its upper 32 bits, and so the result; NaN is 0x7fffffff00000000."""
    mask = 0xFFFFFFFF00000000
    x = flush((a.bitcast("i64") & mask).bitcast("double"))
    result = flush(function(x).known_number())
    nan = k.e.const_float("double", 0x7FFFFFFF00000000)
    return result.is_nan().select(nan, (result.bitcast("i64") & mask).bitcast("double"))


@lowers("rcp.approx.ftz.f64")
def rcp_gross(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return high_word_only(k, lambda x: k.e.double(1.0) / x, a)


@lowers("rsqrt.approx.ftz.f64")
def rsqrt_gross(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return high_word_only(k, lambda x: k.e.use(rt.reciprocal_sqrt, x), a)


@lowers("rsqrt.approx.f64")
def rsqrt_double(k: LoweringContext, form: FormModifiers, a: LlvmValue) -> LlvmValue:
    return propagate_nan(k.e.use(rt.reciprocal_sqrt, a), a)
