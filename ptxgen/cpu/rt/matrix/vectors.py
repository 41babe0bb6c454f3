"""Several numbers at once: LLVM's vectors with Python's operators, for the run-time functions of matrix instructions.

Eight is what every mma has as columns of B, sixteen what half a warp holds in a register. Narrower processors do each operation
in two or four steps.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Union, cast

from ptxgen.cpu.emit import BITS, LlvmValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import Emitter
    from ptxgen.cpu.value import Var

__all__ = ["WIDTH", "LlvmVector", "constant", "held", "load", "splat", "variable"]

WIDTH = 8

Operand = Union["LlvmVector", int, float]


class LlvmVector:
    """An SSA value or a constant of `width` elements. Its operators take numbers too, which then stand in every element."""

    __slots__ = ("element", "emitter", "text", "width")

    def __init__(self, emitter: Emitter, element: str, text: str, width: int = WIDTH) -> None:
        self.emitter = emitter
        self.element = element
        self.text = text
        self.width = width

    @property
    def type(self) -> str:
        return f"<{self.width} x {self.element}>"

    def alike(self, number: float) -> LlvmVector:
        """A constant of this type."""
        return constant(self.emitter, self.element, number, self.width)

    def _coerce(self, other: Operand) -> LlvmVector:
        return other if isinstance(other, LlvmVector) else self.alike(other)

    def binary(self, op: str, other: Operand) -> LlvmVector:
        """An LLVM instruction of two operands, by its name."""
        b = self._coerce(other)
        assert b.type == self.type, (op, self.type, b.type)
        return self._made(self.element, f"{op} {self.type} {self.text}, {b.text}")

    def _arithmetic(self, op: str, other: Operand) -> LlvmVector:
        return self.binary(f"f{op}" if self.element in ("float", "double") else op, other)

    def __add__(self, other: Operand) -> LlvmVector:
        return self._arithmetic("add", other)

    def __sub__(self, other: Operand) -> LlvmVector:
        return self._arithmetic("sub", other)

    def __mul__(self, other: Operand) -> LlvmVector:
        return self._arithmetic("mul", other)

    def __and__(self, other: Operand) -> LlvmVector:
        return self.binary("and", other)

    def __or__(self, other: Operand) -> LlvmVector:
        return self.binary("or", other)

    def __xor__(self, other: Operand) -> LlvmVector:
        return self.binary("xor", other)

    def __lshift__(self, other: Operand) -> LlvmVector:
        return self.binary("shl", other)

    def __rshift__(self, other: Operand) -> LlvmVector:
        """Logical shift right; the amount must be below the width."""
        return self.binary("lshr", other)

    def sra(self, other: Operand) -> LlvmVector:
        """Arithmetic shift right; the amount must be below the width."""
        return self.binary("ashr", other)

    def compare(self, condition: str, other: Operand) -> LlvmVector:
        """fcmp of floats, icmp of integers; `condition` is LLVM's."""
        op = "fcmp" if self.element in ("float", "double") else "icmp"
        return self._made("i1", f"{op} {condition} {self.type} {self.text}, {self._coerce(other).text}")

    def select(self, then: LlvmVector, otherwise: Operand) -> LlvmVector:
        """`then` where this i1 is set, else `otherwise`."""
        other = then._coerce(otherwise)
        return self._made(
            then.element, f"select {self.type} {self.text}, {then.type} {then.text}, {other.type} {other.text}"
        )

    def any(self) -> LlvmValue:
        """Is one of these i1 set?"""
        e, bits = self.emitter, f"i{self.width}"
        mask = e.op(bits, f"bitcast {self.type} {self.text} to {bits}")
        return e.op("i1", f"icmp ne {bits} {mask.text}, 0")

    def bitcast(self, element: str) -> LlvmVector:
        """The same bits as elements of another type of the same size."""
        return self.cast("bitcast", element)

    def cast(self, op: str, element: str) -> LlvmVector:
        """An LLVM conversion of every element, by its name."""
        return self._made(element, f"{op} {self.type} {self.text} to <{self.width} x {element}>")

    def shuffled(self, chosen: Sequence[int], other: LlvmVector | None = None) -> LlvmVector:
        """The elements of these numbers, of this vector and behind it of another one."""
        mask = ", ".join(f"i32 {i}" for i in chosen)
        second = "poison" if other is None else other.text
        text = f"shufflevector {self.type} {self.text}, {self.type} {second}, <{len(chosen)} x i32> <{mask}>"
        return self._made(self.element, text, len(chosen))

    def intrinsic(self, name: str, *others: Operand) -> LlvmVector:
        """`llvm.NAME` of this and other vectors of its type."""
        suffix = {"float": "f32", "double": "f64"}.get(self.element, self.element)
        full, operands = f"llvm.{name}.v{self.width}{suffix}", (self, *(self._coerce(other) for other in others))
        self.emitter.module.declare(full, self.type, tuple(o.type for o in operands))
        return self._made(
            self.element, f"call {self.type} @{full}({', '.join(f'{o.type} {o.text}' for o in operands)})"
        )

    def store(self, pointer: LlvmValue) -> None:
        """To a place that is aligned for one element."""
        size = BITS[self.element] // 8
        self.emitter.line(f"store {self.type} {self.text}, ptr {pointer.text}, align {size}")

    def put(self, place: Var) -> None:
        self.emitter.line(f"store {self.type} {self.text}, ptr {place.text}")

    def _made(self, element: str, text: str, width: int = 0) -> LlvmVector:
        width = width or self.width
        return LlvmVector(self.emitter, element, self.emitter.op(f"<{width} x {element}>", text).text, width)


def load(e: Emitter, element: str, pointer: LlvmValue, width: int = WIDTH) -> LlvmVector:
    """From a place that is aligned for one element."""
    type = f"<{width} x {element}>"
    return LlvmVector(
        e, element, e.op(type, f"load {type}, ptr {pointer.text}, align {BITS[element] // 8}").text, width
    )


def splat(e: Emitter, value: LlvmValue, width: int = WIDTH) -> LlvmVector:
    """The value in every element."""
    type = f"<{width} x {value.type}>"
    first = e.op(type, f"insertelement {type} poison, {value.type} {value.text}, i32 0")
    text = f"shufflevector {type} {first.text}, {type} poison, <{width} x i32> zeroinitializer"
    return LlvmVector(e, value.type, e.op(type, text).text, width)


def constant(e: Emitter, element: str, number: float, width: int = WIDTH) -> LlvmVector:
    """A number in every element; an integer as its bits."""
    text = str(int(number)) if element.startswith("i") else f"0x{struct.pack('>d', number).hex()}"
    return LlvmVector(e, element, f"<{', '.join([f'{element} {text}'] * width)}>", width)


def variable(e: Emitter, initial: LlvmVector) -> Var:
    """A place on the stack for a vector; `held` reads it."""
    place = e.var(initial.type)
    initial.put(place)
    return place


def held(place: Var) -> LlvmVector:
    """What a variable holds."""
    value = place.get()
    width, _, element = value.type.strip("<>").split()
    return LlvmVector(cast("Emitter", value.emitter), element, value.text, int(width))
