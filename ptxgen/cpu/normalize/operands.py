"""What the operands of an instruction stand for: registers, places of variables, parts of vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Inverse, Op, Reg, Selection
from ptxgen.cpu.unsupported import unsupported

if TYPE_CHECKING:
    from ptxgen.cpu.normalize.functions import ModuleFunctions
    from ptxgen.cpu.normalize.name_scope import SymbolScope
    from ptxgen.cpu.normalize.variables import Variables
    from ptxgen.cpu.normalize.writer import Writer
    from ptxgen.isa.types import ScalarType

__all__ = ["Operands"]

_LONG = 4096
"""A declared list of more registers is taken apart only as they are used."""
_COMPONENTS = {name: index for index, names in enumerate(("xr", "yg", "zb", "wa")) for name in names}


class Operands:
    """Of one kernel, whose operations `writer` writes."""

    def __init__(self, writer: Writer, variables: Variables, functions: ModuleFunctions) -> None:
        self._writer = writer
        self._variables = variables
        self._functions = functions

    def declare(self, declaration: ir.RegisterDeclaration, scope: SymbolScope) -> None:
        """The registers of a declaration are in the scope from now on."""
        for stem in declaration.names:
            if declaration.count is not None and declaration.count > _LONG:
                declare = partial(self.declared, type=declaration.type, lanes=declaration.vector)
                scope.ranges.append((stem, declaration.count, declare))
                continue
            names = [stem] if declaration.count is None else [f"{stem}{i}" for i in range(declaration.count)]
            for name in names:
                scope.names[name] = self.declared(name, declaration.type, declaration.vector)

    def declared(self, name: str, type: ScalarType, lanes: int) -> Reg | tuple[Reg, ...]:
        """A register, or those of a vector's components."""
        if lanes == 1:
            return self._writer.reg(name, type)
        return tuple(self._writer.reg(f"{name}.{'xyzw'[i]}", type) for i in range(lanes))

    def guard(self, i: ir.Instruction, scope: SymbolScope) -> tuple[Reg | None, bool]:
        """The predicate of an instruction, if it has one, and whether it is negated."""
        if i.pred is None:
            return None, False
        negated = isinstance(i.pred, ir.Not)
        operand = i.pred.operand if isinstance(i.pred, ir.Not) else i.pred
        reg = self.flat(operand, scope, i)
        assert isinstance(reg, Reg)
        return reg, negated

    def flat(self, operand: ir.Operand, scope: SymbolScope, i: ir.Instruction) -> FlatOperand:
        """What one operand stands for."""
        if isinstance(operand, ir.Register):
            return self.register(operand, scope)
        if isinstance(operand, ir.Element):
            whole = self.register(operand.base, scope)
            if isinstance(whole, Reg):
                return Selection(whole, operand.name)
            index = _COMPONENTS.get(operand.name)
            if index is None or index >= len(whole):
                raise unsupported(f"the selector {operand.base.name}.{operand.name}", i.source)
            return whole[index]
        if isinstance(operand, ir.Symbol):
            return self._symbol(operand, scope, i)
        if isinstance(operand, ir.Address):
            place = self._address(operand, scope, i)
            return (place, *(self.flat(c, scope, i) for c in operand.coordinates)) if operand.coordinates else place
        if isinstance(operand, (ir.Vector, ir.Arguments)):
            return tuple(self.flat(o, scope, i) for o in operand)
        if isinstance(operand, ir.Pair):
            return (self.flat(operand.first, scope, i), self.flat(operand.second, scope, i))
        if isinstance(operand, ir.Not):
            reg = self.flat(operand.operand, scope, i)
            assert isinstance(reg, Reg)
            return Inverse(reg)
        if isinstance(operand, ir.Negated):
            inner = self.flat(operand.operand, scope, i)
            chosen = inner if isinstance(inner, Selection) else Selection(inner)
            return Selection(chosen.operand, chosen.selector, negated=True)
        if isinstance(operand, ir.Sum):
            return self._sum(operand, scope, i)
        return operand

    def _sum(self, operand: ir.Sum, scope: SymbolScope, i: ir.Instruction) -> Reg:
        """`r+4` is computed into a register of its own before the instruction."""
        left = self.register(operand.operand, scope)
        assert isinstance(left, Reg)
        if left.type.bits not in (16, 32, 64):
            raise unsupported(
                f"{left.name}{operand.offset:+}, of {left.type.bits} bits, as an operand of {i.op}", i.source
            )
        made = self._writer.reg(f"{left.name}{operand.offset:+}", left.type)
        self._writer.emit(Op(f"add.u{left.type.bits}", (made, left, ir.Immediate(operand.offset)), i))
        return made

    def register(self, register: ir.Register, scope: SymbolScope) -> Reg | tuple[Reg, ...]:
        found = scope.find(register.name)
        if isinstance(found, (Reg, tuple)):
            return found
        made = self.declared(register.name, register.type, register.lanes)  # the verifier has said it is undeclared
        scope.names[register.name] = made
        return made

    def _symbol(self, symbol: ir.Symbol, scope: SymbolScope, i: ir.Instruction) -> FlatOperand:
        if symbol.name == "WARP_SZ":
            return ir.Immediate(32)
        found = scope.find(symbol.name)
        if isinstance(found, (Reg, tuple)):
            return found
        if isinstance(found, ir.Function):
            return ir.Immediate(self._functions.address(symbol.name) + symbol.offset)
        if found is None:
            found = self._variables.of_module(symbol.name)
        if not isinstance(found, FlatAddress):
            raise unsupported(f"the name {symbol.name!r} as an operand of {i.op}", i.source)
        return self._variables.moved(found, symbol.offset) if symbol.offset else found

    def _address(self, address: ir.Address, scope: SymbolScope, i: ir.Instruction) -> FlatAddress:
        if isinstance(address.base, ir.Immediate):
            return FlatAddress("", None, address.base.value + address.offset)
        base = self.flat(address.base, scope, i)
        if isinstance(base, FlatAddress):
            return self._variables.moved(base, address.offset)
        assert isinstance(base, Reg)
        return FlatAddress("", base, address.offset)
