"""What may be an operand of an exact instruction, and how it becomes one of the ir.

a value or a variable           its register; `~p` is a negated predicate
a number                        a constant of the type that the form has there
a tuple                         a vector; of two where the form has two results, `d|p`
sink                            `_`
a pointer, an array             its address; where the form has no address, the register that holds it
a px.TensorMap                  its generic address; of an instruction on .param, and where a form has a name, its name
[base], [base, bytes]           an address: base is a pointer, an integer value or a name
[base, (x, y)]                  an address with coordinates, of a tensor map say; [base, sampler, (x, y)] with a sampler
[endpoint, offset]              a handle of the fabric, where the form has one
"name"                          a name: a label, a function, a variable
an operand of the ir            itself: Special("%tid.x"), Element(x, "b0"), Negated(x), Address(x, zero=True), ...; x may be
                                a value
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.bounded import Bounded
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.tiles.tensor_maps import TensorMap
from ptxgen.builder.values.scalars import Value
from ptxgen.builder.values.vectors import vec
from ptxgen.errors import BuildError
from ptxgen.ir import (
    Address,
    Arguments,
    Element,
    Immediate,
    Negated,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    Sum,
    Symbol,
    Vector,
    float_immediate,
)
from ptxgen.isa.forms import OperandType, Resolved

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.isa.types import ScalarType

__all__ = ["Step", "is_elsewhere", "planned_step", "spelling", "to_operand"]

Step = Callable[["FunctionBuilder", Any], "Operand | None"]
"""Turns a value of a class that is known into an operand of a kind that is known; None when it is not as it was."""


def to_operand(k: FunctionBuilder, entry: OperandType | None, value: Any) -> Operand:
    """The operand that a value stands for where a form has `entry`, None where no form has anything."""
    spec = entry.spec if entry is not None else None
    if isinstance(value, (ptr, DeviceArray)):
        pointer: ptr[Any] = value.pointer if isinstance(value, DeviceArray) else value
        if spec is None or spec.kind == "address":
            return Address(pointer.base(k), pointer.offset)
        if pointer.offset:
            raise build_error("PTX204", "a pointer with an offset is an address, not a register", hint="[x.at(i)]")
        return pointer.base(k)
    if isinstance(value, TensorMap):
        named = entry is not None and (entry.spec.kind == "symbol" or entry.space == "param")
        place = Symbol(value.name) if named else k.use(value.address)
        return _based(place) if spec is not None and spec.kind == "address" else place
    if isinstance(value, Bounded):
        raise build_error(
            "PTX204", "a bounded pointer is not an operand of an exact instruction", hint="pred=b.inside(i)"
        )
    if isinstance(value, Value):
        operand = k.use(value)
        return _based(operand) if spec is not None and spec.kind == "address" else operand
    if isinstance(value, list):
        return _address(k, entry, value)
    if isinstance(value, (tuple, vec)):
        return _several(k, entry, tuple(value))
    if isinstance(value, (bool, int, float)):
        if entry is None or entry.spec.kind == "immediate":  # a selector or the like has no type of its own
            return _number(None, value)
        return _number(entry.type, value)
    if isinstance(value, str):
        return Symbol(value)
    if isinstance(value, (Not, Negated)):
        return type(value)(to_operand(k, entry, value.operand))
    if isinstance(value, Sum):
        return Sum(to_operand(k, entry, value.operand), value.offset, value.zero)  # type: ignore[arg-type]
    if isinstance(value, Element):
        base: Any = to_operand(k, entry, value.base)
        return Element(base, value.name)
    if isinstance(value, Address):
        start: Any = value.base
        start = to_operand(k, None, start) if isinstance(start, Value) else start
        return Address(start, value.offset, value.coordinates, value.handle, value.zero)
    if isinstance(value, Operand):
        return value
    raise build_error("PTX204", f"{value!r:.60} is not an operand", expected="a value, a number, a tuple or an address")


def _based(base: Operand) -> Address:
    """The address that is an operand."""
    if not isinstance(base, (Register, Symbol, Immediate)):
        raise build_error("PTX204", "a negated predicate is not an address", expected=_ADDRESS)
    return Address(base)


_ADDRESS = "[base], [base, bytes] or [base, (x, y)]: the base a pointer, an array, an integer value or a px.TensorMap"


def _address(k: FunctionBuilder, entry: OperandType | None, value: list[Any]) -> Address:
    """`[base]`, `[base, bytes]`, `[base, (x, y)]`, `[base, sampler, (x, y)]`; `[endpoint, offset]` for a handle."""
    whole = entry if value and isinstance(value[0], TensorMap) else None
    base: Operand | None = to_operand(k, whole, value[0]) if value else None
    start = 0
    if isinstance(base, Address):
        start, base = base.offset, base.base
    inside = entry.inside if entry is not None else ()
    if not isinstance(base, (Register, Symbol, Immediate)) or (len(value) > 3 and len(value) != len(inside) + 2):
        raise _no_address(value, _ADDRESS)
    rest = value[1:]
    if entry is not None and inside and not entry.parts and len(rest) == len(inside):
        return Address(base, start, tuple(map(to_operand, (k,) * len(rest), inside, rest)), handle=True)
    if not rest or not isinstance(rest[-1], (tuple, vec)):
        if len(rest) > 1 or (rest and not isinstance(rest[0], int)):
            wanted = _spelled(entry) if entry is not None and entry.parts else "an offset that is a Python integer"
            raise _no_address(value, wanted)
        return Address(base, start + (rest[0] if rest else 0))
    parts = entry.parts if entry is not None else ()
    places = tuple(to_operand(k, part, each) for part, each in zip((*parts, *[None] * len(rest[-1])), tuple(rest[-1])))
    if len(rest) == 1:
        return Address(base, start, places)
    before = (to_operand(k, part, each) for part, each in zip((*inside, *[None] * len(rest)), rest[:-1]))
    return Address(base, start, (*before, Vector(places)))


def _no_address(value: list[Any], expected: str) -> BuildError:
    several = all(isinstance(each, (Value, int, float)) for each in value)
    hint = "(a, b, ...) for several registers: a tuple, not a list" if several else None
    return build_error("PTX204", f"{value!r} is not an address", expected=expected, hint=hint)


def _several(k: FunctionBuilder, entry: OperandType | None, value: tuple[Any, ...]) -> Operand:
    """A vector, a pair of results, or a list of a call."""
    if entry is not None and entry.spec.kind == "call":
        return Arguments(tuple(to_operand(k, None, part) for part in value))
    if entry is not None and entry.spec.second is not None and len(value) == 2:
        first = entry._replace(spec=entry.spec._replace(second=None))
        return Pair(to_operand(k, first, value[0]), to_operand(k, None, value[1]))
    return Vector(tuple(to_operand(k, part, each) for part, each in zip(_parts(entry, len(value)), value)))


def _parts(entry: OperandType | None, count: int) -> tuple[OperandType | None, ...]:
    """What the form has at each place of a vector."""
    if entry is None:
        return (None,) * count
    if len(entry.parts) == count:
        return entry.parts
    return (entry._replace(lanes=1, parts=()),) * count


def _number(type_: ScalarType | None, value: int | float) -> Immediate:
    if isinstance(value, float) or (type_ is not None and type_.is_float):
        return float_immediate(float(value), "f64" if type_ is not None and type_.bits == 64 else "f32")
    return Immediate(int(value))


def spelling(form: Resolved) -> str:
    """The operands of a form as Python spells them: "d:.f32, a:.f32", "[a], [map, (c0, c1)], [mbar]", "(d0, d1), [a]"."""
    texts = [f"{_spelled(entry)}?" if entry.spec.optional else _spelled(entry) for entry in form.operands]
    return ", ".join(texts)


def _spelled(entry: OperandType) -> str:
    spec = entry.spec
    if spec.kind == "address":
        inside = [each.spec.name if each.spec.kind == "value" else f"({each.spec.name}, ...)" for each in entry.inside]
        if entry.parts:
            inside.append(_tuple([f"c{i}" for i in range(len(entry.parts))]))
        return f"[{', '.join([spec.name, *inside])}]"
    type_ = f":.{entry.type.name}" if entry.type is not None and spec.kind in ("value", "symbol", "vector") else ""
    count = len(entry.parts) or entry.lanes
    if count > 1 or spec.kind == "vector":
        names = [f"{spec.name}{i}" for i in range(count)]
        return _tuple(names if count <= _SPELLED else [*names[:2], "...", names[-1]]) + type_
    if spec.second is not None and not spec.second_optional:
        return f"({spec.name}{type_}, {spec.second.name})"
    return f"{spec.name}{type_}"


_SPELLED = 4  # elements of a vector; of more, the first and the last


def _tuple(names: list[str]) -> str:
    return f"({', '.join(names)}{',' * (len(names) == 1)})"


# ---- steps of a plan -------------------------------------------------------------------------------------------------


def planned_step(entry: OperandType, value: Any, ready: Operand) -> Step | None:
    """How to turn values of `value`'s class into operands of the kind of `ready`, which fits; None: only by a full check."""
    spec = entry.spec
    if type(value) is tuple:
        return _planned_parts(entry, value, ready)
    if isinstance(value, Value) and isinstance(ready, Register):
        if isinstance(value, ptr):
            return None
        return _writes(ready.type) if spec.written else _reads(ready.type)
    if isinstance(value, ptr) and isinstance(ready, Address):
        return _points_to(entry.space) if entry.type is None and not entry.parts else None
    if type(value) is list and isinstance(ready, Address) and entry.type is None and not entry.parts:
        return _points_near(entry.space) if isinstance(value[0], ptr) else None
    if isinstance(value, Value) and isinstance(ready, Address) and isinstance(ready.base, Register) and not entry.parts:
        return _addresses(ready.base.type)
    if type(value) is int and isinstance(ready, Immediate):
        if spec.strict and (spec.range or spec.values):
            return None
        return _integer if ready.kind == "int" else _floating(ready.kind)
    if type(value) is float and isinstance(ready, Immediate):
        return _floating(ready.kind)
    if isinstance(value, Sink):
        return _itself
    return None


