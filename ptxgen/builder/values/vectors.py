"""Vectors: several values that one instruction loads or stores. What is done with one goes lane by lane."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic, python_protocols
from ptxgen.builder.values.pairs import convert_pairs, split
from ptxgen.builder.values.scalars import Value
from ptxgen.ir import Register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import pred

__all__ = ["vec"]

_VECTOR_BYTES = 16
"""Widest memory access that every target has; vectors are aligned to their own size (manual 6.4.1.1)."""


def _lanewise(operation: Callable[[Any, Any], Any]) -> tuple[Callable[[Any, object], vec], ...]:
    """An operator of vectors, and the one where the vector stands to the right."""

    def plain(self: vec, other: object) -> vec:
        return self._map(operation, other)

    def swapped(self: vec, other: object) -> vec:
        return self._map(operation, other, swapped=True)

    return plain, swapped


class vec:
    """`vec[f32, 4]`: several values of one type, loaded and stored by one instruction. `.x .y .z .w`, index, iteration.

    Arithmetic, `to` and `bits` go lane by lane. Vectors have no order and no equality: lanes are compared, `v[0] == w[0]`.
    """

    element: ClassVar[type[Value]]
    lanes: ClassVar[int]
    _made: ClassVar[dict[tuple[type[Value], int], type[vec]]] = {}

    def __class_getitem__(cls, key: tuple[type[Value], int]) -> type[vec]:
        element, lanes = key
        if lanes not in (2, 4, 8) or lanes * element.isa.bytes > _VECTOR_BYTES or element.isa.kind == "p":
            raise build_error(
                "PTX221",
                f"no vector of {lanes} x .{element.isa.name}",
                expected=f"2, 4 or 8 lanes in {_VECTOR_BYTES} bytes",
            )
        made = cls._made.get(key)
        if made is None:
            made = cls._made[key] = type(
                f"vec[{element.__name__}, {lanes}]", (vec,), {"element": element, "lanes": lanes}
            )
        return made

    def __init__(self, elements: tuple[Value, ...], *, pairs: tuple[Value, ...] = ()) -> None:
        self._elements = elements
        self.pairs = pairs  # in place of elements: two lanes a register, as a packed instruction left them

    def _unpacked(self) -> tuple[Value, ...]:
        """The lanes, each in a register of its own; pairs are taken apart once a scope, where a lane is first asked for."""
        if not self.pairs:
            return self._elements
        k = self.pairs[0].builder
        return tuple(self.element(k, half, k.scope) for pair in self.pairs for half in self._halves(k, pair))

    def _halves(self, k: FunctionBuilder, pair: Value) -> tuple[Register, Register]:
        register = k.use(pair)
        assert isinstance(register, Register)
        return k.once(("halves", register.name), split, k, self.element, register)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._unpacked())

    def __len__(self) -> int:
        return self.lanes

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, int) and not -len(self) <= index < len(self):
            raise build_error("PTX221", f"lane {index} of {type(self).__name__}", expected=f"0 to {len(self) - 1}")
        return self._unpacked()[index]

    @property
    def x(self) -> Any:
        return self[0]

    @property
    def y(self) -> Any:
        return self[1]

    @property
    def z(self) -> Any:
        return self[2]

    @property
    def w(self) -> Any:
        return self[3]

    def __bool__(self) -> NoReturn:
        raise python_protocols.truth(self)

    __hash__ = object.__hash__

    def to(self, type: type[Value], *modifiers: str) -> vec:
        """Every lane in another type, as a value's `to`; to bf16, f16, e4m3 and e5m2 two lanes an instruction where PTX can."""
        arithmetic.isa_of(type)
        kind = vec.__class_getitem__((type, len(self)))
        lanes = self._unpacked()
        pairs = None if modifiers else convert_pairs(lanes, type)
        if pairs is not None:
            return kind((), pairs=pairs)
        return kind(tuple(lane.to(type, *modifiers) for lane in lanes))

    def bits(self, type: type[Value]) -> vec:
        """The bits of every lane under another type of equal size."""
        arithmetic.isa_of(type)
        return vec.__class_getitem__((type, len(self)))(tuple(lane.bits(type) for lane in self))

    def _each(self, operation: Callable[[Any], Any]) -> vec:
        return type(self)(tuple(operation(lane) for lane in self))

    def __neg__(self) -> vec:
        return self._each(operator.neg)

    def __pos__(self) -> vec:
        return self._each(operator.pos)

    def __invert__(self) -> vec:
        return self._each(operator.invert)

    def __abs__(self) -> vec:
        return self._each(abs)

    def _map(self, operation: Callable[[Any, Any], Any], other: object, swapped: bool = False) -> vec:
        """Lane by lane, with a vector of as many lanes, or one number or value for all."""
        others = list(other) if isinstance(other, (vec, tuple, list)) else [other] * len(self)
        if len(others) != len(self):
            raise build_error("PTX202", f"{len(others)} lanes with the {len(self)} of {type(self).__name__}")
        pairs = zip(others, self) if swapped else zip(self, others)
        return type(self)(tuple(operation(a, b) for a, b in pairs))

    __add__, __radd__ = _lanewise(operator.add)
    __sub__, __rsub__ = _lanewise(operator.sub)
    __mul__, __rmul__ = _lanewise(operator.mul)
    __truediv__, __rtruediv__ = _lanewise(operator.truediv)
    __floordiv__, __rfloordiv__ = _lanewise(operator.floordiv)
    __mod__, __rmod__ = _lanewise(operator.mod)
    __lshift__, __rlshift__ = _lanewise(operator.lshift)
    __rshift__, __rrshift__ = _lanewise(operator.rshift)
    __and__, __rand__ = _lanewise(operator.and_)
    __or__, __ror__ = _lanewise(operator.or_)
    __xor__, __rxor__ = _lanewise(operator.xor)

    @staticmethod
    def selected(k: FunctionBuilder, condition: pred, a: Any, b: Any) -> vec:
        """Lane by lane; a number stands for every lane."""
        kind: type[vec] = type(a) if isinstance(a, vec) else type(b)
        parts = []
        for each in (a, b):
            lanes = list(each) if isinstance(each, (vec, tuple, list)) else [each] * kind.lanes
            if len(lanes) != kind.lanes or (isinstance(each, vec) and each.element is not kind.element):
                raise build_error("PTX220", f"select of {kind.__name__} and {type(each).__name__}", expected="one type")
            parts.append(lanes)
        return kind(tuple(arithmetic.select(k, condition, x, y) for x, y in zip(*parts)))


python_protocols.refuse_operators(vec)
