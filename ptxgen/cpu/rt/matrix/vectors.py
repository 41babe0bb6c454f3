"""Eight numbers at once: LLVM's vectors with Python's operators, for the run-time functions of matrix instructions.

Eight is what every mma has as columns of B. Half-width processors do each operation in two or four steps.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, cast

from ptxgen.cpu.emit import BITS, LlvmValue

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter
    from ptxgen.cpu.value import Var

__all__ = ["WIDTH", "LlvmVector", "constant", "held", "load", "splat", "variable"]

WIDTH = 8


class LlvmVector:
    """An SSA value or a constant of 8 elements."""

    __slots__ = ("element", "emitter", "text")

    def __init__(self, emitter: Emitter, element: str, text: str) -> None:
        self.emitter = emitter
        self.element = element
        self.text = text

    @property
    def type(self) -> str:
        return f"<{WIDTH} x {self.element}>"

    def binary(self, op: str, other: LlvmVector) -> LlvmVector:
        """An LLVM instruction of two operands, by its name."""
        assert other.type == self.type, (op, self.type, other.type)
        return self._made(self.element, f"{op} {self.type} {self.text}, {other.text}")

    def _arithmetic(self, op: str, other: LlvmVector) -> LlvmVector:
        return self.binary(f"f{op}" if self.element in ("float", "double") else op, other)

    def __add__(self, other: LlvmVector) -> LlvmVector:
        return self._arithmetic("add", other)

    def __sub__(self, other: LlvmVector) -> LlvmVector:
        return self._arithmetic("sub", other)

    def __mul__(self, other: LlvmVector) -> LlvmVector:
        return self._arithmetic("mul", other)

    def __and__(self, other: LlvmVector) -> LlvmVector:
        return self.binary("and", other)

    def compare(self, condition: str, other: LlvmVector) -> LlvmVector:
        """fcmp of floats, icmp of integers; `condition` is LLVM's."""
        op = "fcmp" if self.element in ("float", "double") else "icmp"
        return self._made("i1", f"{op} {condition} {self.type} {self.text}, {other.text}")

    def select(self, then: LlvmVector, otherwise: LlvmVector) -> LlvmVector:
        """`then` where this i1 is set, else `otherwise`."""
        return self._made(
            then.element, f"select {self.type} {self.text}, {then.type} {then.text}, {otherwise.type} {otherwise.text}"
        )

    def bitcast(self, element: str) -> LlvmVector:
        """The same bits as elements of another type of the same size."""
        return self._made(element, f"bitcast {self.type} {self.text} to <{WIDTH} x {element}>")

    def intrinsic(self, name: str, *others: LlvmVector) -> LlvmVector:
        """`llvm.NAME` of this and other vectors of its type."""
        suffix = {"float": "f32", "double": "f64"}.get(self.element, self.element)
        full, operands = f"llvm.{name}.v{WIDTH}{suffix}", (self, *others)
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

    def _made(self, element: str, text: str) -> LlvmVector:
        return LlvmVector(self.emitter, element, self.emitter.op(f"<{WIDTH} x {element}>", text).text)


def load(e: Emitter, element: str, pointer: LlvmValue) -> LlvmVector:
    """From a place that is aligned for one element."""
    type = f"<{WIDTH} x {element}>"
    return LlvmVector(e, element, e.op(type, f"load {type}, ptr {pointer.text}, align {BITS[element] // 8}").text)


def splat(e: Emitter, value: LlvmValue) -> LlvmVector:
    """The value eight times."""
    type = f"<{WIDTH} x {value.type}>"
    first = e.op(type, f"insertelement {type} poison, {value.type} {value.text}, i32 0")
    text = f"shufflevector {type} {first.text}, {type} poison, <{WIDTH} x i32> zeroinitializer"
    return LlvmVector(e, value.type, e.op(type, text).text)


def constant(e: Emitter, element: str, number: float) -> LlvmVector:
    """A number eight times; an integer as its bits."""
    text = str(int(number)) if element.startswith("i") else f"0x{struct.pack('>d', number).hex()}"
    return LlvmVector(e, element, f"<{', '.join([f'{element} {text}'] * WIDTH)}>")


def variable(e: Emitter, initial: LlvmVector) -> Var:
    """A place on the stack for a vector; `held` reads it."""
    place = e.var(initial.type)
    initial.put(place)
    return place


def held(place: Var) -> LlvmVector:
    """What a variable holds."""
    value = place.get()
    element = value.type.split()[-1].rstrip(">")
    return LlvmVector(cast("Emitter", value.emitter), element, value.text)
