"""Inputs for a kernel of which only the text is known: what each parameter is, and values for it.

A parameter is read by `ld.param`: each place that the kernel reads is a `Field`. One that an address is computed from is a
pointer; the accesses through it say what it points to.

Values are drawn so that most kernels stay within their buffers: counts are small
beside the buffers, integers in buffers are small half of the time, because they may be indices.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.bodies.kernel_layout import parameter_layout
from ptxgen.dataflow.bodies.launch_bounds import stated
from ptxgen.ir import Address, Register, Symbol
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from random import Random

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Operand
    from ptxgen.isa.types import ScalarType

__all__ = ["Field", "Input", "drawn_input", "element", "fields_of", "packed", "shown"]

_THROUGH = frozenset({"add", "sub", "mov", "cvta", "selp", "mad", "max", "min", "and"})
_COUNTS = (0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 100, 128, 200, 256, 500, 1000)
_NUMBERS = (0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 10.0)
_BYTES = (1 << 12, 1 << 16, 1 << 20)
"""Of each buffer. An input takes one of them for all its buffers, and counts to match."""
_MOST = (16, 256, 1000)


class Field(NamedTuple):
    """A place in the parameter block: `pointer` tells whether an address is computed from it, `type` what it is or points to."""

    name: str
    offset: int
    type: ScalarType
    pointer: bool

    @property
    def size(self) -> int:
        """Bytes in the parameter block."""
        return 8 if self.pointer else self.type.bytes


class Input(NamedTuple):
    """A launch: its shape, and for each field a number, or the bytes of the buffer that it points to."""

    grid: int
    block: tuple[int, int, int]
    shared: int
    values: tuple[int | float | bytes, ...]


def fields_of(body: Body) -> tuple[Field, ...]:
    """The fields of a kernel's parameter block, by their offset."""
    layout = {name: offset for name, offset, _ in parameter_layout(body.function)[0]}
    pointed = _pointed(body)
    found: dict[int, Field] = {}
    for position in body.memory:
        place = _parameter(body, position)
        form = body.forms[position]
        if place is None or form is None or place[0] not in layout:
            continue
        name, offset = place
        type_, lanes = form.operands[0].type or TYPES["b32"], form.operands[0].lanes
        for lane in range(lanes):
            at = offset + lane * type_.bytes
            element = pointed.get((name, at))
            label = name if offset + lane == 0 else f"{name}+{at}"
            found.setdefault(layout[name] + at, Field(label, layout[name] + at, element or type_, element is not None))
    return tuple(found[offset] for offset in sorted(found))


def _parameter(body: Body, position: int) -> tuple[str, int] | None:
    """The parameter that an instruction loads, and the offset in it."""
    instruction = body.instructions[position]
    if not instruction.op.startswith("ld.param") or len(instruction.operands) < 2:
        return None
    address = instruction.operands[1]
    if not isinstance(address, Address) or not isinstance(address.base, Symbol):
        return None
    return address.base.name, address.offset + address.base.offset


def _pointed(body: Body) -> dict[tuple[str, int], ScalarType]:
    """By field (parameter, offset in it): the type of what is accessed through it."""
    found: dict[tuple[str, int], ScalarType] = {}
    for position in body.memory:
        form = body.forms[position]
        if form is None or ".param" in body.instructions[position].op:
            continue
        value = next(
            (each.type for each in form.operands if each.spec.kind != "address" and each.type is not None), None
        )
        for operand in body.instructions[position].operands:
            if isinstance(operand, Address) and isinstance(operand.base, Register):
                for field in _sources(body, operand.base, position):
                    found.setdefault(field, value or TYPES["b8"])
    return found


def _sources(body: Body, register: Operand, position: int) -> list[tuple[str, int]]:
    """The fields that an address may be computed from, through every definition of the registers on the way."""
    found, seen = [], set[int]()
    work = [(register, position)]
    while work:
        operand, at = work.pop()
        number = body.number(operand, at) if isinstance(operand, Register) else None
        for written in () if number is None else body.chains.definitions.get(number, ()):
            if written in seen:
                continue
            seen.add(written)
            instruction, field = body.instructions[written], _parameter(body, written)
            if field is not None:
                lane = body.writes[written].index(number)  # type: ignore[arg-type]
                form = body.forms[written]
                size = form.operands[0].type.bytes if form is not None and form.operands[0].type is not None else 8
                if size == 8:
                    found.append((field[0], field[1] + 8 * lane))
            elif instruction.opcode in _THROUGH:
                terms = instruction.operands[3:] if instruction.opcode == "mad" else instruction.operands[1:]
                work += [(term, written) for term in terms]
    return found


