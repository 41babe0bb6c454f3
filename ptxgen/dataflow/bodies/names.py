"""What the names of an operand mean where it stands, and the numbers of its registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import (
    Address,
    Arguments,
    BranchTargets,
    Element,
    Label,
    Negated,
    Not,
    Pair,
    Register,
    RegisterDeclaration,
    Special,
    Sum,
    Symbol,
    Variable,
    Vector,
)
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.bodies.listener import WalkListener
    from ptxgen.dataflow.bodies.scope import NameScope
    from ptxgen.ir import Instruction, Operand
    from ptxgen.isa.types import ScalarType

__all__ = ["NameResolver"]


class NameResolver:
    """The names of one body. `listener` is told of those that mean nothing; without one, special registers are not looked at."""

    __slots__ = ("body", "listener")

    def __init__(self, body: Body, listener: WalkListener | None) -> None:
        self.body: Body = body
        self.listener: WalkListener | None = listener

    def resolve(self, scope: NameScope, instruction: Instruction, operand: Operand, registers: list[int]) -> bool:
        """Does every name of an operand mean something here? Adds the numbers of its registers."""
        if isinstance(operand, Register):
            return self._register(scope, instruction, operand, registers)
        if isinstance(operand, Symbol):
            return self._symbol(scope, instruction, operand, registers)
        if isinstance(operand, Special):
            return self.listener is None or self.listener.special(scope, instruction, operand)
        known = True
        for part in _parts(operand):
            known = self.resolve(scope, instruction, part, registers) and known
        return known

    def _symbol(self, scope: NameScope, instruction: Instruction, symbol: Symbol, registers: list[int]) -> bool:
        found = scope.find(symbol.name)
        if found is None:
            return self._unknown(scope, instruction, symbol.name)
        if instruction.opcode in opcodes_with("branch"):
            wanted = Label if instruction.opcode == "bra" else BranchTargets
            if not isinstance(found, wanted):
                if self.listener is not None:
                    self.listener.not_a_target(scope, instruction, symbol.name)
                return False
            if isinstance(found, BranchTargets):
                return self._table(scope, instruction, found)
        self.body.symbols.add(symbol.name)
        return True

    def _table(self, scope: NameScope, instruction: Instruction, table: BranchTargets) -> bool:
        for name in table.labels:
            if not isinstance(scope.find(name), Label):
                return self._unknown(scope, instruction, name)
        return True

    def _register(self, scope: NameScope, instruction: Instruction, register: Register, registers: list[int]) -> bool:
        known = scope.registers.get(register.name)
        if known is None:
            known = self._enter(scope, register)
            if known is None:
                return self._unknown(scope, instruction, register.name)
        if known[1] is not register.type:
            if self.listener is not None:
                self.listener.other_type(scope, instruction, register, known[1])
            return False
        registers.append(known[0])
        return True

    def _enter(self, scope: NameScope, register: Register) -> tuple[int, ScalarType] | None:
        """Number a register at its first use in a scope; None when nobody declares it."""
        declaration, owner = scope.find_with_scope(register.name)
        if not isinstance(declaration, (RegisterDeclaration, Variable)):
            return None
        known = owner.registers.get(register.name)
        if known is None:
            known = owner.registers[register.name] = (len(self.body.registers), declaration.type)
            self.body.registers.append(register)
        scope.registers[register.name] = known
        return known

    def _unknown(self, scope: NameScope, instruction: Instruction, name: str) -> bool:
        if self.listener is not None:
            self.listener.unknown_name(scope, instruction, name)
        return False


def _parts(operand: Operand) -> tuple[Operand, ...]:
    if isinstance(operand, Address):
        return (operand.base, *operand.coordinates)
    if isinstance(operand, (Vector, Arguments)):
        return operand.elements
    if isinstance(operand, Pair):
        return (operand.first, operand.second)
    if isinstance(operand, (Not, Negated, Sum)):
        return (operand.operand,)
    return (operand.base,) if isinstance(operand, Element) else ()
