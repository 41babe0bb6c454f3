"""f16 and bf16 as bits: to f32 exactly, from f32 rounded to nearest even.

LLVM's own conversions are not used: without hardware support they call library functions that are not there, and on some
processors they flush subnormals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["bf16_to_f32", "f16_to_f32", "f32_to_bf16", "f32_to_f16", "quiet_half"]


def quiet_half(h: LlvmValue, format: str) -> LlvmValue:
    """The pattern, with the NaN that a GPU gives for any."""
    infinity = 0x7C00 if format == "f16" else 0x7F80
    return (h & 0x7FFF).ugt(infinity).select(h.emitter.const("i16", 0x7FFF), h)


def f16_to_f32(e: Emitter, h: LlvmValue) -> LlvmValue:
    """Exact; a NaN keeps the top of its payload."""
    bits = h.zext("i32")
    magnitude = (bits & 0x7FFF) << 13
    scaled = (magnitude.bitcast("float") * e.const_float("float", 0x77800000)).known_number().bitcast("i32")  # x 2^112
    special = magnitude.uge(0x7C00 << 13)
    value = special.select(magnitude | 0x7F800000, scaled)
    return (value | ((bits & 0x8000) << 16)).bitcast("float")


def f32_to_f16(e: Emitter, x: LlvmValue) -> LlvmValue:
    """Round to nearest even; NaN becomes 0x7fff."""
    bits = x.bitcast("i32")
    magnitude = bits & 0x7FFFFFFF
    # Normal results: round at bit 13, the carry may run into the exponent, and take the excess of the exponent's bias off.
    rounded = (magnitude + 0xFFF + ((magnitude >> 13) & 1)) >> 13
    normal = e.intrinsic("llvm.umin", rounded - (112 << 10), e.const("i32", 0x7C00))
    # Subnormal results: adding 0.5, whose last place is 2^-24, leaves the result in the last bits, rounded by the adder.
    half = e.const_float("float", 0x3F000000)
    small = (magnitude.bitcast("float") + half).known_number().bitcast("i32") - 0x3F000000
    value = magnitude.ult(0x38800000).select(small, normal)
    signed = value | ((bits >> 16) & 0x8000)
    return magnitude.ugt(0x7F800000).select(e.const("i32", 0x7FFF), signed).trunc("i16")


def bf16_to_f32(e: Emitter, h: LlvmValue) -> LlvmValue:
    """Exact."""
    return (h.zext("i32") << 16).bitcast("float")


def f32_to_bf16(e: Emitter, x: LlvmValue) -> LlvmValue:
    """Round to nearest even; NaN becomes 0x7fff."""
    bits = x.bitcast("i32")
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return (bits & 0x7FFFFFFF).ugt(0x7F800000).select(e.const("i32", 0x7FFF), rounded).trunc("i16")


def fused_multiply_add(e: Emitter, a: LlvmValue, b: LlvmValue, c: LlvmValue, *, format: str) -> LlvmValue:
    """a * b + c of f32 values that are exact f16 or bf16 numbers, as an f32 rounded to odd.

    Rounding that to f16 or bf16 gives the correctly rounded result, which a single f32 fma would not (double rounding).
    """
    if format == "f16":  # 22 bits of product, exponents from -48 to 31: f32 holds it
        return _odd_sum(e, a * b, c)
    x, y, z = (v.cast("fpext", "double") for v in (a, b, c))
    return e.use(double_to_odd_float, _odd_sum(e, x * y, z)).soiled()


def _odd_sum(e: Emitter, x: LlvmValue, y: LlvmValue) -> LlvmValue:
    """x + y in their own format, rounded to odd: an inexact sum with an even last bit becomes its neighbour towards the truth."""
    total = x + y
    virtual = total - x
    error = (x - (total - virtual)) + (y - virtual)  # Knuth; exact, since nothing overflows
    kind = f"i{total.bits}"
    bits, error_bits = total.known_number().cast("bitcast", kind), error.known_number().cast("bitcast", kind)
    towards = (bits ^ error_bits).sge(0).select(e.const(kind, 1), -1)
    inexact = error.fcmp("one", e.const(error.type, 0)) & (bits & 1).eq(0)
    return inexact.select(bits + towards, bits).cast("bitcast", total.type).soiled()


def double_to_odd_float(e: Emitter, x: LlvmValue) -> LlvmValue:
    """f64 -> f32, truncated, with the last bit set when anything was cut off."""
    near = x.cast("fptrunc", "float").known_number()
    back = near.cast("fpext", "double").known_number()
    bits = near.bitcast("i32")
    beyond = _magnitude(back).ugt(_magnitude(x))  # rounded away from zero, perhaps to infinity
    truncated = beyond.select(bits - 1, bits)
    inexact = _magnitude(back).ne(_magnitude(x)) & x.fcmp("ord", x)
    return inexact.select(truncated | 1, bits).bitcast("float")


def _magnitude(x: LlvmValue) -> LlvmValue:
    return x.bitcast("i64") & 0x7FFFFFFFFFFFFFFF
