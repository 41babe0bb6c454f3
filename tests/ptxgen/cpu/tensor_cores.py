"""What the tensor cores of sm_90 compute, in numpy integers: what both devices' floating-point mma is compared with.

The model (MMA-Sim, arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004): the exact products and the accumulator are
aligned to the largest exponent among them, cut off toward zero `FRACTION` bits below it, and added exactly; the sum is
rounded toward zero to f32, or to nearest even to f16. The exponent of a product is the sum of its factors' exponents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

FRACTION = 25
"""Bits that sm_90 keeps below the largest exponent."""


class Format(NamedTuple):
    exponent: int
    mantissa: int

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def nan(self) -> int:
        """The NaN that a result is."""
        return (1 << (self.exponent + self.mantissa)) - 1


FORMATS = {
    "f16": Format(5, 10),
    "bf16": Format(8, 7),
    "tf32": Format(8, 10),
    "f32": Format(8, 23),
    "e5m2": Format(5, 2),
}


class Numbers(NamedTuple):
    """value = significand * 2^(exponent - fraction); `special` holds what is infinite or NaN, and 0 for what is finite."""

    significand: Array
    exponent: Array
    fraction: int
    special: Array


def e4m3_as_f16(bits: Array) -> Array:
    """The f16 that an e4m3 is: the products of fp8 are those of f16 on sm_90."""
    exponent, mantissa = bits >> 3 & 15, bits & 7
    value = np.where(exponent == 0, mantissa * 2.0**-9, (8 + mantissa) * 2.0 ** (exponent - 10.0)).astype(np.float16)
    magnitude = np.where(bits & 0x7F == 0x7F, 0x7FFF, value.view(np.uint16).astype(np.int64))
    return magnitude | (bits & 0x80) << 8


def decode(bits: Array, type: str, *, fp8: bool = False) -> Numbers:
    """`fp8`: e4m3 is a format of its own, not one that becomes f16 before."""
    bits = np.asarray(bits).astype(np.int64)
    if type == "e4m3" and fp8:
        biased, mantissa = bits >> 3 & 15, bits & 7
        significand = np.where(bits & 0x80, -1, 1) * np.where(biased == 0, mantissa, mantissa | 8)
        return Numbers(significand, np.maximum(biased, 1) - 7, 3, np.where(bits & 0x7F == 0x7F, np.nan, 0.0))
    if type == "e4m3":
        bits, type = e4m3_as_f16(bits), "f16"
    elif type == "e5m2":
        bits, type = bits << 8, "f16"
    elif type == "tf32":
        bits = bits >> 13  # the lowest bits of the register are not looked at
    form = FORMATS[type]
    mantissa, biased = bits & ((1 << form.mantissa) - 1), bits >> form.mantissa & ((1 << form.exponent) - 1)
    sign = np.where(bits >> (form.mantissa + form.exponent) & 1, -1, 1)
    top = biased == (1 << form.exponent) - 1
    special = np.where(top, np.where(mantissa == 0, sign * np.inf, np.nan), 0.0)
    significand = sign * np.where(biased == 0, mantissa, mantissa | 1 << form.mantissa)
    return Numbers(significand, np.maximum(biased, 1) - form.bias, form.mantissa, special)


def encode(whole: Array, exponent: Array, type: str, rounding: str, precision: int = 0) -> Array:
    """The bits of whole * 2^exponent, rounded "rz" or "rn"; what is too large becomes infinity, and zero has no sign.

    `precision`: bits of mantissa that are kept, if not all.
    """
    form = FORMATS[type]
    unused = form.mantissa - precision if precision else 0
    magnitude = np.abs(whole)
    length = np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)
    leading = np.maximum(length - 1 + exponent, 1 - form.bias)
    drop = leading - form.mantissa + unused - exponent
    cut = np.clip(drop, 0, 62)
    kept = (magnitude >> cut) << np.clip(-drop, 0, 62)
    if rounding == "rn":
        rest, half = magnitude & ((np.int64(1) << cut) - 1), np.int64(1) << np.maximum(cut - 1, 0)
        kept = kept + ((cut > 0) & ((rest > half) | ((rest == half) & (kept & 1 == 1))))
    bits = ((leading + form.bias - 1) << form.mantissa) + (kept << unused)  # the hidden bit adds one to the exponent
    infinity = ((1 << form.exponent) - 1) << form.mantissa
    bits = np.where(kept == 0, 0, np.minimum(bits, infinity))
    return bits | np.where((whole < 0) & (bits != 0), 1 << (form.exponent + form.mantissa), 0)


def fused(
    a: Numbers,
    b: Numbers,
    c: Numbers,
    type: str,
    *,
    fraction: int = FRACTION,
    rounding: str = "",
    precision: int = 0,
    zero: str = "dropped",
) -> Array:
    """The bits of c + the sum over the last axis of a * b. `zero`: what a product or addend of zero does to the largest exponent.

    "dropped": nothing; "counted": it has the exponent of its factors' subnormals.
    """
    product = a.significand * b.significand
    exponent = a.exponent + b.exponent
    addend, addend_exponent = c.significand, c.exponent
    if zero == "dropped":
        exponent = np.where(product == 0, -10_000, exponent)
        addend_exponent = np.where(addend == 0, -10_000, addend_exponent)
    largest = np.maximum(exponent.max(-1), addend_exponent)

    def aligned(number: Array, bits: int, below: Array) -> Array:
        shift = fraction - bits
        raised = np.abs(number) << max(shift, 0)
        return np.sign(number) * (raised >> np.clip(below + max(-shift, 0), 0, 62))

    terms = aligned(product, a.fraction + b.fraction, largest[..., None] - exponent)
    total = terms.sum(-1) + aligned(addend, c.fraction, largest - addend_exponent)
    bits = encode(total, largest - fraction, type, rounding or ("rn" if type == "f16" else "rz"), precision)
    with np.errstate(invalid="ignore"):
        value = [np.where(n.special != 0, n.special, np.sign(n.significand)) for n in (a, b)]
        special = (value[0] * value[1]).sum(-1)
        special = np.where(np.isfinite(special), 0.0, special) + c.special
    form = FORMATS[type]
    infinite = (((1 << form.exponent) - 1) << form.mantissa) | np.where(
        special < 0, 1 << (form.exponent + form.mantissa), 0
    )
    return np.where(np.isnan(special), form.nan, np.where(np.isinf(special), infinite, bits))


def take(n: Numbers, which: Array) -> Numbers:
    return Numbers(n.significand[..., which], n.exponent[..., which], n.fraction, n.special[..., which])


def mma(
    a: Array,
    b: Array,
    c: Array,
    types: str,
    groups: list[Array] | None = None,
    where: Array | None = None,
    *,
    chained: bool = False,
    **options: Any,
) -> Array:
    """D = A B + C, all as bits, over the last two axes. `types` "f32.f16.f16.f32": of D, A, B and C.

    `groups`: which elements of a row of A are summed at once, one group after the other. `where`: of a sparse A, which index
    along K each stored element has. `chained`: products of fp8 are added to C as others are, as wgmma does.
    """
    type_d, type_a, type_b, _ = types.split(".")
    rows = np.swapaxes(b, -1, -2)[..., None, :, :]
    if where is not None:
        rows = np.take_along_axis(rows, where[..., :, None, :], -1)
    left, right = decode(a[..., :, None, :], type_a, fp8=chained), decode(rows, type_b, fp8=chained)
    depth = a.shape[-1]
    fp8 = type_a in ("e4m3", "e5m2") and not chained
    if groups is None:  # sm_90 has no fp8 products: the assembler makes two of f16, from both halves of each register
        groups = [np.flatnonzero(np.arange(depth) % 4 // 2 == half) for half in (0, 1)] if fp8 else [np.arange(depth)]
    bits = np.zeros_like(c) if fp8 else c
    for group in groups:
        bits = fused(take(left, group), take(right, group), decode(bits, type_d), type_d, **options)
    return added(bits, c, type_d) if fp8 else bits


def added(x: Array, y: Array, type: str) -> Array:
    """The bits of x + y, rounded to nearest even."""
    integer, floating = {"f16": (np.uint16, np.float16), "f32": (np.uint32, np.float32)}[type]
    with np.errstate(all="ignore"):
        total = x.astype(integer).view(floating) + y.astype(integer).view(floating)
    return np.where(np.isnan(total), FORMATS[type].nan, np.ascontiguousarray(total).view(integer).astype(np.int64))


def f16_as_f32(bits: Array) -> Array:
    return bits.astype(np.uint16).view(np.float16).astype(np.float32).view(np.uint32).astype(np.int64)


def f32_as_f16(bits: Array) -> Array:
    """Rounded to nearest even."""
    with np.errstate(all="ignore"):
        value = bits.astype(np.uint32).view(np.float32).astype(np.float16)
    return np.where(np.isnan(value), FORMATS["f16"].nan, value.view(np.uint16).astype(np.int64))


def chains(a: Array, b: Array, c: Array, types: str) -> Array:
    """D of an m8n8k4 product of f16: what the assembler makes of it on sm_90, in f32.

    With f32 results a chain of fused multiply-adds, to which C is added; with f16 results two pairs, each added to C in turn.
    """
    type_d, _, _, type_c = types.split(".")
    with np.errstate(all="ignore"):
        x, y, z = (m.astype(np.uint16).view(np.float16).astype(np.float64) for m in (a, b, c if type_c == "f16" else a))
        addend = z.astype(np.float32) if type_c == "f16" else c.astype(np.uint32).view(np.float32)
        products = x[..., :, None, :] * np.swapaxes(y, -1, -2)[..., None, :, :]  # exact

        def add(left: Array, right: Array) -> Array:
            """Products have 22 bits and f32 24: their sum is rounded once."""
            return rounded_to_f32(left.astype(np.float64), right)

        if type_d == "f16":
            for pair in (0, 2):
                addend = addend + add(products[..., pair].astype(np.float32), products[..., pair + 1])
        else:
            chain = np.zeros(addend.shape, np.float32)
            for k in range(4):
                chain = add(chain, products[..., k])
            addend = addend + chain
        result = np.where(np.isnan(addend), np.float32(np.nan), addend)
        integer, floating = {"f16": (np.uint16, np.float16), "f32": (np.uint32, np.float32)}[type_d]
        bits = np.ascontiguousarray(result.astype(floating)).view(integer).astype(np.int64)
    return np.where(np.isnan(result), FORMATS[type_d].nan, bits)


def rounded_to_f32(x: Array, y: Array) -> Array:
    """x + y of doubles as the nearest f32: the f64 sum, made odd where it is inexact so that it rounds once."""
    total = x + y
    part = total - x
    error = (x - (total - part)) + (y - part)
    bits = total.view(np.int64)
    toward = np.where((bits ^ error.view(np.int64)) >= 0, 1, -1)
    odd = np.where((error != 0) & (bits & 1 == 0) & np.isfinite(total), bits + toward, bits)
    return odd.view(np.float64).astype(np.float32)
