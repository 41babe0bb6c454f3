"""ex2, lg2, sin, cos and tanh in f64, accurate to better than 2^-40: the same bits on every processor.

PTX asks for 2 to 11 bits less than f32 has (manual 9.7.3); results are rounded to the target format once. Polynomials are
Taylor series on reduced arguments, so every coefficient can be checked by hand.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["cosine", "exp2", "log2", "reciprocal_sqrt", "sine", "tanh"]


def _polynomial(e: Emitter, x: LlvmValue, coefficients: Sequence[float]) -> LlvmValue:
    """Horner's rule, the constant term first in `coefficients`."""
    result = e.double(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        result = e.intrinsic("llvm.fma", result, x, e.double(c))
    return result.known_number()


def _power_of_two(e: Emitter, n: LlvmValue) -> LlvmValue:
    """2^n for an i64 n in -1022 .. 1023."""
    return ((n + 1023) << 52).bitcast("double")


def exp2(e: Emitter, x: LlvmValue) -> LlvmValue:
    """2^x for any double; overflow gives infinity, underflow below 2^-1000 gives 0."""
    low, high = e.double(-1000.0), e.double(1000.0)
    clamped = x.fcmp("olt", high).select(x.fcmp("ogt", low).select(x, low), high)
    whole = e.intrinsic("llvm.rint", clamped).known_number()
    t = (clamped - whole).known_number() * e.double(math.log(2))
    value = _polynomial(e, t.known_number(), [1 / math.factorial(i) for i in range(12)])
    scaled = value * _power_of_two(e, whole.cast("fptosi", "i64"))
    scaled = x.fcmp("oge", high).select(e.double(math.inf), scaled)
    scaled = x.fcmp("ole", low).select(e.double(0.0), scaled)
    return x.is_nan().select(x, scaled)


def log2(e: Emitter, x: LlvmValue) -> LlvmValue:
    """log2 of a double that is 0, infinite, NaN or a normal number; NaN for negative ones, -infinity for both zeros."""
    bits = x.bitcast("i64")
    # Exponent and mantissa such that the mantissa lies in [sqrt(1/2), sqrt(2)).
    shifted = bits - 0x3FE6A09E667F3BCD
    n = shifted.sra(52)
    m = (bits - (n << 52)).bitcast("double")
    one = e.double(1.0)
    t = ((m - one) / (m + one)).known_number()
    series = _polynomial(e, (t * t).known_number(), [2 / (2 * i + 1) / math.log(2) for i in range(12)])
    value = (n.cast("sitofp", "double") + t * series).known_number()
    zero = e.double(0.0)
    value = x.fcmp("oeq", e.double(math.inf)).select(x, value)
    value = x.fcmp("oeq", zero).select(e.double(-math.inf), value)
    nan = e.const_float("double", 0x7FFFFFFFFFFFFFFF)
    return x.fcmp("uge", zero).select(x.is_nan().select(nan, value), nan)


def _reduce(e: Emitter, x: LlvmValue) -> tuple[LlvmValue, LlvmValue]:
    """(r, quadrant) with x = r + quadrant * pi/2, |r| at most pi/4; exact enough up to 2^30, bounded beyond."""
    n = e.intrinsic("llvm.rint", x * e.double(2 / math.pi)).known_number()
    high, low = 1.5707963267948966, 6.123233995736766e-17
    r = e.intrinsic("llvm.fma", n, e.double(-high), x)
    r = e.intrinsic("llvm.fma", n, e.double(-low), r).known_number()
    limit = e.double(0.79)
    r = r.fcmp("olt", limit).select(r.fcmp("ogt", -limit).select(r, -limit), limit)
    huge = e.double(2.0**62)
    inside = n.fcmp("olt", huge) & n.fcmp("ogt", -huge)
    quadrant = inside.select(n, e.double(0.0)).cast("fptosi", "i64")
    return r, quadrant


def _circular(e: Emitter, x: LlvmValue, turn: int) -> LlvmValue:
    r, quadrant = _reduce(e, x)
    quadrant = quadrant + turn
    square = (r * r).known_number()
    sine = r * _polynomial(e, square, [(-1) ** i / math.factorial(2 * i + 1) for i in range(9)])
    cosine = _polynomial(e, square, [(-1) ** i / math.factorial(2 * i) for i in range(10)])
    value = (quadrant & 1).ne(0).select(cosine, sine.known_number())
    value = (quadrant & 2).ne(0).select(-value, value)
    magnitude = (x.bitcast("i64") & 0x7FFFFFFFFFFFFFFF).bitcast("double")
    nan = e.const_float("double", 0x7FFFFFFFFFFFFFFF)
    return magnitude.fcmp("olt", e.double(math.inf)).select(value, nan)


def sine(e: Emitter, x: LlvmValue) -> LlvmValue:
    """sin(x); -0 stays -0, infinities give NaN."""
    value = _circular(e, x, 0)
    return x.fcmp("oeq", e.double(0.0)).select(x, value)


def cosine(e: Emitter, x: LlvmValue) -> LlvmValue:
    """cos(x); infinities give NaN."""
    return _circular(e, x, 1)


def tanh(e: Emitter, x: LlvmValue) -> LlvmValue:
    """tanh(x) = 1 - 2 / (e^2x + 1), by its series near 0 where that would cancel."""
    square = (x * x).known_number()
    series = x * _polynomial(e, square, [1.0, -1 / 3, 2 / 15, -17 / 315, 62 / 2835, -1382 / 155925, 21844 / 6081075])
    one, two = e.double(1.0), e.double(2.0)
    power = exp2(e, x * e.double(2 / math.log(2)))
    far = one - two / (power + one)
    magnitude = (x.bitcast("i64") & 0x7FFFFFFFFFFFFFFF).bitcast("double")
    value = magnitude.fcmp("olt", e.double(0.15)).select(series, far)
    return x.is_nan().select(x, value)


def reciprocal_sqrt(e: Emitter, x: LlvmValue) -> LlvmValue:
    """1 / sqrt(x) with the signs of PTX: -infinity for -0, NaN for negative numbers."""
    return e.double(1.0) / e.intrinsic("llvm.sqrt", x)
