"""What the tensor cores of sm_90 make of f16, bf16, tf32, e4m3 and e5m2, bit for bit.

The exact products and the accumulator are aligned to the largest exponent among them, cut off toward zero FRACTION bits below
it, and added exactly; the sum is rounded toward zero to f32, or to nearest even to f16 (Fasi et al., PeerJ CS 7:e330; MMA-Sim,
arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004). The exponent of a product is the sum of its factors' exponents, so a
product of two significands from 2 on counts as one below.

All of it is done in f64, where every step is exact: a product has at most 22 bits, an aligned term is an integer below 2^27,
and scaling is by powers of two. Infinities and NaN need no care of their own there.

sm_90 has no fp8 products in mma: its assembler widens to f16, adds the products of the first two elements of each register,
then of the last two, from zero, and adds C at the end, to nearest. Nor has it the m8n8k4 of f16, for which it makes f32 chains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.formats import widen
from ptxgen.cpu.rt.half import bf16_to_f32, f16_to_f32, f32_to_f16
from ptxgen.cpu.rt.matrix_products import Product
from ptxgen.cpu.rt.matrix_vectors import Vector, constant, held, load, variable

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, Value
    from ptxgen.cpu.rt.matrix_fragments import Fragments

__all__ = ["FRACTION", "widened", "write"]

FRACTION = 25
"""Bits that sm_90 keeps below the largest exponent; Volta keeps 23, Turing, Ampere and Ada 24."""

_LEAST = {"f16": -14, "e5m2": -14, "e4m3": -14, "bf16": -126, "tf32": -126, "f32": -126}
"""The exponent of a format's subnormals, as what tensor cores see it: e4m3 becomes f16 before."""


