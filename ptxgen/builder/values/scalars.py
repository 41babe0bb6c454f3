"""Typed values: what a kernel function computes with.

A type is a class and a value of it an instance, so `n: u32` in a kernel's signature says the truth to a type checker. Values
are single-assignment; a *variable* (from `k.var`) is a value whose register may be written again, with `+=` or `set`.
"""

from __future__ import annotations

from typing import Any, NoReturn, Protocol, TypeVar

from ptxgen.builder.core.function_builder import TypedOperand
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import python_protocols
from ptxgen.isa.types import TYPES

__all__ = [
    "SCALARS",
    "UNSIGNED",
    "Float",
    "Integer",
    "Number",
    "Value",
    "b8",
    "b16",
    "b32",
    "b64",
    "b128",
    "bf16",
    "e4m3",
    "e5m2",
    "f16",
    "f16x2",
    "f32",
    "f64",
    "lower_by",
    "pred",
    "s8",
    "s16",
    "s32",
    "s64",
    "u8",
    "u16",
    "u32",
    "u64",
]

V = TypeVar("V", bound="Value")
Number = int | float


class Arithmetic(Protocol):
    """What the operators of values call."""

    def unary(self, op: str, a: V) -> V: ...

    def binary(self, op: str, a: V, other: object, *, swap: bool = False, into: V | None = None) -> V: ...

    def shift(self, op: str, a: V, amount: object, *, into: V | None = None) -> V: ...

    def compare(self, op: str, a: Value, other: object) -> pred: ...

    def assign(self, target: Value, value: object) -> None: ...

    def snapshot(self, a: V) -> V: ...


class Conversions(Protocol):
    """What `to` and `bits` of values call."""

    def convert(self, a: Value, type: type[V], modifiers: tuple[str, ...] = ()) -> V: ...

    def bitcast(self, a: Value, type: type[V]) -> V: ...


arithmetic: Arithmetic
conversions: Conversions


def lower_by(operators: Arithmetic, casts: Conversions) -> None:
    """Say which modules emit the instructions of operators and conversions: they stand above this one. The package calls it."""
    global arithmetic, conversions
    arithmetic, conversions = operators, casts


class Value(TypedOperand):
    """A value in a register (or a constant), of one of the types below."""

    __slots__ = ()

    def to(self, type: type[V], *modifiers: str) -> V:
        """Convert. `modifiers` override the default rounding: nearest even to a float, toward zero to an integer."""
        return conversions.convert(self, type, modifiers)

    def bits(self, type: type[V]) -> V:
        """The same bits under another type of equal size."""
        return conversions.bitcast(self, type)

    def set(self: V, value: V | Number) -> None:
        """Write a variable."""
        arithmetic.assign(self, value)

    def __bool__(self) -> NoReturn:
        raise python_protocols.truth(self)

    def __index__(self) -> NoReturn:
        raise build_error(
            "PTX320",
            f"a .{self.isa.name} value is not a Python integer: it is known only on the device",
            hint="for i in k.range(n), or a keyword-only parameter, which is known while the kernel is built",
        )

    def __float__(self) -> NoReturn:
        raise python_protocols.python_float(self)

    def __iter__(self) -> NoReturn:
        raise build_error("PTX320", f"a .{self.isa.name} value cannot be iterated", hint="for i in k.range(n)")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """numpy's operators of a numpy scalar and a value: those of the value. Its other functions are an error."""
        return python_protocols.numpy_function(self, ufunc, method, inputs, options)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return (
            f"<{'variable' if self.mutable else 'value'} {getattr(self.operand, 'name', 'constant')} .{self.isa.name}>"
        )

    def __eq__(self, other: object) -> pred:  # type: ignore[override]
        return arithmetic.compare("eq", self, other)

    def __ne__(self, other: object) -> pred:  # type: ignore[override]
        return arithmetic.compare("ne", self, other)


class _Arithmetic(Value):
    __slots__ = ()

    def __add__(self: V, other: V | Number) -> V:
        return arithmetic.binary("add", self, other)

    def __radd__(self: V, other: Number) -> V:
        return arithmetic.binary("add", self, other, swap=True)

    def __iadd__(self: V, other: V | Number) -> V:
        return arithmetic.binary("add", self, other, into=self)

    def __sub__(self: V, other: V | Number) -> V:
        return arithmetic.binary("sub", self, other)

    def __rsub__(self: V, other: Number) -> V:
        return arithmetic.binary("sub", self, other, swap=True)

    def __isub__(self: V, other: V | Number) -> V:
        return arithmetic.binary("sub", self, other, into=self)

    def __mul__(self: V, other: V | Number) -> V:
        return arithmetic.binary("mul", self, other)

    def __rmul__(self: V, other: Number) -> V:
        return arithmetic.binary("mul", self, other, swap=True)

    def __imul__(self: V, other: V | Number) -> V:
        return arithmetic.binary("mul", self, other, into=self)

    def __neg__(self: V) -> V:
        return arithmetic.unary("neg", self)

    def __pos__(self: V) -> V:
        return arithmetic.snapshot(self)

    def __abs__(self: V) -> V:
        return arithmetic.unary("abs", self)

    def __lt__(self: V, other: V | Number) -> pred:
        return arithmetic.compare("lt", self, other)

    def __le__(self: V, other: V | Number) -> pred:
        return arithmetic.compare("le", self, other)

    def __gt__(self: V, other: V | Number) -> pred:
        return arithmetic.compare("gt", self, other)

    def __ge__(self: V, other: V | Number) -> pred:
        return arithmetic.compare("ge", self, other)