def _planned_parts(entry: OperandType, value: tuple[Any, ...], ready: Operand) -> Step | None:
    entries: tuple[OperandType | None, ...]
    if isinstance(ready, Pair):
        second = entry.spec.second
        assert second is not None
        entries = (entry._replace(spec=entry.spec._replace(second=None)), OperandType(second, None, 1))
        parts: tuple[Operand, ...] = (ready.first, ready.second)
    elif isinstance(ready, Vector):
        entries, parts = _parts(entry, len(value)), ready.elements
    else:
        return None
    steps = []
    for inner, each, made in zip(entries, value, parts):
        step = planned_step(inner, each, made) if inner is not None else None
        if step is None:
            return None
        steps.append(step)
    if isinstance(ready, Vector) and all(isinstance(part, Value) and not isinstance(part, ptr) for part in value):
        types = {made.type for made in parts if isinstance(made, Register)}
        if len(types) == 1 and all(isinstance(made, Register) for made in parts):
            written = any(inner is not None and inner.spec.written for inner in entries)
            return _registers(types.pop(), written)
    return _Parts(tuple(steps), isinstance(ready, Pair))


@cache
def _registers(type_: ScalarType, written: bool) -> Step:
    """The step of a vector of values that are all of one type."""

    def vector(k: FunctionBuilder, values: tuple[Any, ...]) -> Operand | None:
        found = []
        for value in values:
            operand = value.operand
            if operand.__class__ is not Register or operand.type is not type_ or value.builder is not k:
                return None
            if not value.scope.open or (written and not value.mutable):
                return None
            value.used = True
            found.append(operand)
        return Vector(tuple(found))

    return vector