def drawn_input(body: Body, fields: tuple[Field, ...], number: int, rng: Random) -> Input:
    """The input of that number: buffers and counts grow from one to the next, and begin again."""
    size, most = _BYTES[number % 3], _MOST[number % 3]
    counts = [count for count in _COUNTS if count <= most]
    values: list[int | float | bytes] = []
    for field in fields:
        if field.pointer:
            values.append(_buffer(field.type, size, rng))
        elif field.type.is_float:
            values.append(rng.choice(_NUMBERS) if rng.random() < 0.7 else rng.gauss(0, 4))
        elif field.type.kind == "b" and field.type.bits == 32 and rng.random() < 0.3:  # it may be a float
            values.append(struct.unpack("<I", struct.pack("<f", rng.choice(_NUMBERS)))[0])
        else:
            values.append(min(rng.choice(counts[1:] if number % 4 else counts), (1 << field.type.bits - 1) - 1))
    extents = stated(body.function, "reqntid") or stated(body.function, "maxntid") or (rng.choice((32, 64, 128)),)
    block = (*extents, 1, 1)[:3]
    return Input(rng.choice((1, 2, 3)), (block[0], block[1], block[2]), _dynamic_shared(body), tuple(values))


def _dynamic_shared(body: Body) -> int:
    """Bytes of dynamic shared memory: what the builder knows, else plenty where the module has an array without a size."""
    if body.function.dynamic_shared:
        return body.function.dynamic_shared
    unsized = any(v.space == "shared" and v.linkage == "extern" for v in body.module.variables)
    return 48 << 10 if unsized else 0


def _buffer(type_: ScalarType, size: int, rng: Random) -> bytes:
    """Elements of a buffer: a pattern of some hundred values, over and over."""
    return (_pattern(type_, rng) * (size // (type_.bytes * 509) + 1))[:size]


def _pattern(type_: ScalarType, rng: Random) -> bytes:
    count = 509  # a prime: rows of a matrix differ
    if type_.is_float and type_.bits in (16, 32, 64):
        numbers = [rng.choice(_NUMBERS) if rng.random() < 0.2 else rng.gauss(0, 2) for _ in range(count)]
        if type_.name.startswith("bf16"):
            return b"".join(struct.pack("<f", number)[2:] for number in numbers)
        if type_.element == "f16":
            return struct.pack(f"<{count}e", *numbers)
        return struct.pack(f"<{count}{'f' if type_.bits == 32 else 'd'}", *numbers)
    small = rng.random() < 0.5
    if small:
        return b"".join(rng.randrange(16).to_bytes(type_.bytes, "little") for _ in range(count))
    if type_.kind == "b" and type_.bits == 32 and rng.random() < 0.5:
        return struct.pack(f"<{count}f", *[rng.gauss(0, 2) for _ in range(count)])
    return rng.randbytes(count * type_.bytes)


def packed(field: Field, value: int | float) -> bytes:
    """A number as it stands in the parameter block."""
    type_ = field.type
    if isinstance(value, float):
        if type_.bits == 64:
            return struct.pack("<d", value)
        if type_.bits == 32:
            return struct.pack("<f", value)
        return struct.pack("<e", value) if type_.element == "f16" else struct.pack("<f", value)[2:]
    return (value & ((1 << 8 * type_.bytes) - 1)).to_bytes(type_.bytes, "little")


def shown(field: Field, value: int | float | bytes) -> str:
    """A value of an input in words."""
    if isinstance(value, bytes):
        first = ", ".join(element(field.type, value, place) for place in range(4))
        return f"{field.name} = {len(value)} bytes of .{field.type.name}: {first}, ..."
    return f"{field.name} = {value}"


def element(type_: ScalarType, data: bytes, place: int) -> str:
    """An element of a buffer in words."""
    part = data[place * type_.bytes : (place + 1) * type_.bytes]
    if type_.name in ("f32", "f64"):
        number = struct.unpack("<f" if type_.bits == 32 else "<d", part)[0]
        return f"{number:.{9 if type_.bits == 32 else 17}g}"  # so many digits tell every value from its neighbours
    if type_.name == "f16":
        return str(struct.unpack("<e", part)[0])
    return str(int.from_bytes(part, "little", signed=type_.kind == "s"))
