"""Small facts about floating-point values: flushing, signs, classes (manual 9.7.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue

__all__ = ["absolute", "flush", "integer", "propagate_nan", "saturate", "sign_bit", "tiny_to_zero"]


def integer(x: LlvmValue) -> LlvmValue:
    """The bits of a float."""
    return x.bitcast(f"i{x.bits}")


def sign_bit(x: LlvmValue) -> LlvmValue:
    """The bits of a float with all but the sign cleared."""
    return integer(x) & (1 << (x.bits - 1))


def absolute(x: LlvmValue) -> LlvmValue:
    """The float without its sign."""
    return (integer(x) & ((1 << (x.bits - 1)) - 1)).bitcast(x.type)


def flush(x: LlvmValue) -> LlvmValue:
    """`.ftz`: a subnormal becomes a zero of its sign."""
    exponent = 0x7F800000 if x.bits == 32 else 0x7FF << 52
    bits = integer(x)
    return (bits & exponent).eq(0).select(bits & (1 << (x.bits - 1)), bits).bitcast(x.type)


def tiny_to_zero(result: LlvmValue, scaled: LlvmValue) -> LlvmValue:
    """`.ftz` of an f32 result, given the same result computed 2^32 times larger.

    Tininess is seen after rounding as if exponents had no bound (measured, H200): what rounds up to 2^-126 only because
    subnormals have fewer bits is flushed too.
    """
    tiny = absolute(scaled).fcmp("olt", result.emitter.const_float("float", (1 + 32) << 23))
    return tiny.select(sign_bit(result).bitcast("float"), result)


def saturate(x: LlvmValue) -> LlvmValue:
    """`.sat`: clamped to [0, 1]; NaN becomes +0."""
    e = x.emitter
    zero, one = e.const(x.type, 0), e.const(x.type, 1)
    above = x.fcmp("ogt", zero).select(x, zero)
    return above.fcmp("ogt", one).select(one, above)


def propagate_nan(result: LlvmValue, *operands: LlvmValue) -> LlvmValue:
    """The f64 result of an operation, with the NaN that a GPU gives: the first operand that is one, made quiet, payload kept.

    The order of the operands is that of precedence. An invalid operation on numbers gives 0xfff8000000000000 (measured, H200).
    """
    e = result.emitter
    nan = e.const_float("double", 0xFFF8000000000000)
    for operand in reversed(operands):
        quiet = (integer(operand) | 0x0008000000000000).bitcast("double")
        nan = operand.is_nan().select(quiet, nan)
    return result.is_nan().select(nan, result)
