"""Operands of an instruction (manual chapter 6), one class each.

All are values: equal fields mean equal operands. Integer immediates keep their value; floating ones keep their *bits*, so
that NaN payloads survive and equality is exact.
"""

from __future__ import annotations

import struct
from functools import cache, lru_cache
from typing import TYPE_CHECKING, ClassVar

from ptxgen.ir.node import Node
from ptxgen.isa.types import ScalarType

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Address",
    "Arguments",
    "Element",
    "Immediate",
    "Negated",
    "Not",
    "Operand",
    "Pair",
    "Register",
    "Sink",
    "Special",
    "Sum",
    "Symbol",
    "Vector",
    "float_immediate",
    "numbered",
    "register_range",
]


@lru_cache(64)
def numbered(prefix: str) -> tuple[str, ...]:
    """`prefix0`, `prefix1`, ...: the names of a register range, made once. Equal names that are one object compare at once.

    Of the last prefixes alone: a program may have as many as it likes.
    """
    return tuple([f"{prefix}{index}" for index in range(1024)])


class Register(Node):
    """A virtual register, `%f1`; its type is that of its declaration. `lanes` is 2 or 4 for a `.v2`/`.v4` register."""

    __slots__ = ("lanes", "name", "type")
    _fields = ("name", "type", "lanes")

    def __init__(self, name: str, type: ScalarType, lanes: int = 1) -> None:
        self.name: str = name
        self.type: ScalarType = type
        self.lanes: int = lanes

    def __hash__(self) -> int:
        return hash(self.name)


@cache
def register_range(prefix: str, type: ScalarType, count: int) -> tuple[Register, ...]:
    """The registers `prefix0`, `prefix1`, ... of a type, made once: programs share them, as they are values. `count` is 128, or
    twice one that it may be, up to 1024."""
    known = register_range(prefix, type, count // 2) if count > 128 else ()
    return (*known, *[Register(name, type) for name in numbered(prefix)[len(known) : count]])


class Special(Node):
    """A special register by its full name, `%tid.x` (manual chapter 10)."""

    __slots__ = ("name",)
    _fields = ("name",)

    def __init__(self, name: str) -> None:
        self.name: str = name


class Element(Node):
    """A component `r.x` of a vector register, or a video instruction's selector `r.b0`, `r.h1`."""

    __slots__ = ("base", "name")
    _fields = ("base", "name")

    def __init__(self, base: Register, name: str) -> None:
        self.base: Register = base
        self.name: str = name


class Immediate(Node):
    """A constant. `kind` is "int" (value is the number, signed), "f32" or "f64" (value is the IEEE bit pattern)."""

    __slots__ = ("kind", "value")
    _fields = ("kind", "value")

    def __init__(self, value: int, kind: str = "int") -> None:
        self.value: int = value
        self.kind: str = kind

    def as_float(self) -> float:
        """The number that the immediate stands for, as a Python float."""
        if self.kind == "f32":
            return float(struct.unpack("<f", struct.pack("<I", self.value))[0])
        if self.kind == "f64":
            return float(struct.unpack("<d", struct.pack("<Q", self.value))[0])
        return float(self.value)


def float_immediate(value: float, kind: str) -> Immediate:
    """An immediate of kind "f32" or "f64" for a Python float; overflow to f32 gives infinity, as a cast in C does."""
    if kind == "f64":
        return Immediate(struct.unpack("<Q", struct.pack("<d", value))[0], kind)
    try:
        return Immediate(struct.unpack("<I", struct.pack("<f", value))[0], kind)
    except OverflowError:
        return Immediate(0x7F800000 if value > 0 else 0xFF800000, kind)


class Symbol(Node):
    """A name: variable, function, label or prototype. `offset` is for `name+4` where the address itself is the operand.

    `zero` keeps the `+0` of `name+0`, which stands where a constant may, as `name+4` does; a name alone does not.
    """

    __slots__ = ("name", "offset", "zero")
    _fields = ("name", "offset", "zero")

    def __init__(self, name: str, offset: int = 0, zero: bool = False) -> None:
        self.name: str = name
        self.offset: int = offset
        self.zero: bool = zero

    @property
    def is_sum(self) -> bool:
        """Is it written with a number behind the name?"""
        return self.zero or self.offset != 0


class Address(Node):
    """`[base+offset]`; `coordinates` holds the second part of `[map, {c0, c1}]` (tensors, textures, surfaces).

    Where more stands behind the base, as in `[texture, sampler, {x, y}]`, it holds each part, the braced ones as vectors.
    A `handle` is `[endpoint, offset]` of the fabric, whose parts have no braces. `zero` keeps the `+0` of `[base+0]`, which
    changes the machine code that assemblers write for debugging.
    """

    __slots__ = ("base", "coordinates", "handle", "offset", "zero")
    _fields = ("base", "offset", "coordinates", "handle", "zero")

    def __init__(
        self,
        base: Register | Symbol | Immediate,
        offset: int = 0,
        coordinates: tuple[Operand, ...] = (),
        handle: bool = False,
        zero: bool = False,
    ) -> None:
        self.base: Register | Symbol | Immediate = base
        self.offset: int = offset
        self.coordinates: tuple[Operand, ...] = coordinates
        self.handle: bool = handle
        self.zero: bool = zero


class Vector(Node):
    """`{a, b}`: several registers as one operand."""

    __slots__ = ("elements",)
    _fields = ("elements",)

    def __init__(self, elements: tuple[Operand, ...]) -> None:
        self.elements: tuple[Operand, ...] = elements

    def __iter__(self) -> Iterator[Operand]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)


class Arguments(Node):
    """`(a, b)`: the result list or the argument list of a call."""

    __slots__ = ("elements",)
    _fields = ("elements",)

    def __init__(self, elements: tuple[Operand, ...]) -> None:
        self.elements: tuple[Operand, ...] = elements

    def __iter__(self) -> Iterator[Operand]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)


class Pair(Node):
    """`p|q`: two destinations of setp, shfl.sync, elect.sync, match.sync."""

    __slots__ = ("first", "second")
    _fields = ("first", "second")

    def __init__(self, first: Operand, second: Operand) -> None:
        self.first: Operand = first
        self.second: Operand = second


class Not(Node):
    """`!p`: a negated predicate operand."""

    __slots__ = ("operand",)
    _fields = ("operand",)

    def __init__(self, operand: Operand) -> None:
        self.operand: Operand = operand


class Negated(Node):
    """`-r`: a register operand of vmad taken with the opposite sign (manual 9.7.18.4)."""

    __slots__ = ("operand",)
    _fields = ("operand",)

    def __init__(self, operand: Operand) -> None:
        self.operand: Operand = operand


class Sum(Node):
    """`r+4`: a register and a number, which ptxas takes wherever an instruction reads an integer. `zero` keeps `r+0`."""

    __slots__ = ("offset", "operand", "zero")
    _fields = ("operand", "offset", "zero")

    def __init__(self, operand: Register, offset: int = 0, zero: bool = False) -> None:
        self.operand: Register = operand
        self.offset: int = offset
        self.zero: bool = zero


class Sink(Node):
    """`_`: a destination whose value nobody wants."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()


Operand = (
    Register | Special | Element | Immediate | Symbol | Address | Vector | Arguments | Pair | Not | Negated | Sum | Sink
)
