"""What PTX templates can call: types that know their size, registers by type, literals that are exact."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from ptxgen.ir import float_immediate
from ptxgen.isa.targets import find_target
from ptxgen.isa.types import TYPES, ScalarType
from ptxgen.text.printer import format_operand

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FILTERS", "GLOBALS", "PtxType"]


class PtxType(str):
    """A type's name, as in `add.{{ t }}`, that also answers `t.bits`, `t.bytes`, `t.kind`, `t.is_float`, `t.is_signed`.

    `t.storage` is the type of the registers and variables that hold it (manual 5.2.3: .b16 for bf16), `t.bitwise` the
    untyped one of its size, and `t.prefix` the usual start of its registers' names.
    """

    __slots__ = ()

    @property
    def _type(self) -> ScalarType:
        return TYPES[self]

    @property
    def bits(self) -> int:
        return self._type.bits

    @property
    def bytes(self) -> int:
        return self._type.bytes

    @property
    def lanes(self) -> int:
        """Elements of a packed type, 2 for f16x2."""
        return self._type.lanes

    @property
    def kind(self) -> str:
        """u, s, f, b or p."""
        return self._type.kind

    @property
    def is_float(self) -> bool:
        return self._type.is_float

    @property
    def is_signed(self) -> bool:
        return self._type.is_signed

    @property
    def is_integer(self) -> bool:
        return self._type.is_integer

    @property
    def storage(self) -> PtxType:
        """The type of a register for it; sub-word ones need .b16 at least."""
        type = self._type
        return self if type.fundamental and type.bits != 8 else PtxType(f"b{max(16, type.bits)}")

    @property
    def bitwise(self) -> PtxType:
        return PtxType("pred" if self._type.kind == "p" else f"b{max(8, self._type.bits)}")

    @property
    def prefix(self) -> str:
        """%f, %fd, %h for floating types; %p; %rs, %r, %rd, %rq by size for the rest."""
        type = TYPES[self.storage]
        if type.kind == "p":
            return "%p"
        if type.kind == "f":
            return {16: "%h", 32: "%f", 64: "%fd"}[type.bits]
        return {16: "%rs", 32: "%r", 64: "%rd", 128: "%rq"}[type.bits]


def f32(value: float) -> str:
    """1.5 -> 0f3FC00000, rounded to nearest; infinities and NaN as well."""
    return format_operand(float_immediate(float(value), "f32"))


def f64(value: float) -> str:
    """1.5 -> 0d3FF8000000000000."""
    return format_operand(float_immediate(float(value), "f64"))


def f16(value: float) -> str:
    """1.5 -> 0x3E00: a .b16 immediate; what is too large becomes infinity."""
    value = float(value)
    try:
        return f"0x{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
    except OverflowError:
        return "0x7C00" if value > 0 else "0xFC00"


def bf16(value: float) -> str:
    """1.5 -> 0x3FC0: a .b16 immediate, rounded to nearest even."""
    bits = float_immediate(float(value), "f32").value
    if bits & 0x7FFFFFFF > 0x7F800000:  # a NaN stays one
        return f"0x{bits >> 16 | 0x40:04X}"
    return f"0x{(bits + 0x7FFF + (bits >> 16 & 1)) >> 16:04X}"


_LITERALS: dict[str, Callable[[float], str]] = {"f32": f32, "f64": f64, "f16": f16, "bf16": bf16}


def literal(value: Any, type: str) -> str:
    """A number as an immediate of that type: `{{ 0|literal(t) }}`."""
    if type in _LITERALS:
        return _LITERALS[type](value)
    if TYPES[type].is_float:
        raise ValueError(f"no immediates of type .{type}; literal() knows {', '.join(_LITERALS)} and integer types")
    if int(value) != value:
        raise ValueError(f"{value!r} is not an integer, as .{type} needs")
    return str(int(value))


def reg(type: str, index: int) -> str:
    """A register's name: reg("f32", 3) is %f3."""
    return f"{PtxType(type).prefix}{index}"


def ceil_div(a: int, b: int) -> int:
    """Division rounded up."""
    return -(-a // b)


def sm_of(target: str) -> int:
    """The number of a target: sm_of("sm_90a") is 90."""
    return find_target(target).sm


types: dict[str, PtxType] = {name: PtxType(name) for name in TYPES}

FILTERS: dict[str, Callable[..., Any]] = {**_LITERALS, "literal": literal}

GLOBALS: dict[str, Any] = {
    "types": types,
    "reg": reg,
    "ceil_div": ceil_div,
    "sm_of": sm_of,
    "enumerate": enumerate,
    "zip": zip,
    "min": min,
    "max": max,
}
