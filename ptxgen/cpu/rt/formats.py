"""Small floating-point formats: narrowing from f32 and f64 with every rounding, widening to f32; all in integers.

Also integers to floats and floats to integers with PTX's rules for range and NaN (manual 9.7.9.21, cvt).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.rounding import rounded

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["FORMATS", "Format", "float_to_integer", "narrow", "widen", "widen_scale"]


class Format(NamedTuple):
    """A sign, `exponent` bits, `mantissa` bits. `largest`, `infinity` and `nan` are patterns; infinity None: there is none."""

    exponent: int
    mantissa: int
    bias: int
    largest: int
    infinity: int | None
    nan: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.mantissa


FORMATS = {
    "f32": Format(8, 23, 127, 0x7F7FFFFF, 0x7F800000, 0x7FFFFFFF),
    "f16": Format(5, 10, 15, 0x7BFF, 0x7C00, 0x7FFF),
    "bf16": Format(8, 7, 127, 0x7F7F, 0x7F80, 0x7FFF),
    "tf32": Format(8, 10, 127, 0x3FBFF, 0x3FC00, 0x3FFFF),  # 19 bits; in registers they are the top of 32
    "e4m3": Format(4, 3, 7, 0x7E, None, 0x7F),
    "e5m2": Format(5, 2, 15, 0x7B, 0x7C, 0x7F),
    "e2m3": Format(2, 3, 1, 0x1F, None, 0x1F),  # without NaN: it becomes the largest number
    "e3m2": Format(3, 2, 3, 0x1F, None, 0x1F),
    "e2m1": Format(2, 1, 1, 0x7, None, 0x7),
}
"""Manual 5.2.3; the bit patterns of NaN are what the hardware writes."""

_SOURCES = {"float": Format(8, 23, 127, 0, 0, 0), "double": Format(11, 52, 1023, 0, 0, 0)}


def narrow(
    e: Emitter,
    x: LlvmValue,
    *rbits: LlvmValue,
    format: str,
    rounding: str = "rn",
    satfinite: bool = False,
    relu: bool = False,
    random: int = 0,
) -> LlvmValue:
    """A helper: f32 or f64 -> the pattern of a smaller format, as i32.

    rounding: rn rz rm rp, rna (ties away from zero), rs (stochastic: `rbits`, of `random` bits, are added below the last place).
    satfinite: what is too large becomes the largest number, not infinity. relu: negative numbers become +0.
    """
    source, target = _SOURCES[x.type], FORMATS[format]
    raw = x.bitcast(f"i{x.bits}")
    negative = raw.slt(0)
    wide = "i64" if random else raw.type  # room for the random bits below what is cut off
    bits = raw.zext(wide)
    magnitude = bits & ((1 << (x.bits - 1)) - 1)
    biased = magnitude >> source.mantissa
    subnormal = biased.eq(0)
    fraction = magnitude & ((1 << source.mantissa) - 1)
    significand = subnormal.select(fraction, fraction | (1 << source.mantissa))
    exponent = subnormal.select(e.const(wide, 1), biased)
    # How far the exponent lies above that of the format's subnormals; below, the significand is shifted further.
    above = exponent - (source.bias + 1 - target.bias)
    deep = above.slt(0)
    dropped = source.mantissa - target.mantissa
    extra = e.intrinsic("llvm.umin", deep.select(-above, 0), e.const(wide, source.mantissa + 2 + random - dropped))
    shift = extra + dropped
    quotient = significand >> shift
    rest = significand & ((e.const(wide, 1) << shift) - 1)
    added = tuple(bits.zext(wide) << (shift - random) for bits in rbits)
    up = _round_up(e, rounding, quotient, rest, shift, negative, added)
    pattern = (deep.select(e.const(wide, 0), above) << target.mantissa) + quotient + up.zext(wide)
    too_large = pattern.ugt(target.largest)
    pattern = too_large.select(_overflow(e, wide, target, rounding, satfinite, negative), pattern)
    infinite = magnitude.eq(((1 << source.exponent) - 1) << source.mantissa)
    if not satfinite and target.infinity is not None:
        pattern = infinite.select(e.const(wide, target.infinity), pattern)
    signed = pattern | negative.select(e.const(wide, 1 << (target.bits - 1)), 0)
    if relu:
        signed = negative.select(e.const(wide, 0), signed)
    is_nan = magnitude.ugt(((1 << source.exponent) - 1) << source.mantissa)
    nan = e.const(wide, target.nan)
    if x.type == "double" and target.infinity is not None:  # f64 keeps a NaN's sign and the top of its payload
        payload = (magnitude >> dropped) & ((1 << target.mantissa) - 1)
        sign = (bits >> (x.bits - target.bits)) & (1 << (target.bits - 1))
        nan = sign | target.infinity | (1 << (target.mantissa - 1)) | payload
    return is_nan.select(nan, signed).trunc("i32")


def _round_up(
    e: Emitter,
    rounding: str,
    quotient: LlvmValue,
    rest: LlvmValue,
    shift: LlvmValue,
    negative: LlvmValue,
    added: tuple[LlvmValue, ...],
) -> LlvmValue:
    """Is one added to the last place of the quotient?"""
    half = e.const(quotient.type, 1) << (shift - 1)
    if rounding == "rn":
        return rest.ugt(half) | (rest.eq(half) & (quotient & 1).ne(0))
    if rounding == "rna":
        return rest.uge(half)
    if rounding == "rs":
        return (rest + added[0]).uge(e.const(rest.type, 1) << shift)
    inexact = rest.ne(0)
    if rounding == "rm":
        return inexact & negative
    if rounding == "rp":
        return inexact & ~negative
    return e.const("i1", 0)


def _overflow(e: Emitter, wide: str, target: Format, rounding: str, satfinite: bool, negative: LlvmValue) -> LlvmValue:
    """The magnitude that stands for a number beyond the largest one."""
    largest = e.const(wide, target.largest)
    if satfinite or target.infinity is None or rounding == "rz":
        return largest
    infinity = e.const(wide, target.infinity)
    if rounding == "rm":
        return negative.select(infinity, largest)
    if rounding == "rp":
        return negative.select(largest, infinity)
    return infinity


def widen(e: Emitter, pattern: LlvmValue, *, format: str) -> LlvmValue:
    """A helper: a small format's pattern in the low bits of an i32 -> f32, exactly."""
    f = FORMATS[format]
    magnitude = pattern & ((1 << (f.bits - 1)) - 1)
    scale = (127 + 127 - f.bias) << 23  # moves the exponent from the format's bias to f32's, subnormals included
    scaled = ((magnitude << (23 - f.mantissa)).bitcast("float") * e.const_float("float", scale)).known_number()
    value = scaled.bitcast("i32")
    if format in ("e4m3", "e5m2"):
        top = f.infinity if f.infinity is not None else f.nan
        special = (
            magnitude.eq(top).select(e.const("i32", 0x7F800000), 0x7FFFFFFF)
            if f.infinity is not None
            else e.const("i32", 0x7FFFFFFF)
        )
        value = magnitude.uge(top).select(special, value)
        sign = (pattern >> (f.bits - 1) << 31) & magnitude.ule(top if f.infinity is not None else top - 1).sext("i32")
        return (value | sign).bitcast("float")
    return (value | (pattern >> (f.bits - 1) << 31)).bitcast("float")