class _Parts:
    """The step of a tuple: a step for each part."""

    __slots__ = ("pair", "steps")

    def __init__(self, steps: tuple[Step, ...], pair: bool) -> None:
        self.steps = steps
        self.pair = pair

    def __call__(self, k: FunctionBuilder, value: tuple[Any, ...]) -> Operand | None:
        found: list[Operand] = []
        for step, part in zip(self.steps, value):
            operand = step(k, part)
            if operand is None:
                return None
            found.append(operand)
        return Pair(found[0], found[1]) if self.pair else Vector(tuple(found))


@cache
def _reads(type_: ScalarType) -> Step:
    def read(k: FunctionBuilder, value: Value) -> Operand | None:
        operand = value.operand
        if operand.__class__ is Register and operand.type is type_ and value.builder is k and value.scope.open:
            value.used = True
            return operand
        return None

    return read


@cache
def _writes(type_: ScalarType) -> Step:
    def write(k: FunctionBuilder, value: Value) -> Operand | None:
        operand = value.operand
        if operand.__class__ is not Register or operand.type is not type_ or not value.mutable:
            return None
        if value.builder is not k or not value.scope.open:
            return None
        value.used = True
        return operand

    return write


@cache
def _addresses(type_: ScalarType) -> Step:
    read = _reads(type_)

    def address(k: FunctionBuilder, value: Value) -> Operand | None:
        base: Any = read(k, value)
        return None if base is None else Address(base)

    return address


def is_elsewhere(value: Any, space: str) -> bool:
    """Is it a pointer, or `[pointer, bytes]`, to another state space than the one that an instruction names ("" is generic)?
    Of variables the verifier says that."""
    pointer = value[0] if value.__class__ is list else value
    if not space or not isinstance(pointer, ptr) or pointer.space == space or isinstance(pointer.operand, Symbol):
        return False
    return pointer.space != space.partition("::")[0]


@cache
def _points_to(space: str) -> Step:
    def pointer(k: FunctionBuilder, value: ptr[Any]) -> Operand | None:
        return None if is_elsewhere(value, space) else Address(value.base(k), value.offset)

    return pointer


@cache
def _points_near(space: str) -> Step:
    """`[pointer, bytes]`"""

    def address(k: FunctionBuilder, value: list[Any]) -> Operand | None:
        if len(value) != 2 or type(value[1]) is not int or not isinstance(value[0], ptr):
            return None
        if is_elsewhere(value, space):
            return None
        return Address(value[0].base(k), value[0].offset + value[1])

    return address


def _integer(k: FunctionBuilder, value: int) -> Operand | None:
    return Immediate(value)


@cache
def _floating(kind: str) -> Step:
    def number(k: FunctionBuilder, value: float) -> Operand | None:
        return float_immediate(float(value), kind)

    return number


def _itself(k: FunctionBuilder, value: Operand) -> Operand | None:
    return value
