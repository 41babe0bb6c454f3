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
    """A variable of shared memory, from its offset on, or a parameter of 64 bits at an offset of the parameters. `number` is its
    place among the kernel's variables or parameters; `end` is 0 for a parameter."""

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
    parameters = {offset: i for i, (_, offset, size) in enumerate(kernel.parameters) if size == 8}
    written = [(op, definitions(op)) for op in kernel.ops]
    changed = True
    while changed:
        changed = False
        for op, targets in written:
            new = _result(op, found, names, parameters) if targets else _NOTHING
            for reg in targets:
                before = found.get(reg, _NOTHING)
                if not new <= before:
                    found[reg] = before | new
                    changed = True
    return found


def _variables(kernel: FlatKernel) -> Names:
    """The shared variables as origins, by name and offset."""
    every = enumerate(kernel.shared_variables)
    return {(v.name, v.offset): Origin("shared", number, v.offset, v.offset + v.size) for number, v in every}


def _result(
    op: Op, found: Mapping[Reg, frozenset[Origin]], names: Names, parameters: dict[int, int]
) -> frozenset[Origin]:
    """Where what an operation writes comes from."""
    sources = op.operands if op.opcode == "st" else op.operands[1:]
    if op.opcode == "ld":
        place = op.operands[1]
        assert isinstance(place, FlatAddress)
        if place.frame is not None and place.frame.fields:
            return frozenset().union(*(found.get(reg, _NOTHING) for reg in place.frame.fields.values()))
        if (
            place.space == "param"
            and place.base is None
            and place.offset in parameters
            and not isinstance(op.operands[0], tuple)
        ):
            return frozenset({Origin("param", parameters[place.offset], place.offset, 0)})
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
