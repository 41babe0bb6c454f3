"""Numbers as the bits of an element, and back: what `Layout.pack` and `unpack` need.

Floats of every PTX format: sign, exponent, mantissa by width (manual 5.2.3). Rounding is to nearest even; what is too large
becomes infinity where the format has one, else it is an error.
"""

from __future__ import annotations

import math
import struct

from driver_ctypes.typing import NamedTuple
from ptxgen.isa.layouts.mixed_radix import LayoutError
from ptxgen.isa.types import TYPES

__all__ = ["decode", "element_bits", "encode"]


class _Format(NamedTuple):
    """`special`: "ieee" (top exponent: infinities and NaN), "nan" (only the all-ones pattern is NaN), "" (all are numbers)."""

    exponent: int
    mantissa: int
    special: str
    signed: bool = True

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1


_FORMATS = {
    "f16": _Format(5, 10, "ieee"), "bf16": _Format(8, 7, "ieee"), "e5m2": _Format(5, 2, "ieee"), "e4m3": _Format(4, 3, "nan"),
    "e3m2": _Format(3, 2, ""), "e2m3": _Format(2, 3, ""), "e2m1": _Format(2, 1, ""), "ue4m3": _Format(4, 3, "nan", False),
    "ue8m0": _Format(8, 0, "nan", False),
}  # fmt: skip


def element_bits(type: str) -> int:
    """Bits of one element of the type, not counting padding."""
    return TYPES[type].bits


def encode(value: float, type: str) -> int:
    """The bits of a number in a PTX type. Raises LayoutError where the type cannot hold it."""
    scalar = TYPES[type]
    if not scalar.is_float:
        whole = int(value)
        low = -(1 << (scalar.bits - 1)) if scalar.is_signed else 0
        high = (1 << (scalar.bits - 1)) - 1 if scalar.is_signed else (1 << scalar.bits) - 1
        if whole != value or not low <= whole <= high:
            raise LayoutError(f"{value} is not a .{type}", hint=f"integers from {low} to {high}")
        return whole & ((1 << scalar.bits) - 1)
    number = float(value)
    if type == "f64":
        return int.from_bytes(struct.pack("<d", number), "little")
    if type in ("f32", "tf32"):
        bits = int.from_bytes(struct.pack("<f", number), "little")
        return bits if type == "f32" else _shorten(bits, 13)
    return _small(number, type, _FORMATS[type])


def _shorten(bits: int, by: int) -> int:
    """Round a binary32 to nearest even at bit `by`: tf32 keeps its lowest 13 bits zero (manual 5.2.3)."""
    if bits & 0x7F800000 != 0x7F800000:
        bits += (1 << (by - 1)) - 1 + ((bits >> by) & 1)
    return bits & ~((1 << by) - 1) & 0xFFFFFFFF


def _small(number: float, type: str, form: _Format) -> int:
    sign = 1 if math.copysign(1.0, number) < 0 else 0
    top = (1 << form.exponent) - 1
    if math.isnan(number):
        if not form.special:
            raise LayoutError(f".{type} has no NaN")
        mantissa = (1 << form.mantissa) - 1 if form.special == "nan" else 1 << max(form.mantissa - 1, 0)
        return (sign << (form.exponent + form.mantissa) if form.signed else 0) | top << form.mantissa | mantissa
    if sign and number and not form.signed:
        raise LayoutError(f"{number} is not a .{type}", hint="it has no sign")
    body = _magnitude(abs(number), form) if math.isfinite(number) else None
    greatest = (
        (top << form.mantissa) - 1 if form.special == "ieee" else (top << form.mantissa | (1 << form.mantissa) - 1)
    )
    greatest -= form.special == "nan"
    if body is None or body > greatest:
        if form.special != "ieee":
            raise LayoutError(f"{number} is too large for .{type}", hint=f"at most {decode(greatest, type)}")
        body = top << form.mantissa
    if not form.mantissa and number == 0:
        raise LayoutError(f".{type} has no zero")
    return (sign << (form.exponent + form.mantissa) if form.signed else 0) | body


def _magnitude(number: float, form: _Format) -> int:
    """Exponent and mantissa of a finite number that is not negative, rounded; may carry out of the format's range."""
    if number == 0:
        return 0
    _, exponent = math.frexp(number)
    exponent = max(exponent - 1, (1 if form.mantissa else 0) - form.bias)
    steps = round(math.ldexp(number, form.mantissa - exponent))  # Python rounds halves to even
    biased = exponent + form.bias
    return ((biased - 1) << form.mantissa) + steps if form.mantissa else biased + (steps > 1)


def decode(bits: int, type: str) -> int | float:
    """The number that bits of a PTX type are."""
    scalar = TYPES[type]
    bits &= (1 << scalar.bits) - 1
    if not scalar.is_float:
        return bits - (1 << scalar.bits) if scalar.is_signed and bits >> (scalar.bits - 1) else bits
    if type == "f64":
        return float(struct.unpack("<d", bits.to_bytes(8, "little"))[0])
    if type in ("f32", "tf32"):
        return float(struct.unpack("<f", bits.to_bytes(4, "little"))[0])
    form = _FORMATS[type]
    mantissa = bits & ((1 << form.mantissa) - 1)
    exponent = (bits >> form.mantissa) & ((1 << form.exponent) - 1)
    sign = -1.0 if form.signed and bits >> (form.exponent + form.mantissa) & 1 else 1.0
    top = exponent == (1 << form.exponent) - 1
    if top and form.special == "ieee":
        return math.nan if mantissa else sign * math.inf
    if top and form.special == "nan" and mantissa == (1 << form.mantissa) - 1:
        return math.nan
    if not form.mantissa:
        return math.ldexp(1.0, exponent - form.bias)
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - form.bias - form.mantissa)
    return sign * math.ldexp((1 << form.mantissa) + mantissa, exponent - form.bias - form.mantissa)
