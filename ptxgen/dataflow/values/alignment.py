"""What is known of the alignment of addresses (manual 6.4.1.1).

An address is known modulo a power of two: variables by their alignment, pointer parameters by their `.ptr .align`, sums and
products of these with constants. A pointer of unknown alignment is known modulo 1.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import Address, Immediate, Operand, Register, Symbol, Variable
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.isa.forms import Resolved

__all__ = ["Alignments", "Known", "access_size"]

_LARGEST = 1 << 20
"""The modulus of a constant."""
_LOADS, _OTHERS = opcodes_with("load"), opcodes_with("store", "atomic")
_COPIES = opcodes_with("copy")

_ROW = 16
"""Bytes of a row of a matrix that ldmatrix and stmatrix move (manual 9.7.14.5.15)."""


class Known(NamedTuple):
    """A value is `residue` modulo the power of two `modulus`; `variable` and `offset` where it is exactly that address."""

    modulus: int
    residue: int
    variable: Variable | None = None
    offset: int = 0


_NOTHING = Known(1, 0)


def access_size(form: Resolved) -> int:
    """Bytes of one access, 0 for what is not a plain one."""
    if "rows" in form.form.traits:
        return _ROW
    operands, index = form.operands, 0
    if form.form.opcode in _OTHERS:  # behind the address
        index = 1 + next(i for i, operand in enumerate(operands) if operand.spec.kind == "address")
    elif form.form.opcode not in _LOADS:
        return 0
    return form.type.bytes * operands[index].lanes if form.type is not None and index < len(operands) else 0


class Alignments:
    """What is known of the addresses of a body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._known: dict[int, Known] = {}

    def of(self, operand: Operand, position: int) -> Known:
        """What is known of an operand or an address."""
        if isinstance(operand, Register):
            number = self.body.number(operand, position)
            return _NOTHING if number is None else self.of_register(number)
        if isinstance(operand, Immediate):
            return Known(_LARGEST, operand.value % _LARGEST) if operand.kind == "int" else _NOTHING
        if isinstance(operand, Symbol):
            variable = self.body.scopes[position].find(operand.name)
            if not isinstance(variable, Variable) or variable.space == "reg":
                return _NOTHING
            return Known(variable.alignment, operand.offset % variable.alignment, variable, operand.offset)
        if isinstance(operand, Address) and not operand.coordinates:
            return _plus(self.of(operand.base, position), Known(_LARGEST, operand.offset % _LARGEST), operand.offset)
        return _NOTHING

    def of_register(self, number: int) -> Known:
        """What is known of a register, wherever it is read."""
        known = self._known.get(number)
        if known is None:
            self._known[number] = _NOTHING  # what depends on itself
            where = self.body.chains.definitions.get(number, ())
            if len(where) == 1 and self.body.instructions[where[0]].pred is None:
                known = self._known[number] = self._written(where[0])
            else:
                known = _NOTHING
        return known

    def _written(self, position: int) -> Known:
        """What the instruction there computes."""
        instruction = self.body.instructions[position]
        opcode, _, rest = instruction.op.partition(".")
        sources = instruction.operands[1:]
        if opcode in _COPIES and len(sources) == 1 and type(instruction.operands[0]) is Register:
            return self.of(sources[0], position)
        if opcode == "ld" and rest.startswith("param"):
            return self._pointer(sources[0], position)
        known = [self.of(source, position) for source in sources]
        if opcode == "add" and len(known) == 2:
            one, other = known if known[0].variable is not None else known[::-1]
            exact = sources[1 if one is known[0] else 0]
            return _plus(one, other, exact.value if isinstance(exact, Immediate) else None)
        if opcode == "sub" and len(known) == 2:
            return _plus(known[0], known[1]._replace(residue=-known[1].residue), None)
        if opcode == "mul" and len(known) == 2 and not rest.startswith("hi"):
            return _times(known[0], known[1])
        if opcode == "shl" and len(known) == 2 and known[1].modulus == _LARGEST:
            return _times(known[0], Known(_LARGEST, 1 << min(known[1].residue, 20)))
        if opcode == "mad" and len(known) == 3 and not rest.startswith("hi"):
            return _plus(_times(known[0], known[1]), known[2], None)
        if opcode == "and" and len(known) == 2:
            masks = [source.value for source in sources if isinstance(source, Immediate) and source.value]
            return Known(min(masks[0] & -masks[0], _LARGEST), 0) if masks else _NOTHING
        return _NOTHING

    def _pointer(self, address: Operand, position: int) -> Known:
        """A pointer parameter, by what its declaration promises."""
        if isinstance(address, Address) and isinstance(address.base, Symbol) and not address.offset:
            variable = self.body.scopes[position].find(address.base.name)
            if isinstance(variable, Variable) and variable.pointer is not None:
                return Known(variable.pointer[1] or 1, 0)
        return _NOTHING


def _plus(one: Known, other: Known, exact: int | None) -> Known:
    """A sum; still in its variable when `exact`, a constant, is added."""
    modulus = min(one.modulus, other.modulus)
    residue = (one.residue + other.residue) % modulus
    if exact is None or one.variable is None:
        return Known(modulus, residue)
    return Known(modulus, residue, one.variable, one.offset + exact)


def _times(one: Known, other: Known) -> Known:
    """A product of which at least one factor is a constant; of two others the common power of two."""
    if one.modulus == _LARGEST:
        one, other = other, one
    if other.modulus != _LARGEST:
        return _NOTHING
    factor = other.residue
    power = min((factor & -factor) * one.modulus, _LARGEST) if factor else _LARGEST
    return Known(power, one.residue * factor % power)
