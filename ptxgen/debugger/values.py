"""Bits as values of PTX types, and back; and values as text."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Union

from ptxgen.errors import DebugError
from ptxgen.host.formats import fp8_values
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.isa.types import ScalarType

__all__ = ["Value", "bits_of", "find_type", "text_of", "value_of"]

Value = Union[int, float, bool, "tuple[float, ...]"]

_FLOATS = {"f16": ("e", "H"), "f32": ("f", "I"), "f64": ("d", "Q")}


def find_type(name: str) -> ScalarType:
    """A fundamental type by its name, without a dot. Raises DebugError."""
    found = TYPES.get(name.removeprefix("."))
    if found is None or not found.bits or found.kind == "o":
        raise DebugError(
            f"there is no type {name!r} to show memory or registers as", hint="u32, s64, b8, f16x2, f32, ..."
        )
    return found


def value_of(bits: int, type: ScalarType) -> Value:
    """What bits stand for. Untyped ones (.b32) are a number without a sign, packed ones a tuple, the lowest first; formats of 4
    and 6 bits stay bits."""
    name = type.name
    if type.kind == "p":
        return bool(bits)
    bits &= (1 << type.bits) - 1
    if type.lanes > 1:
        element = TYPES[type.element]
        width = type.bits // type.lanes
        found = (value_of(bits >> width * lane, element) for lane in range(type.lanes))
        return tuple(each for each in found if isinstance(each, (int, float)))
    if name in ("bf16", "tf32"):
        shift = 16 if name == "bf16" else 0
        return float(struct.unpack("<f", struct.pack("<I", bits << shift))[0])
    if name in ("e4m3", "e5m2"):
        return fp8_values(4 if name == "e4m3" else 5)[bits]
    if name in _FLOATS:
        as_float, as_bits = _FLOATS[name]
        return float(struct.unpack(f"<{as_float}", struct.pack(f"<{as_bits}", bits))[0])
    if type.kind == "s":
        return bits - (bits >> type.bits - 1 << type.bits)
    return bits


def bits_of(value: Value, type: ScalarType) -> int:
    """The bits that stand for a value. Raises DebugError where it does not fit."""
    name = type.name
    try:
        if isinstance(value, tuple):
            raise OverflowError
        if name in _FLOATS:
            as_float, as_bits = _FLOATS[name]
            return int(struct.unpack(f"<{as_bits}", struct.pack(f"<{as_float}", float(value)))[0])
        if type.kind == "p":
            return int(bool(value))
        if name in ("bf16", "tf32"):
            (found,) = struct.unpack("<I", struct.pack("<f", float(value)))
            return int(found) if name == "tf32" else found + 0x7FFF + (found >> 16 & 1) >> 16
        if type.is_float or int(value) != value or not -(1 << type.bits - 1) <= value < 1 << type.bits:
            raise OverflowError
    except (OverflowError, struct.error, ValueError):
        raise DebugError(f"{value} is no value of .{name}", hint="write untyped bits: b32, b64, ...") from None
    return int(value) & (1 << type.bits) - 1


def text_of(value: Value | None, type: ScalarType | None = None) -> str:
    """As people read it: addresses and untyped bits that are large in hexadecimal; `-` for what was never written."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(text_of, value)) + ")"
    if isinstance(value, float):
        if (type is not None and type.bits == 64) or math.isnan(value) or math.isinf(value):
            return repr(value)
        return f"{value:.9g}" if float(f"{value:.6g}") != value else f"{value:.6g}"
    if type is not None and type.kind in "bu" and value > 0xFFFF:
        return f"{value:#x}"
    return str(value)
