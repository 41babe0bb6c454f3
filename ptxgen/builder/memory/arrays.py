"""Variables in memory: of a CTA, of a thread, of the module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error, caller
from ptxgen.builder.memory.packing import check_in_memory
from ptxgen.builder.memory.pointers import E, ptr, variable_pointer
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import Integer, Value
from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Immediate, Variable, float_immediate
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder, ValueScope

__all__ = ["DeviceArray", "constant", "dynamic_shared", "global_", "known_index", "local", "shared"]


class DeviceArray(Generic[E]):
    """A variable of several dimensions: `tile[i, j]` loads, `tile[i, j] = v` stores; `tile.pointer` is its flat pointer,
    `tile.vectors(4)` that to vectors."""

    __slots__ = ("pointer", "shape", "strides")

    def __init__(self, pointer: ptr[E], shape: tuple[int, ...]) -> None:
        self.pointer: ptr[E] = pointer
        self.shape: tuple[int, ...] = shape
        strides = [1] * len(shape)
        for axis in reversed(range(len(shape) - 1)):
            strides[axis] = strides[axis + 1] * shape[axis + 1]
        self.strides: tuple[int, ...] = tuple(strides)

    @property
    def address(self) -> Any:
        """The address of the first element as a number: of shared memory a u32, else a u64."""
        return self.pointer.address

    def index(self, *position: Any) -> Any:
        """The flat index of a position, each part a Python integer or a 32-bit device integer within its extent."""
        fixed, moving = self._flat(position)
        return fixed if moving is None else moving + fixed

    def _flat(self, position: tuple[Any, ...]) -> tuple[int, Any]:
        """The flat index as a sum: what is known while building, and what the device computes, None where nothing is."""
        if len(position) != len(self.shape):
            raise build_error("PTX202", f"{len(position)} indices into {len(self.shape)} dimensions {self.shape}")
        fixed: int = 0
        moving: Any = None
        for part, stride, extent in zip(map(known_index, position), self.strides, self.shape):
            if isinstance(part, int):
                if extent and not 0 <= part < extent:
                    raise build_error("PTX221", f"index {part} outside 0..{extent - 1}")
                fixed += part * stride
            elif moving is None:
                moving = part * stride
            elif stride == 1:
                moving = moving + part
            else:
                moving = arithmetic.fma(part.builder, part, stride, moving)
        return fixed, moving

    def at(self, *position: Any) -> ptr[E]:
        """A pointer to an element; what is known of the position is the immediate offset of its address."""
        fixed, moving = self._flat(position)
        place = self.pointer if moving is None else self.pointer.at(moving)
        return place.at(fixed) if fixed else place

    def vectors(self, lanes: int) -> ptr[Any]:
        """The array as a flat pointer to vectors of `lanes` elements; its variable is aligned to their size."""
        return self.pointer.vectors(lanes)

    def __getitem__(self, position: Any) -> E:
        return self.at(*_parts(position)).load()

    def __setitem__(self, position: Any, value: Any) -> None:
        self.at(*_parts(position)).store(0, value)


def _parts(position: Any) -> tuple[Any, ...]:
    return position if isinstance(position, tuple) else (position,)


def known_index(part: Any) -> Any:
    """A part of a position as a Python number where it is known while building."""
    return part.operand.value if isinstance(part, Integer) and isinstance(part.operand, Immediate) else plain(part)


def _shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(shape, Value):
        raise build_error("PTX221", "the shape of an array is known while building", hint="k.dynamic_shared(type)")
    shape = plain(shape)
    found: tuple[Any, ...] = tuple(map(plain, shape)) if isinstance(shape, Iterable) else (shape,)
    if not found or any(not isinstance(n, int) or n < 1 for n in found):
        raise build_error("PTX221", f"a shape of {shape!r}", expected="positive Python integers, known while building")
    return found


def _storage(element: Any) -> tuple[Any, int]:
    """(ir type of the variable, elements of it that make one element)."""
    arithmetic.isa_of(getattr(element, "element", element))
    scalar = element.element if issubclass(element, vec) else element
    lanes = element.lanes if issubclass(element, vec) else 1
    if lanes > 1:
        check_in_memory(element)
    isa = scalar.isa
    if isa.kind == "p":
        raise build_error("PTX220", "predicates are not stored in memory", hint="p.to(u8)")
    return (isa if isa.kind in "us" or isa.name in ("f32", "f64") else TYPES[f"b{isa.bits}"]), lanes


def _count(shape: tuple[int, ...], lanes: int) -> int:
    total = lanes
    for extent in shape:
        total *= extent
    return total


def _declare(
    k: FunctionBuilder, space: str, element: Any, shape: tuple[int, ...], name: str | None, align: int | None
) -> Variable:
    type_, lanes = _storage(element)
    natural = type_.bytes * lanes
    return Variable(
        space,
        type_,
        name or f"{space}_{len(k.variables)}",
        shape=(_count(shape, lanes),),
        align=max(align or 0, natural),
        source=caller(),
    )


def shared(
    k: FunctionBuilder, type: type[E], shape: int | Sequence[int], *, align: int | None = None, name: str | None = None
) -> DeviceArray[E]:
    """A shared array of this CTA, not initialised."""
    extents = _shape(shape)
    variable = _declare(k, "shared", type, extents, name, align)
    k.variables.append(variable)
    return DeviceArray(variable_pointer(k, type, variable, _root(k)), extents)


def dynamic_shared(
    k: FunctionBuilder, type: type[E], shape: int | Sequence[int] = 0, *, align: int = 16
) -> DeviceArray[E]:
    """The shared memory whose size the launch states (`shared=` bytes). All such arrays of a kernel start at one address.

    `shape` gives the strides of several dimensions; its first extent may be 0. A kernel has such arrays or tiles (`k.tile`),
    whose memory is planned.
    """
    k.shared_memory.leave_unplanned()
    extents = (0,) if shape == 0 else tuple(shape) if not isinstance(shape, int) else (shape,)
    return DeviceArray(variable_pointer(k, type, k.module.dynamic_shared(align), _root(k)), extents)


def local(k: FunctionBuilder, type: type[E], shape: int | Sequence[int], *, align: int | None = None) -> DeviceArray[E]:
    """An array of this thread's own, in local memory."""
    extents = _shape(shape)
    variable = _declare(k, "local", type, extents, None, align)
    k.variables.append(variable)
    return DeviceArray(variable_pointer(k, type, variable, _root(k)), extents)