def widen_scale(e: Emitter, pattern: LlvmValue) -> LlvmValue:
    """A helper: ue8m0, a power of two without sign, in the low byte of an i32 -> f32."""
    value = pattern.eq(0).select(e.const("i32", 0x00400000), pattern << 23)
    return pattern.eq(255).select(e.const("i32", 0x7FFFFFFF), value).bitcast("float")


def narrow_scale(e: Emitter, x: LlvmValue, *, rounding: str, satfinite: bool = False) -> LlvmValue:
    """A helper: f32 -> ue8m0, as i32. Signs are dropped; zero becomes the least scale; rz or rp."""
    bits = x.bitcast("i32")
    magnitude = bits & 0x7FFFFFFF
    exponent = magnitude >> 23
    fraction = magnitude & 0x7FFFFF
    if rounding == "rp":
        # 2^-127 lies in the middle of f32's subnormals: fraction 0x400000 with exponent 0.
        up = exponent.eq(0).select(fraction.ugt(0x400000), fraction.ne(0))
        exponent = exponent + up.zext("i32")
    largest = e.const("i32", 254)
    capped = exponent.ugt(254).select(largest if satfinite else e.const("i32", 255), exponent)
    return magnitude.ugt(0x7F800000).select(e.const("i32", 255), capped)


# -- integers ---------------------------------------------------------------------------------------------------------


def integer_to_float(e: Emitter, x: LlvmValue, *, signed: bool, rounding: str, type: str) -> LlvmValue:
    """A helper: an integer of any width -> f32 or f64."""
    if rounding == "rn":
        return x.cast("sitofp" if signed else "uitofp", type)
    return rounded(e, x, operation="sitofp" if signed else "uitofp", rounding=rounding, type=type)


def integer_to_odd_double(e: Emitter, x: LlvmValue, *, signed: bool) -> LlvmValue:
    """A helper: an i64 as a double that rounds like the integer in every narrower format: its last bit is sticky."""
    low = (x & 0x7FF).ne(0).zext("i64")
    short = (x.sra(11) if signed else x >> 11) | low
    magnitude = e.intrinsic("llvm.abs", x, False) if signed else x
    small = magnitude.ult(1 << 53)
    kind = "sitofp" if signed else "uitofp"
    scaled = short.cast(kind, "double") * e.double(2048.0)
    return small.select(x.cast(kind, "double"), scaled).known_number()


def float_to_integer(e: Emitter, x: LlvmValue, *, rounding: str, signed: bool, bits: int) -> LlvmValue:
    """A helper: f32 or f64 -> an integer of `bits` bits, rounded and clamped to its range, as i64.

    NaN gives 0 from f32 to at most 32 bits, else the pattern with only the top bit set.
    """
    names = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
    whole = e.intrinsic(f"llvm.{names[rounding]}", x).known_number()
    y = whole.cast("fpext", "double") if x.type == "float" else whole
    y.dirty = False
    lowest, highest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    below = y.fcmp("ole", e.double(float(lowest)))
    above = y.fcmp("oge", e.double(float(highest)))  # 2^64 - 1 rounds to 2^64, and no double lies between
    inside = ~(below | above | x.is_nan())
    safe = inside.select(y, e.double(0.0)).cast("fptosi" if signed else "fptoui", "i64")
    nan = 0 if x.type == "float" and bits <= 32 else 1 << (bits - 1)
    result = below.select(e.const("i64", lowest), above.select(e.const("i64", highest), safe))
    return x.is_nan().select(e.const("i64", nan), result)