class _Bitwise(Value):
    __slots__ = ()

    def __and__(self: V, other: V | int) -> V:
        return arithmetic.binary("and", self, other)

    def __rand__(self: V, other: int) -> V:
        return arithmetic.binary("and", self, other, swap=True)

    def __iand__(self: V, other: V | int) -> V:
        return arithmetic.binary("and", self, other, into=self)

    def __or__(self: V, other: V | int) -> V:
        return arithmetic.binary("or", self, other)

    def __ror__(self: V, other: int) -> V:
        return arithmetic.binary("or", self, other, swap=True)

    def __ior__(self: V, other: V | int) -> V:
        return arithmetic.binary("or", self, other, into=self)

    def __xor__(self: V, other: V | int) -> V:
        return arithmetic.binary("xor", self, other)

    def __rxor__(self: V, other: int) -> V:
        return arithmetic.binary("xor", self, other, swap=True)

    def __ixor__(self: V, other: V | int) -> V:
        return arithmetic.binary("xor", self, other, into=self)

    def __invert__(self: V) -> V:
        return arithmetic.unary("not", self)


class Integer(_Arithmetic, _Bitwise):
    """Integers. `//` and `%` truncate toward zero, as the hardware does; a shift by the width or more gives 0 (or the sign)."""

    __slots__ = ()

    def __floordiv__(self: V, other: V | int) -> V:
        return arithmetic.binary("div", self, other)

    def __rfloordiv__(self: V, other: int) -> V:
        return arithmetic.binary("div", self, other, swap=True)

    def __ifloordiv__(self: V, other: V | int) -> V:
        return arithmetic.binary("div", self, other, into=self)

    def __mod__(self: V, other: V | int) -> V:
        return arithmetic.binary("rem", self, other)

    def __rmod__(self: V, other: int) -> V:
        return arithmetic.binary("rem", self, other, swap=True)

    def __imod__(self: V, other: V | int) -> V:
        return arithmetic.binary("rem", self, other, into=self)

    def __lshift__(self: V, other: Integer | int) -> V:
        return arithmetic.shift("shl", self, other)

    def __ilshift__(self: V, other: Integer | int) -> V:
        return arithmetic.shift("shl", self, other, into=self)

    def __rshift__(self: V, other: Integer | int) -> V:
        return arithmetic.shift("shr", self, other)

    def __irshift__(self: V, other: Integer | int) -> V:
        return arithmetic.shift("shr", self, other, into=self)

    def __truediv__(self, other: object) -> NoReturn:
        raise build_error("PTX220", "/ of integers", hint="// truncates; or convert: a.to(f32) / b.to(f32)")


class Float(_Arithmetic):
    """Floating point. Operators round to nearest even; `/` is the IEEE division."""

    __slots__ = ()

    def __truediv__(self: V, other: V | Number) -> V:
        return arithmetic.binary("div", self, other)

    def __rtruediv__(self: V, other: Number) -> V:
        return arithmetic.binary("div", self, other, swap=True)

    def __itruediv__(self: V, other: V | Number) -> V:
        return arithmetic.binary("div", self, other, into=self)


class pred(_Bitwise):
    """A predicate: the result of a comparison."""

    __slots__ = ()


class u8(Integer):
    __slots__ = ()


class u16(Integer):
    __slots__ = ()


class u32(Integer):
    __slots__ = ()


class u64(Integer):
    __slots__ = ()


class s8(Integer):
    __slots__ = ()


class s16(Integer):
    __slots__ = ()


class s32(Integer):
    __slots__ = ()


class s64(Integer):
    __slots__ = ()


class b8(_Bitwise):
    __slots__ = ()


class b16(_Bitwise):
    __slots__ = ()


class b32(_Bitwise):
    __slots__ = ()


class b64(_Bitwise):
    __slots__ = ()


class b128(Value):
    __slots__ = ()


class f16(Float):
    __slots__ = ()


class bf16(Float):
    __slots__ = ()


class f16x2(Float):
    __slots__ = ()


class f32(Float):
    __slots__ = ()


class f64(Float):
    __slots__ = ()


class e4m3(Value):
    """fp8 with 4 exponent bits: a storage type; convert it with `.to(f16)` or `.to(f32)`."""

    __slots__ = ()


class e5m2(Value):
    """fp8 with 5 exponent bits: a storage type; convert it with `.to(f16)` or `.to(f32)`."""

    __slots__ = ()


SCALARS: dict[str, type[Value]] = {
    c.__name__: c
    for c in (
        pred,
        u8,
        u16,
        u32,
        u64,
        s8,
        s16,
        s32,
        s64,
        b8,
        b16,
        b32,
        b64,
        b128,
        f16,
        bf16,
        f16x2,
        f32,
        f64,
        e4m3,
        e5m2,
    )
}
"""Every scalar type by its PTX name."""

UNSIGNED: dict[int, type[Integer]] = {8: u8, 16: u16, 32: u32, 64: u64}
"""The unsigned integer of so many bits."""

for _name, _class in SCALARS.items():
    _class.isa = TYPES[_name]
    # Integers share untyped registers, as compilers have it: a change of signedness is then no instruction.
    _class.storage = _class.isa if _name in ("pred", "f32", "f64", "b128") else TYPES[f"b{max(16, _class.isa.bits)}"]
    _class.memory = _name if _class.isa.is_integer or _name in ("f32", "f64") else f"b{_class.isa.bits}"

python_protocols.refuse_operators(Value)