def constant(k: FunctionBuilder, name: str, type: type[E], values: Sequence[int | float]) -> ptr[E]:
    """A module constant with its values, of vectors those of all lanes in a row. A second declaration of the name must be
    equal; it is the same constant."""
    return _module_variable(k, "const", name, type, None, values)


def global_(
    k: FunctionBuilder,
    name: str,
    type: type[E],
    count: int | None = None,
    *,
    values: Sequence[int | float] | None = None,
) -> ptr[E]:
    """A module variable in global memory: `count` elements (as many as there are values, else 1), zero or with its values;
    the host finds it by name."""
    return _module_variable(k, "global", name, type, count, values)


def _module_variable(
    k: FunctionBuilder, space: str, name: str, element: Any, count: int | None, values: Sequence[int | float] | None
) -> ptr[Any]:
    type_, lanes = _storage(element)
    scalar = element.element if issubclass(element, vec) else element
    if count is None:
        count = 1 if values is None else len(values) // lanes
    (count,) = _shape(count)
    if values is not None and len(values) != count * lanes:
        raise build_error("PTX221", f"{len(values)} values for {count} elements of {name}", expected=f"{count * lanes}")
    init = None if values is None else tuple(_initial(k, scalar, value) for value in values)
    variable = Variable(
        space,
        type_,
        name,
        shape=(count * lanes,),
        align=type_.bytes * lanes,
        init=init,
        linkage="visible" if space == "global" else None,
        source=caller(),
    )
    return variable_pointer(k, element, k.module.declare(variable), _root(k))


def _initial(k: FunctionBuilder, scalar: type[Value], value: int | float) -> Immediate:
    isa = scalar.isa
    if isa.name in ("f32", "f64"):
        return float_immediate(float(value), isa.name)
    if isa.is_float:
        raise build_error("PTX220", f"initial values of .{isa.name}", hint="values of b16 bit patterns")
    found = arithmetic.constant(k, scalar, value).operand
    assert isinstance(found, Immediate)
    return found


def _root(k: FunctionBuilder) -> ValueScope:
    scope = k.scope
    while scope.parent is not None:
        scope = scope.parent
    return scope
