"""From which shared variable or parameter an address was made: what memcheck holds an access against.

Of each register the set of origins that any of its writers gives it, over the whole kernel; ANYTHING where a pointer may come
from elsewhere. An access is judged when its address has one origin. So `p + i` is judged, for every `i`; what is chosen among two
variables, swizzled, or loaded from memory is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.blocks import definitions, registers_in
from ptxgen.cpu.flat import FlatAddress, FlatKernel, FlatOperand, Op, Reg
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Origin", "origin_of", "origins"]


Names = dict[tuple[str, int], "Origin"]


class Origin(NamedTuple):
    """A variable of shared memory, from its offset on, or 64 bits at an offset of the parameters: one of them, or a word of a
    structure. `number` is its place among the kernel's variables, or among the 64-bit words of its parameters; `end` is 0 for a
    parameter."""

    space: str
    number: int
    offset: int
    end: int


ANYTHING = Origin("", 0, 0, 0)
_NOTHING: frozenset[Origin] = frozenset()
_UNKNOWN = frozenset({ANYTHING})

_KEEPS = frozenset({"mov", "add", "mad", "cvta", "selp"})
"""What it gives is made from its operands as a pointer is."""
_NUMBERS = frozenset({"mul", "shl", "shr", "div", "rem", "setp", "popc", "clz", "bfe", "mul24", "mad24"})
"""What it gives is no pointer, whatever goes in."""


def origins(kernel: FlatKernel) -> Mapping[Reg, frozenset[Origin]]:
    """The origins of each register; none of one that holds no pointer."""
    found: dict[Reg, frozenset[Origin]] = {}
    names = _variables(kernel)
    written = [(op, definitions(op)) for op in kernel.ops]
    changed = True
    while changed:
        changed = False
        for op, targets in written:
            every = _result(op, found, names) if targets else _NOTHING
            for reg in targets:
                before, new = found.get(reg, _NOTHING), _parameter(op, reg, kernel) or every
                if not new <= before:
                    found[reg] = before | new
                    changed = True
    return found


def _variables(kernel: FlatKernel) -> Names:
    """The shared variables as origins, by name and offset."""
    every = enumerate(kernel.shared_variables)
    return {(v.name, v.offset): Origin("shared", number, v.offset, v.offset + v.size) for number, v in every}


def _parameter(op: Op, reg: Reg, kernel: FlatKernel) -> frozenset[Origin]:
    """The 64 bits of a parameter that an operation loads into a register, as a set; an empty one if it does not."""
    place = op.operands[1] if op.opcode == "ld" else None
    type = TYPES.get(op.op.rpartition(".")[2])
    if (
        not isinstance(place, FlatAddress)
        or place.space != "param"
        or place.base is not None
        or place.frame is not None
    ):
        return _NOTHING
    target = op.operands[0]
    offset = place.offset + 8 * (target.index(reg) if isinstance(target, tuple) else 0)
    inside = any(start <= offset and offset + 8 <= start + size for _, start, size in kernel.parameters)
    if type is None or type.bits != 64 or offset % 8 or not inside:
        return _NOTHING
    return frozenset({Origin("param", offset // 8, offset, 0)})


def _result(op: Op, found: Mapping[Reg, frozenset[Origin]], names: Names) -> frozenset[Origin]:
    """Where what an operation writes comes from, if it is no parameter."""
    sources = op.operands if op.opcode == "st" else op.operands[1:]
    if op.opcode == "ld":
        place = op.operands[1]
        assert isinstance(place, FlatAddress)
        if place.frame is not None and place.frame.fields:
            return frozenset().union(*(found.get(reg, _NOTHING) for reg in place.frame.fields.values()))
        type = TYPES.get(op.op.rpartition(".")[2])
        return _UNKNOWN if type is None or type.bits >= 64 else _NOTHING
    if op.opcode in _NUMBERS:
        return _NOTHING
    each = [_of(operand, found, names) for operand in sources]
    together = frozenset().union(*each)
    if op.opcode in _KEEPS or op.opcode == "st":
        return together
    if op.opcode == "cvt":
        return together if ".f" not in op.op else _NOTHING
    if op.opcode == "sub":
        return each[0] if not each[1] else _UNKNOWN
    return _UNKNOWN if together else _NOTHING


def _of(operand: FlatOperand, found: Mapping[Reg, frozenset[Origin]], names: Names) -> frozenset[Origin]:
    if isinstance(operand, FlatAddress) and operand.base is None and operand.frame is None:
        origin = _variable(operand, names)
        return frozenset({origin}) if origin is not None else _UNKNOWN
    return frozenset().union(*(found.get(reg, _NOTHING) for reg in registers_in(operand)))


def _variable(place: FlatAddress, names: Names) -> Origin | None:
    """The shared variable that a symbol, with what is added to it, names."""
    if place.space != "shared":
        return None
    before = [origin for (name, offset), origin in names.items() if name == place.name and offset <= place.offset]
    return max(before, key=lambda origin: origin.offset, default=None)


def origin_of(place: FlatAddress, kernel: FlatKernel, found: Mapping[Reg, frozenset[Origin]]) -> Origin | None:
    """The one origin of the address of an access; None where it has several, or where its end is not known."""
    if place.frame is not None:
        return None
    if place.base is not None:
        known = found.get(place.base, _NOTHING)
        (origin,) = known if len(known) == 1 else (ANYTHING,)
    else:
        origin = _variable(place, _variables(kernel)) or ANYTHING
    sized = origin.space == "param" or origin.end > origin.offset
    return origin if origin is not ANYTHING and sized else None
