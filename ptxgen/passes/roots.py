"""Where a pointer comes from: which parameter of the kernel, through sums, copies and cvta."""

from __future__ import annotations

from ptxgen.ir import Address, Operand, Register, Symbol
from ptxgen.passes.editing import Edit

__all__ = ["root_of"]

_THROUGH = frozenset({"add", "sub", "mov", "cvta", "mad"})


def root_of(edit: Edit, operand: Operand, position: int) -> str | None:
    """The name of the parameter that an address is computed from; None when it may be another, or more than one.

    Only registers with one definition are followed, and a sum only when exactly one of its terms is a pointer.
    """
    return _root(edit, operand, position, frozenset())


def _root(edit: Edit, operand: Operand, position: int, above: frozenset[int]) -> str | None:
    body = edit.body
    number = edit.number(operand, position)
    where = () if number is None else body.chains.definitions.get(number, ())
    if len(where) != 1 or where[0] in above:
        return None
    instruction = body.instructions[where[0]]
    if instruction.pred is not None:
        return None
    if edit.is_parameter(where[0]):
        address = instruction.operands[1]
        assert isinstance(address, Address)
        assert isinstance(address.base, Symbol)
        return None if address.offset else address.base.name
    if instruction.opcode not in _THROUGH:
        return None
    terms = instruction.operands[3:] if instruction.opcode == "mad" else instruction.operands[1:]
    if instruction.opcode == "sub":
        terms = terms[:1]
    found = [
        root
        for term in terms
        if isinstance(term, Register) and (root := _root(edit, term, where[0], above | {where[0]}))
    ]
    return found[0] if len(found) == 1 else None
