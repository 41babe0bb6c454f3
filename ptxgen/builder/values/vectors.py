"""Vectors: 2 to 16 elements of one type as one value, loaded, converted, computed with and stored by the widest instructions.

A vector has a register for each lane, or one for each two of 8 or 16 bits, as wide accesses and packed instructions leave them
(`pairs.py`). Operations that a packed instruction does take and give pairs; others go lane by lane.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic, python_protocols
from ptxgen.builder.values.pairs import (
    combine_pairs,
    convert_pairs,
    joined,
    narrow,
    pair_of_number,
    pairs_instruction,
    split,
)
from ptxgen.builder.values.scalars import Value
from ptxgen.ir import Register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import pred

__all__ = ["vec"]

_MOST = 16
"""Lanes of the longest vector."""


def _minimum(a: Any, b: Any) -> Any:
    return arithmetic.binary("min", a, b)


def _maximum(a: Any, b: Any) -> Any:
    return arithmetic.binary("max", a, b)


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "floordiv": operator.floordiv,
    "rem": operator.mod, "shl": operator.lshift, "shr": operator.rshift, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "min": _minimum, "max": _maximum,
}  # fmt: skip
"""What is done with two lanes."""

_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.iadd, "sub": operator.isub, "mul": operator.imul, "div": operator.itruediv,
    "floordiv": operator.ifloordiv, "rem": operator.imod, "shl": operator.ilshift, "shr": operator.irshift,
    "and": operator.iand, "or": operator.ior, "xor": operator.ixor,
}  # fmt: skip


def _operators(op: str) -> tuple[Callable[[vec, object], vec], ...]:
    """An operator of vectors, the one where the vector stands to the right, and the one that writes a variable."""

    def plain(self: vec, other: object) -> vec:
        return self.combined(op, other)

    def swapped(self: vec, other: object) -> vec:
        return self.combined(op, other, swapped=True)

    def in_place(self: vec, other: object) -> vec:
        return self.combined(op, other, into=self) if self.mutable else self.combined(op, other)

    return plain, swapped, in_place


class vec:
    """`vec[f32, 4]`: 2 to 16 values of one type, loaded and stored together. `v[i]`, `v[2:4]`, iteration, `.x .y .z .w`.

    Operators, `to`, `bits`, `map`, k.fma, k.min, k.max and k.select go lane by lane, with another vector or one value for all
    lanes; in f16 and bf16 two lanes an instruction where the target can. In memory a vector has 2, 4, 8 or 16 lanes and is
    aligned to its size, to 32 bytes at most. Vectors have no order and no equality: lanes are compared, `v[0] == w[0]`.
    """

    element: ClassVar[type[Value]]
    lanes: ClassVar[int]
    _made: ClassVar[dict[tuple[type[Value], int], type[vec]]] = {}

    def __class_getitem__(cls, key: tuple[type[Value], int]) -> type[vec]:
        made = cls._made.get(key) if type(key) is tuple else None
        if made is None:
            element, lanes = _checked(key)
            made = cls._made[key] = type(
                f"vec[{element.__name__}, {lanes}]", (vec,), {"element": element, "lanes": lanes}
            )
        return made

    def __init__(self, elements: Sequence[Value], *, pairs: tuple[Value, ...] = ()) -> None:
        self._elements = tuple(elements)
        self.pairs = pairs  # in place of elements: two lanes a register
        if pairs:
            return
        if len(self._elements) != self.lanes:
            raise build_error("PTX202", f"{len(self._elements)} values for a {type(self).__name__}")
        for value in self._elements:
            if type(value) is not self.element:
                raise build_error(
                    "PTX220",
                    f"a lane of {type(self).__name__} from {_described(value)}",
                    hint=f"value.to({self.element.__name__}), or k.const({self.element.__name__}, ...)",
                )

    @property
    def mutable(self) -> bool:
        """Is it a variable, of k.var?"""
        return (self.pairs or self._elements)[0].mutable

    def _function(self) -> FunctionBuilder:
        return (self.pairs or self._elements)[0].builder

    # Lanes

    def _unpacked(self) -> tuple[Value, ...]:
        """The lanes, each in a register of its own; pairs are taken apart once a scope, where a lane is first asked for."""
        if not self.pairs:
            return self._elements
        k = self._function()
        return tuple(self.element(k, half, k.scope) for pair in self.pairs for half in self._halves(k, pair))

    def _halves(self, k: FunctionBuilder, pair: Value) -> tuple[Register, Register]:
        register = k.use(pair)
        assert isinstance(register, Register)
        if pair.mutable:
            return split(k, self.element, register)
        return k.once(("halves", register.name), split, k, self.element, register)

    def _paired(self) -> tuple[Value, ...]:
        """The lanes two a register, joined where they are not."""
        if self.pairs:
            return self.pairs
        k = self._function()
        return tuple(joined(k, *both) for both in zip(self._elements[::2], self._elements[1::2]))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._unpacked())

    def __len__(self) -> int:
        return self.lanes

    def __getitem__(self, index: Any) -> Any:
        """Lane i, or with a slice the vector of those lanes."""
        if isinstance(index, slice):
            return self._slice(range(self.lanes)[index], index)
        if isinstance(index, int) and not -len(self) <= index < len(self):
            raise build_error("PTX221", f"lane {index} of {type(self).__name__}", expected=f"0 to {len(self) - 1}")
        return self._unpacked()[index]

    def _slice(self, places: range, index: slice) -> vec:
        if len(places) < 2:
            raise build_error(
                "PTX221",
                f"lanes [{index.start}:{index.stop}:{index.step}] of {type(self).__name__}: a vector of {len(places)}",
                expected="two lanes or more",
                hint="v[i] is one lane",
            )
        kind = vec.__class_getitem__((self.element, len(places)))
        if self.pairs and places.step == 1 and not (places.start % 2 or len(places) % 2):
            return kind((), pairs=self.pairs[places.start // 2 : places.stop // 2])
        lanes = self._unpacked()
        return kind([lanes[place] for place in places])

    def __setitem__(self, index: object, value: object) -> NoReturn:
        hint = "k.vec(a, *v[1:]) is a new vector; v = k.var(px.vec[f32, 4], 0) has v.set(...)"
        raise build_error("PTX326", "a lane of a vector is not assigned", hint=hint)

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

    def concat(self, *others: Any) -> vec:
        """The lanes of this vector and then those of others, vectors or single values of its type; 16 lanes at most."""
        parts = (self, *others)
        kind = vec.__class_getitem__((self.element, sum(len(each) if isinstance(each, vec) else 1 for each in parts)))
        if all(isinstance(each, vec) and each.element is self.element and each.pairs for each in parts):
            return kind((), pairs=tuple(pair for each in parts for pair in each.pairs))
        return kind([lane for each in parts for lane in (each if isinstance(each, vec) else (each,))])

    def __bool__(self) -> NoReturn:
        raise python_protocols.truth(self)

    __hash__ = object.__hash__

    # Conversions

    def to(self, type: type[Value], *modifiers: str) -> vec:
        """Every lane in another type, as a value's `to`; where PTX can, two lanes an instruction: from f32 to bf16, f16, e4m3
        and e5m2, between f16 and e4m3 or e5m2."""
        arithmetic.isa_of(type)
        kind = vec.__class_getitem__((type, len(self)))
        if not modifiers:
            if self.pairs and type is not self.element:
                pairs = convert_pairs(self.element, self.pairs, type)
                if pairs is not None:
                    return kind((), pairs=pairs)
            pairs = narrow(self._unpacked(), type)
            if pairs is not None:
                return kind((), pairs=pairs)
        return kind([lane.to(type, *modifiers) for lane in self])

    def bits(self, type: type[Value]) -> vec:
        """The bits of every lane under another type of equal size."""
        kind = vec.__class_getitem__((type, len(self)))
        if self.pairs and not self.mutable and type.isa.bits == self.element.isa.bits:
            return kind((), pairs=self.pairs)
        return kind([lane.bits(type) for lane in self])

    # Arithmetic

    def map(self, function: Callable[..., Any], *others: Any) -> vec:
        """`function(lane, ...)` of each lane, with the lanes of other vectors or one value for all: values of one type."""
        found = [function(*lanes) for lanes in zip(self, *(self._lanes_of(other) for other in others))]
        if not isinstance(found[0], Value):
            raise build_error(
                "PTX220", f"{found[0]!r:.60} from the function of a map", expected="a value of the device for each lane"
            )
        return vec.__class_getitem__((type(found[0]), len(self)))(found)

    def sum(self) -> Any:
        """The sum of the lanes, in their type: first of lanes i and i + n/2, then of those sums likewise."""
        return self._halved(lambda a, b: a.combined("add", b), operator.add)

    def max(self) -> Any:
        """The largest lane; of a number and NaN, the number."""
        return self._halved(lambda a, b: a.combined("max", b), _maximum)

    def min(self) -> Any:
        """The smallest lane; of a number and NaN, the number."""
        return self._halved(lambda a, b: a.combined("min", b), _minimum)

    def reduce(self, combine: Callable[[Any, Any], Any]) -> Any:
        """The lanes combined to one value, in the order of `sum`: `combine` takes two values and gives one of their type."""
        return self._halved(lambda a, b: a.map(combine, b), combine)

    def _halved(self, of_vectors: Callable[[vec, vec], vec], of_lanes: Callable[[Any, Any], Any]) -> Any:
        rest: Any = self
        while len(rest) > 3:
            half = len(rest) // 2
            both = of_vectors(rest[:half], rest[half : 2 * half])
            rest = both.concat(rest[-1]) if len(rest) % 2 else both
        first, second, *third = rest
        found = of_lanes(first, second)
        return of_lanes(found, *third) if third else found

    def set(self, value: Any) -> None:
        """Write a variable, with a vector or one value for all lanes."""
        if not self.mutable:
            raise build_error(
                "PTX326", "only a variable can be set", hint="v = k.var(px.vec[f32, 4], 0), then v.set(...)"
            )
        if self.pairs:
            others = self._pairs_of(value)
            if others is None:
                others = type(self)(self._lanes_of(value))._paired()
            for pair, other in zip(self.pairs, others):
                arithmetic.assign(pair, other)
            return
        for lane, other in zip(self._elements, self._lanes_of(value)):
            arithmetic.assign(lane, other)

    def __neg__(self) -> vec:
        return self._each("neg", operator.neg)

    def __pos__(self) -> vec:
        if self.pairs:
            return type(self)((), pairs=tuple(arithmetic.snapshot(pair) for pair in self.pairs))
        return self._each("", operator.pos)

    def __invert__(self) -> vec:
        return self._each("not", operator.invert)

    def __abs__(self) -> vec:
        return self._each("abs", abs)

    def _each(self, op: str, operation: Callable[[Any], Any]) -> vec:
        k = self._function()
        if self._packs(k, op):
            return type(self)((), pairs=combine_pairs(k, op, self.element, self._paired()))
        return type(self)([operation(lane) for lane in self])

    def _packs(self, k: FunctionBuilder, op: str) -> bool:
        """Does the target do an operation on two lanes at once?"""
        return not self.lanes % 2 and pairs_instruction(op, self.element.isa, k.target.sm) is not None

    def _lanes_of(self, other: Any) -> list[Any]:
        """The other operand's lanes: of a vector or sequence of as many, or one number or value for all."""
        if not isinstance(other, (vec, tuple, list)):
            return [other] * len(self)
        self._check_length(other)
        return list(other)

    def _check_length(self, other: vec | Sequence[Any]) -> None:
        if len(other) != len(self):
            raise build_error("PTX202", f"{len(other)} lanes with the {len(self)} of {type(self).__name__}")

    def _pairs_of(self, other: Any) -> tuple[Value, ...] | None:
        """The other operand two lanes a register; None where it is of another type."""
        if isinstance(other, (vec, tuple, list)):
            self._check_length(other)
        if isinstance(other, (tuple, list)) and all(type(each) is self.element for each in other):
            return type(self)(other)._paired()
        if isinstance(other, vec):
            return other._paired() if other.element is self.element else None
        k, other = self._function(), plain(other)
        if isinstance(other, (int, float)):
            pair = k.once(("pair of", self.element, str(other)), pair_of_number, k, self.element, other)
        elif type(other) is self.element:
            pair = joined(k, other, other)
        else:
            return None
        return (pair,) * (self.lanes // 2)

    def combined(self, op: str, other: object, *, swapped: bool = False, into: vec | None = None) -> vec:
        """An operation of two; `swapped`, the other is its left operand; `into` is a variable that takes the result."""
        k = self._function()
        pairs = self._pairs_of(other) if self._packs(k, op) else None
        if pairs is not None:
            operands = (pairs, self._paired()) if swapped else (self._paired(), pairs)
            if into is None:
                return type(self)((), pairs=combine_pairs(k, op, self.element, *operands))
            if into.pairs:
                combine_pairs(k, op, self.element, *operands, into=into.pairs)
                return into
        operation, others = _OPERATIONS[op], self._lanes_of(other)
        if into is not None and not into.pairs:
            for lane, each in zip(self, others):
                _IN_PLACE[op](lane, each)  # a variable: the operator writes it
            return into
        found = type(self)([operation(b, a) if swapped else operation(a, b) for a, b in zip(self, others)])
        if into is None:
            return found
        into.set(found)
        return into

    __add__, __radd__, __iadd__ = _operators("add")
    __sub__, __rsub__, __isub__ = _operators("sub")
    __mul__, __rmul__, __imul__ = _operators("mul")
    __truediv__, __rtruediv__, __itruediv__ = _operators("div")
    __floordiv__, __rfloordiv__, __ifloordiv__ = _operators("floordiv")
    __mod__, __rmod__, __imod__ = _operators("rem")
    __lshift__, __rlshift__, __ilshift__ = _operators("shl")
    __rshift__, __rrshift__, __irshift__ = _operators("shr")
    __and__, __rand__, __iand__ = _operators("and")
    __or__, __ror__, __ior__ = _operators("or")
    __xor__, __rxor__, __ixor__ = _operators("xor")

    # What the functions of the builder call, which stand below this file

    @staticmethod
    def fused(k: FunctionBuilder, operands: Sequence[Any], rounding: str, ftz: bool) -> vec:
        """a*b + c lane by lane; numbers and single values stand for every lane."""
        first: vec = next(each for each in operands if isinstance(each, vec))
        if first._packs(k, "fma") and rounding == "rn" and not ftz:
            pairs = [first._pairs_of(each) for each in operands]
            if all(each is not None for each in pairs):
                return type(first)((), pairs=combine_pairs(k, "fma", first.element, *pairs))  # type: ignore[arg-type]
        lanes = zip(*(first._lanes_of(each) for each in operands))
        return type(first)([arithmetic.fma(k, a, b, c, rounding=rounding, ftz=ftz) for a, b, c in lanes])

    @staticmethod
    def selected(k: FunctionBuilder, condition: pred, a: Any, b: Any) -> vec:
        """Lane by lane; a number stands for every lane."""
        first: vec = a if isinstance(a, vec) else b
        for each in (a, b):
            if isinstance(each, vec) and type(each) is not type(first):
                names = f"{type(first).__name__} and {type(each).__name__}"
                raise build_error("PTX220", f"select of {names}", expected="one type")
        if isinstance(a, vec) and isinstance(b, vec) and a.pairs and b.pairs:
            made = tuple(arithmetic.select(k, condition, x, y) for x, y in zip(a.pairs, b.pairs))
            return type(a)((), pairs=made)
        lanes = zip(first._lanes_of(a), first._lanes_of(b))
        return type(first)([arithmetic.select(k, condition, x, y) for x, y in lanes])


python_protocols.refuse_operators(vec)


def _checked(key: Any) -> tuple[type[Value], int]:
    """The element type and the lanes of `vec[...]`; BuildError for what is not of this form."""
    if not isinstance(key, tuple) or len(key) != 2:
        raise build_error("PTX221", f"vec[{key!r:.60}]", expected="a type and a number of lanes: px.vec[f32, 4]")
    element, lanes = key[0], plain(key[1])
    isa = arithmetic.isa_of(element)
    if type(lanes) is not int or not 2 <= lanes <= _MOST or isa.kind == "p" or hasattr(element, "stride"):
        raise build_error(
            "PTX221",
            f"no vector of {lanes!r:.20} x .{isa.name}",
            expected=f"2 to {_MOST} lanes of a type of numbers",
            hint="predicates lane by lane: v[0] < w[0]" if isa.kind == "p" else None,
        )
    return element, lanes


def _described(value: object) -> str:
    return f".{value.isa.name}" if isinstance(value, Value) else repr(value)[:60]
