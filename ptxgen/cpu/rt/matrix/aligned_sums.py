"""The sums of the tensor cores' model (floats.py) in f64, eight at once.

Where factors of scale belong to products, they are multiplied with the elements before. Their exponents count as those of the
products. In the kinds of 4 bits alone, mxf4 and mxf4nvf4, sixteen neighbours along K are added exactly before that: the sum has
the exponent of its factors, and 35 bits are kept below the largest one. That is what MMA-Sim (arXiv 2511.10909) has found on
sm_100 and sm_120; it was not compared with such a device here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.matrix.vectors import WIDTH, LlvmVector, constant, held, load, variable

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue

    Products = Callable[[LlvmValue], tuple[LlvmVector, LlvmVector, LlvmVector]]
    """By the index along K: eight left numbers, eight right ones, and the powers of two of their products."""

__all__ = ["GROUPED", "Sum", "aligned_sum", "power_of", "to_f16", "to_f32"]


class Sum(NamedTuple):
    """`depth` products, of which `group` neighbours are added exactly; `fraction` bits are kept below the largest exponent."""

    depth: int
    group: int = 1
    fraction: int = 25


GROUPED = {"mxf4": (16, 35), "mxf4nvf4": (16, 35)}
"""Kind -> (group, fraction) of those that are not as in `Sum`."""


def aligned_sum(e: Emitter, c: LlvmVector, least: LlvmVector, of: Sum, products: Products) -> LlvmVector:
    """C and the products. `least`: the power of two of the exponent of the subnormals of C's type."""
    depth = e.const("i32", of.depth // of.group)
    if of.group > 1:
        products = _grouped(e, of, products)
    largest = variable(e, larger(power(c, least), constant(e, "double", 2.0**-400)))
    with e.count(0, depth) as k:
        larger(held(largest), products(k)[2]).put(largest)
    scale = constant(e, "double", 2.0**of.fraction).binary("fdiv", held(largest))
    total = variable(e, (c * scale).intrinsic("trunc"))
    with e.count(0, depth) as k:
        x, y, _ = products(k)
        (held(total) + (x * y * scale).intrinsic("trunc")).put(total)
    return held(total) * (held(largest) * constant(e, "double", 2.0**-of.fraction))


def _grouped(e: Emitter, of: Sum, products: Products) -> Products:
    """The exact sums of groups, as products with 1: they are made once. Numbers that are not zero may add up to it."""
    room = f"[{of.depth // of.group * WIDTH} x double]"
    sums, powers, one = e.var(room).pointer, e.var(room).pointer, constant(e, "double", 1.0)
    with e.count(0, e.const("i32", of.depth // of.group)) as n:
        total = variable(e, constant(e, "double", 0.0))
        with e.count(0, e.const("i32", of.group)) as i:
            x, y, _ = products(n * of.group + i)
            (held(total) + x * y).put(total)
        found, exponent = held(total), products(n * of.group)[2]
        found.store(e.element("double", sums, n * WIDTH))
        exponent = found.compare("oeq", 0.0).select(found, exponent)
        exponent.store(e.element("double", powers, n * WIDTH))

    def term(n: LlvmValue) -> tuple[LlvmVector, LlvmVector, LlvmVector]:
        found, exponent = (load(e, "double", e.element("double", place, n * WIDTH)) for place in (sums, powers))
        return found, one, exponent

    return term


def power(x: LlvmVector, least: LlvmVector) -> LlvmVector:
    """The power of two that a number's exponent stands for, at least `least`; of zero 0, of infinities and NaN any."""
    found = (x.bitcast("i64") & 0x7FF << 52).bitcast("double")
    limited = larger(smaller(found, found.alike(2.0**200)), least)
    return found.compare("oeq", 0.0).select(found, limited)


def power_of(number: LlvmValue, least: LlvmValue) -> LlvmValue:
    """The same of one number."""
    e = number.emitter
    found = (number.bitcast("i64") & 0x7FF << 52).bitcast("double")
    top = e.const("double", 1 << 200)
    small = found.fcmp("olt", top).select(found, top)
    limited = small.fcmp("ogt", least).select(small, least)
    return found.fcmp("oeq", e.const("double", 0)).select(found, limited)


def larger(x: LlvmVector, y: LlvmVector) -> LlvmVector:
    return x.compare("ogt", y).select(x, y)


def smaller(x: LlvmVector, y: LlvmVector) -> LlvmVector:
    return x.compare("olt", y).select(x, y)


def to_f32(x: LlvmVector, precision: int) -> LlvmVector:
    """Rounded toward zero to an f32 with some bits of mantissa; from 2^128 on infinite. Zero has no sign."""
    magnitude = x.intrinsic("fabs")
    last = 2.0 ** (-126 - precision)  # the last place of subnormals
    cut = (x.bitcast("i64") & -(1 << (52 - precision))).bitcast("double")
    tiny = (x * (1 / last)).intrinsic("trunc") * last
    kept = magnitude.compare("olt", 2.0**-126).select(tiny, cut)
    return _or_infinite(x, kept, magnitude.compare("oge", 2.0**128))


def to_f16(x: LlvmVector) -> LlvmVector:
    """Rounded to nearest even to f16's precision; what rounds beyond 65504 is infinite. Zero has no sign."""
    bits = x.bitcast("i64")
    odd = bits >> 42 & 1
    near = (bits + ((1 << 41) - 1) + odd & -(1 << 42)).bitcast("double")
    magic = 1.5 * 2.0**28  # its last place is that of f16's subnormals
    tiny = (x + magic) - magic
    magnitude = x.intrinsic("fabs")
    kept = magnitude.compare("olt", 2.0**-14).select(tiny, near)
    number = x.compare("ord", x).select(kept, x)
    return _or_infinite(x, number, magnitude.compare("oge", 65520.0))


def _or_infinite(x: LlvmVector, kept: LlvmVector, beyond: LlvmVector) -> LlvmVector:
    return beyond.select(x * float("inf"), kept) + 0.0
