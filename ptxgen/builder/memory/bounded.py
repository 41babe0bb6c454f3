"""Accesses that stay in range whatever the index is: `x.bounded(n)[i]`.

Where the index is out of range the access is predicated off: a load then gives a stated value, a store or an atomic does
nothing. Or a load reads another element instead. The predicate is computed once a scope for each index and count.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Literal

from ptxgen.builder.core.guards import guarded, unguarded
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.packing import fill_registers
from ptxgen.builder.memory.pointers import E, ptr
from ptxgen.builder.values import arithmetic, conversions
from ptxgen.builder.values.scalars import UNSIGNED, Integer, Value, pred, s64, u32, u64
from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Immediate, Register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.ir import Operand

__all__ = ["Bounded"]

Beyond = Literal["first", "nearest"]


class Bounded(Generic[E]):
    """`x.bounded(n)`: the elements 0 to n - 1 of a pointer. `b[i]`, `b[i] = v`, `b.load`, `b.store`, atomics, `b.vectors(4)[i]`.

    With an index out of range, negative ones included, a load gives `otherwise` (0 by default), an atomic too, and no memory
    is touched. With `beyond` a load reads the "first" element instead, or the "nearest" one; there must be an element then.
    Stores and atomics out of range never happen: there is no other element that they could mean.
    """

    __slots__ = ("_beyond", "_count", "_lanes", "_otherwise", "_pointer")

    def __init__(self, pointer: ptr[E], count: Any, beyond: Beyond | None, otherwise: Any, lanes: int = 1) -> None:
        if beyond not in (None, "first", "nearest"):
            raise build_error(
                "PTX221", f"bounded(..., {beyond!r})", expected='"first", "nearest" or a value: otherwise=0'
            )
        if beyond is not None and not (isinstance(otherwise, int) and otherwise == 0):
            raise build_error(
                "PTX221", f"bounded with {beyond!r} and otherwise={otherwise!r}", expected="one of the two"
            )
        count = plain(count)
        least = 0 if beyond is None else 1
        if isinstance(count, int) and count < least:
            raise build_error("PTX221", f"a bound of {count}", expected=f"{least} or more")
        self._pointer = pointer
        self._count = count if isinstance(count, int) else arithmetic.snapshot(_integer(count, "a bound"))
        self._beyond: Beyond | None = beyond
        self._otherwise = otherwise
        self._lanes = lanes

    def vectors(self, lanes: int) -> Bounded[Any]:
        """The same elements in vectors of `lanes`, whose addresses must be aligned to their size; the last may be in part
        beyond the end, and each of its lanes is then on its own."""
        if self._lanes > 1 or issubclass(self._pointer.element, vec):
            raise build_error(
                "PTX221", "vectors of vectors", hint="x.bounded(n).vectors(4) of a pointer to single elements"
            )
        return Bounded(self._pointer, self._count, self._beyond, self._otherwise, lanes)

    def inside(self, index: Any) -> pred:
        """Is the index in range?"""
        k = self._pointer.builder
        found = _below(k, index, self._count)
        return arithmetic.constant(k, pred, int(found)) if isinstance(found, bool) else found

    def __getitem__(self, index: Any) -> E:
        return self.load(plain(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.store(plain(index), value)

    def load(self, index: Any = 0, *qualifiers: str) -> E:
        """Load an element; qualifiers as in `ptr.load`."""
        if self._lanes > 1:
            vector: E = _Tail(self, index).load(qualifiers)
            return vector
        k, pointer = self._pointer.builder, self._pointer
        with unguarded(k):
            inside = True if self._beyond is not None else _below(k, index, self._count)
            if inside is False:
                return self._missing()
            place = pointer.at(index if self._beyond is None else self._instead(index))
        if inside is True:
            return place.load(0, *qualifiers)
        registers = place.registers()
        self._fill(place, registers)
        with _only_where(k, inside):
            place.load_into(registers, 0, *qualifiers)
        return place.value_of(registers)

    def store(self, index: Any, value: Any, *qualifiers: str) -> None:
        """Store an element; qualifiers as in `ptr.load`."""
        self._pointer.check_writable("a store")
        if self._lanes > 1:
            _Tail(self, index, stores=True).store(value, qualifiers)
            return
        k = self._pointer.builder
        with unguarded(k):
            inside = _below(k, index, self._count)
            place = None if inside is False else self._pointer.at(index)
        if place is not None:
            with _only_where(k, inside):
                place.store(0, value, *qualifiers)

    def atomic(self, index: Any, make: Callable[[Any, Value | None], Any], *, returns: bool) -> Any:
        """An atomic on an element: `make(pointer, into)` appends it. Its old value, or `otherwise`."""
        if self._lanes > 1 or issubclass(self._pointer.element, vec):
            raise build_error("PTX220", "an atomic on a vector", expected="a pointer to single elements")
        k, pointer = self._pointer.builder, self._pointer
        pointer.check_writable("an atomic")
        with unguarded(k):
            inside = _below(k, index, self._count)
            if inside is False:
                return self._missing() if returns else None
            place = pointer.at(index)
        if inside is True:
            return make(place, None)
        old: Any = None
        if returns:
            registers = place.registers()
            self._fill(place, registers)
            old = pointer.element(k, registers[0], k.scope, mutable=True)
        with _only_where(k, inside):
            make(place, old)
        return pointer.element(k, old.operand, k.scope) if returns else None

    def _scalar(self) -> type[Value]:
        element = self._pointer.element
        scalar: type[Value] = element.element if issubclass(element, vec) else element
        return scalar

    def _fill(self, place: ptr[Any], registers: tuple[Any, ...]) -> None:
        """What the registers hold where nothing is loaded."""
        k = place.builder
        fill_registers(k, place.element, registers, _value(k, self._scalar(), self._otherwise))

    def _missing(self) -> E:
        """An element that is known to be out of range."""
        registers = self._pointer.registers()
        self._fill(self._pointer, registers)
        return self._pointer.value_of(registers)

    def _instead(self, index: Integer | int) -> Integer | int:
        """The index of the element that is read."""
        k, count = self._pointer.builder, self._count
        if self._beyond == "first":
            inside = _below(k, index, count)
            if isinstance(inside, bool):
                return index if inside else 0
            return arithmetic.select(k, inside, _as_value(k, index, count), 0)
        if isinstance(index, int):
            if index < 0 or isinstance(count, int):
                return max(0, min(index, count - 1)) if isinstance(count, int) else 0
            index = _as_value(k, min(index, _largest(count)), count)
        if index.isa.is_signed:
            index = arithmetic.maximum(k, index, 0)
        place, count = _alike(k, index, count)
        return place if isinstance(count, int) and count > _largest(place) else arithmetic.minimum(k, place, count - 1)


class _Tail:
    """Vectors of which the last may be cut: whole ones by one access, the lanes of a cut one each by its own."""

    def __init__(self, bounded: Bounded[Any], index: Any, *, stores: bool = False) -> None:
        self.bounded = bounded
        self.index = index
        self.pointer, self.lanes = bounded._pointer, bounded._lanes
        self.builder = k = self.pointer.builder
        count = bounded._count
        with unguarded(k):
            self.place = self.pointer.vectors(self.lanes).at(index)
            if not isinstance(index, int):
                index, count = _alike(k, _integer(index, "an index"), count)
            self.whole = _below(k, index, _whole(k, count, self.lanes))
            self.parts: list[pred | bool] = [False] * self.lanes
            if self.whole is not True and (stores or bounded._beyond is None):
                self.parts = self._parts(index, count)

    def _parts(self, index: Integer | int, count: Integer | int) -> list[pred | bool]:
        """For each lane: is it there, in a vector that is not whole?"""
        k, lanes = self.builder, self.lanes
        if isinstance(count, int):
            last = _equal(k, index, count // lanes) if count % lanes else False
            return [last if lane < count % lanes else False for lane in range(lanes)]
        rest = k.once(("rest", _name(k, count), lanes), lambda: count % lanes)
        last = _equal(k, index, _whole(k, count, lanes))
        if isinstance(last, bool):
            return [*(last and (rest > lane) for lane in range(lanes - 1)), False]
        name, left, there = f"setp.gt.and.u{rest.isa.bits}", k.use(rest), k.truth(last)
        return [*(k.emit1(pred, name, left, Immediate(lane), there) for lane in range(lanes - 1)), False]

    def load(self, qualifiers: tuple[str, ...]) -> Any:
        place, bounded = self.place, self.bounded
        if self.whole is True:
            return place.load(0, *qualifiers)
        registers = place.registers()
        bounded._fill(place, registers)
        if self.whole is not False:
            with _only_where(self.builder, self.whole):
                place.load_into(registers, 0, *qualifiers)
        found = place.value_of(registers)
        found = type(found)(tuple(found))  # each lane in a register of its own, which its load writes
        for lane, element in enumerate(found):
            if bounded._beyond is None:
                self._load_lane(lane, element, qualifiers)
            else:
                self._load_instead(lane, element, qualifiers)
        return found

    def _load_lane(self, lane: int, element: Value, qualifiers: tuple[str, ...]) -> None:
        inside = self.parts[lane]
        if inside is not False:
            with _only_where(self.builder, inside):
                self._lane(lane).load_into(_registers(element), 0, *qualifiers)

    def _load_instead(self, lane: int, element: Value, qualifiers: tuple[str, ...]) -> None:
        """A lane of a vector that is not whole, from the element that stands for it."""
        k, bounded = self.builder, self.bounded
        with unguarded(k):
            index: Integer | int = self.index
            if not isinstance(index, int):
                index = index.to(s64 if index.isa.is_signed else u64)
            index = index * self.lanes + lane  # in 64 bits: it does not wrap
            place = self.pointer.at(bounded._instead(index))
            cut = True if isinstance(self.whole, bool) else ~self.whole
        with _only_where(k, cut):
            place.load_into(_registers(element), 0, *qualifiers)

    def store(self, value: Any, qualifiers: tuple[str, ...]) -> None:
        values = list(value) if isinstance(value, (vec, tuple, list)) else [value] * self.lanes
        if len(values) != self.lanes:
            raise build_error("PTX202", f"{len(values)} values for a vector of {self.lanes}")
        if self.whole is not False:
            with _only_where(self.builder, self.whole):
                self.place.store(0, value if isinstance(value, vec) else values, *qualifiers)
        for lane, inside in enumerate(self.parts):
            if inside is not False:
                with _only_where(self.builder, inside):
                    self._lane(lane).store(0, values[lane], *qualifiers)

    def _lane(self, lane: int) -> ptr[Any]:
        """A pointer to one lane; no instruction."""
        return self.place.cast(self.bounded._scalar()).at(lane)


def _registers(element: Value) -> tuple[Register, ...]:
    """The register of a lane that was loaded."""
    assert isinstance(element.operand, Register)
    return (element.operand,)


# ---- predicates ------------------------------------------------------------------------------------------------------


@contextmanager
def _only_where(k: FunctionBuilder, condition: pred | bool) -> Iterator[None]:
    """Every instruction of the body is guarded by the condition, and by the guard in force."""
    if condition is True:
        yield
        return
    assert condition is not False
    guard = k.guard
    with unguarded(k):
        both = condition if guard is None else pred(k, guard, k.scope) & condition
        operand = k.truth(both)
    with guarded(k, operand):
        yield


def _integer(value: object, what: str) -> Integer:
    if not isinstance(value, Integer) or value.isa.bits not in (32, 64):
        found = f".{value.isa.name}" if isinstance(value, Value) else type(value).__name__
        raise build_error("PTX220", f"{what} is a 32- or 64-bit integer, not {found}", hint=".to(u32)")
    return value


def _largest(value: Value) -> int:
    bits: int = value.isa.bits - value.isa.is_signed
    return (1 << bits) - 1


def _alike(k: FunctionBuilder, index: Integer, count: Integer | int) -> tuple[Integer, Integer | int]:
    """Index and count as unsigned integers of one width; a negative index is then beyond every count. No instruction but,
    where the widths differ, a conversion."""
    if not isinstance(count, int):
        if index.isa.bits < count.isa.bits:
            index = index.to(s64 if index.isa.is_signed else u64)
        elif count.isa.bits < index.isa.bits:
            narrow = count
            count = k.once(("wide", _name(k, narrow)), lambda: narrow.to(s64 if narrow.isa.is_signed else u64))
        count = conversions.bitcast(count, UNSIGNED[count.isa.bits])
    return conversions.bitcast(index, UNSIGNED[index.isa.bits]), count


def _below(k: FunctionBuilder, index: object, count: Integer | int) -> pred | bool:
    """0 <= index < count."""
    if isinstance(index, int):
        if isinstance(count, int) or index < 0:
            return index >= 0 and index < count if isinstance(count, int) else False
        if index > _largest(count):
            return False
        return k.once(("below", index, _name(k, count)), lambda: arithmetic.compare("gt", count, index))
    index = _integer(index, "an index")
    if isinstance(index.operand, Immediate):
        return _below(k, index.operand.value, count)
    if isinstance(count, int) and count > _largest(index):
        return index >= 0 if index.isa.is_signed else True
    if isinstance(count, int) and count == 0:
        return False

    if index.mutable:
        return _compared(k, index, count)
    key = ("below", _name(k, index), index.isa.name, _name(k, count))
    return k.once(key, lambda: _compared(k, index, count))


def _compared(k: FunctionBuilder, index: Integer, count: Integer | int) -> pred:
    place, end = _alike(k, index, count)
    return place < end


def _equal(k: FunctionBuilder, index: Integer | int, number: Integer | int) -> pred | bool:
    if isinstance(index, int):
        if isinstance(number, int):
            return index == number
        index, number = number, index
    if isinstance(number, int) and not 0 <= number <= _largest(index):
        return False
    return arithmetic.compare("eq", index, number)


def _whole(k: FunctionBuilder, count: Integer | int, lanes: int) -> Integer | int:
    """How many whole vectors there are."""
    if isinstance(count, int):
        return count // lanes
    return k.once(("whole", _name(k, count), lanes), lambda: count // lanes)


def _name(k: FunctionBuilder, value: Integer | int) -> str | int:
    """What tells a value from others in the cache of a scope."""
    if isinstance(value, int):
        return value
    operand = k.use(value)
    assert isinstance(operand, (Register, Immediate))
    return operand.value if isinstance(operand, Immediate) else operand.name


def _as_value(k: FunctionBuilder, index: Integer | int, count: Integer | int) -> Integer:
    """An index as a value: a number takes the count's type."""
    if not isinstance(index, int):
        return index
    return arithmetic.constant(k, u32 if isinstance(count, int) else type(count), index)


def _value(k: FunctionBuilder, scalar: type[Value], number: Any) -> Operand:
    """The operand of what a load out of range gives."""
    if isinstance(number, Value):
        if type(number) is not scalar:
            found = f".{number.isa.name}"
            raise build_error(
                "PTX220", f"otherwise is {found}, the elements are .{scalar.isa.name}", hint=f".to({scalar.__name__})"
            )
        return k.use(number)
    if number == 0 and scalar.isa.name not in ("f32", "f64"):
        return Immediate(0)
    return k.use(arithmetic.constant(k, scalar, number))