def widened(e: Emitter, bits: Value, type: str) -> Value:
    """An element as f32, exactly."""
    if type == "f16":
        return e.use(f16_to_f32, bits.trunc("i16"))
    if type == "bf16":
        return e.use(bf16_to_f32, bits.trunc("i16"))
    if type in ("e4m3", "e5m2"):
        return e.use(widen, bits, format=type)
    return (bits & -(1 << 13) if type == "tf32" else bits).bitcast("float")


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    if f.words[0] == "mma" and f.layouts["d"].shape == (32, 8):
        _write_four_products(f)
        return
    p = Product(f, "double")
    e = f.e
    kinds = {operand: f.layouts[operand].type for operand in "abcd"}
    eighth_bits = kinds["a"] in ("e4m3", "e5m2")
    accumulator = "f16" if kinds["c"] == kinds["d"] == "f16" else "f32"
    powers_a, powers_b = (_powers(p, operand) for operand in "ab")
    groups = 2 if eighth_bits or (f.words[0] == "wmma" and kinds["a"] == "tf32") else 1

    def tile(i: Value, j: Value, at: Value) -> Vector:
        c = p.at(p.c, at)
        total = variable(e, constant(e, "double", 0.0) if eighth_bits else c)
        with e.count(0, e.const("i32", groups)) as group:
            before = held(total)
            largest = variable(e, _larger(_power(before, _LEAST[accumulator]), constant(e, "double", 2.0**-400)))
            with e.count(0, e.const("i32", p.depth // groups)) as n:
                a, b = p.pair(i, j, _of_group(group, n, p.depth // groups, eighth_bits))
                _larger(held(largest), p.one(powers_a, a) * p.at(powers_b, b)).put(largest)
            scale = constant(e, "double", 2.0**FRACTION).binary("fdiv", held(largest))
            terms = variable(e, (before * scale).intrinsic("trunc"))
            with e.count(0, e.const("i32", p.depth // groups)) as n:
                a, b = p.pair(i, j, _of_group(group, n, p.depth // groups, eighth_bits))
                (held(terms) + (p.one(p.a, a) * p.at(p.b, b) * scale).intrinsic("trunc")).put(terms)
            exact = held(terms) * (held(largest) * constant(e, "double", 2.0**-FRACTION))
            (_to_f16(exact) if accumulator == "f16" else _to_f32(exact)).put(total)
        return held(total) + c if eighth_bits else held(total)

    p.tiles(tile)
    p.scatter(lambda number: _encoded(number.cast("fptrunc", "float").soiled(), kinds["d"]))


def _of_group(group: Value, n: Value, size: int, eighth_bits: bool) -> Value:
    """Which stored element of a row is number n of its group."""
    return (n >> 1 << 2) + (group << 1) + (n & 1) if eighth_bits else group * size + n


def _encoded(number: Value, type: str) -> Value:
    """The bits of an f32 as an element of D."""
    return number.emitter.use(f32_to_f16, number) if type == "f16" else number.bitcast("i32")


def _powers(p: Product, operand: str) -> Value:
    """The powers of two below the elements of A or B, as a matrix of the same shape."""
    e = p.e
    source = p.a if operand == "a" else p.b
    one = p.f.layouts[operand]
    count = -(-one.shape[0] * one.shape[1] // 8)
    found = p.f.matrix("double", 8 * count)
    with e.count(0, e.const("i32", count)) as n:
        numbers = p.at(source, n << 3)
        _power(numbers, _LEAST[one.type]).store(e.element("double", found, n << 3))
    return found


def _power(x: Vector, least: int) -> Vector:
    """The power of two that a number's exponent stands for, at least 2^least; of zero 0, of infinities and NaN any."""
    e = x.emitter
    power = (x.bitcast("i64") & constant(e, "i64", 0x7FF << 52)).bitcast("double")
    limited = _larger(_smaller(power, constant(e, "double", 2.0**200)), constant(e, "double", 2.0**least))
    return power.compare("oeq", constant(e, "double", 0.0)).select(power, limited)


def _larger(x: Vector, y: Vector) -> Vector:
    return x.compare("ogt", y).select(x, y)


def _smaller(x: Vector, y: Vector) -> Vector:
    return x.compare("olt", y).select(x, y)


def _to_f32(x: Vector) -> Vector:
    """Rounded toward zero to f32's precision; from 2^128 on infinite. Zero has no sign."""
    e = x.emitter
    magnitude = x.intrinsic("fabs")
    cut = (x.bitcast("i64") & constant(e, "i64", -(1 << 29))).bitcast("double")
    tiny = (x * constant(e, "double", 2.0**149)).intrinsic("trunc") * constant(e, "double", 2.0**-149)
    kept = magnitude.compare("olt", constant(e, "double", 2.0**-126)).select(tiny, cut)
    return _or_infinite(x, kept, magnitude.compare("oge", constant(e, "double", 2.0**128)))


def _to_f16(x: Vector) -> Vector:
    """Rounded to nearest even to f16's precision; what rounds beyond 65504 is infinite. Zero has no sign."""
    e = x.emitter
    bits = x.bitcast("i64")
    odd = bits.binary("lshr", constant(e, "i64", 42)) & constant(e, "i64", 1)
    near = ((bits + constant(e, "i64", (1 << 41) - 1) + odd) & constant(e, "i64", -(1 << 42))).bitcast("double")
    magic = constant(e, "double", 1.5 * 2.0**28)  # its last place is that of f16's subnormals
    tiny = (x + magic) - magic
    magnitude = x.intrinsic("fabs")
    kept = magnitude.compare("olt", constant(e, "double", 2.0**-14)).select(tiny, near)
    number = x.compare("ord", x).select(kept, x)
    return _or_infinite(x, number, magnitude.compare("oge", constant(e, "double", 65520.0)))


def _or_infinite(x: Vector, kept: Vector, beyond: Vector) -> Vector:
    e = x.emitter
    infinite = x * constant(e, "double", float("inf"))
    return beyond.select(infinite, kept) + constant(e, "double", 0.0)


def _write_four_products(f: Fragments) -> None:
    """m8n8k4 of f16: for f32 a chain of fused multiply-adds, then C; for f16 two pairs, each added to C in turn.

    Row i belongs to product i / 8, which has columns of B of its own.
    """
    p = Product(f, "float")
    e = f.e
    accumulator = f.layouts["d"].type

    def tile(i: Value, j: Value, at: Value) -> Vector:
        own = i & -8
        pairs = [p.pair(i, own, e.const("i32", k)) for k in range(4)]
        x, y = ([load(e, "float", e.element("float", p.b, b)) for _, b in pairs], [p.one(p.a, a) for a, _ in pairs])
        total = p.at(p.c, at)
        if accumulator == "f16":
            return total + x[1].intrinsic("fma", y[1], x[0] * y[0]) + x[3].intrinsic("fma", y[3], x[2] * y[2])
        chain = constant(e, "float", 0.0)
        for left, right in zip(x, y):
            chain = left.intrinsic("fma", right, chain)
        return total + chain

    p.tiles(tile)
    p.scatter(lambda number: _encoded(number.soiled(), accumulator))
