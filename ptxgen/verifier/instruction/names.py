"""Does every name of an instruction mean something where it stands?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.scope import Scope, declared
from ptxgen.ir import (
    Address,
    Arguments,
    Block,
    BranchTargets,
    Element,
    Function,
    Label,
    Negated,
    Not,
    Operand,
    Pair,
    Register,
    RegisterDeclaration,
    Special,
    Symbol,
    Variable,
    Vector,
)
from ptxgen.isa.specials import special
from ptxgen.isa.suggestions import similar_names
from ptxgen.verifier.instruction.unknown_names import names_in_sight, remedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.ir import Statement
    from ptxgen.isa.types import ScalarType
    from ptxgen.verifier.program.context import Site

__all__ = ["check_names"]


def check_names(site: Site, operand: Operand, registers: list[int]) -> bool:
    """Report names of an operand that mean nothing here; True when every name does. Adds its registers' numbers."""
    if isinstance(operand, Register):
        return _check_register(site, operand, registers)
    if isinstance(operand, Symbol):
        return _check_symbol(site, operand, registers)
    if isinstance(operand, Special):
        return _check_special(site, operand)
    known = True
    for part in _parts(operand):
        known = check_names(site, part, registers) and known
    return known


def _parts(operand: Operand) -> tuple[Operand, ...]:
    if isinstance(operand, Address):
        return (operand.base, *operand.coordinates)
    if isinstance(operand, (Vector, Arguments)):
        return operand.elements
    if isinstance(operand, Pair):
        return (operand.first, operand.second)
    if isinstance(operand, (Not, Negated)):
        return (operand.operand,)
    return (operand.base,) if isinstance(operand, Element) else ()


def _check_symbol(site: Site, symbol: Symbol, registers: list[int]) -> bool:
    found = site.scope.find(symbol.name)
    if found is None:
        _unknown(site, symbol.name)
        return False
    if isinstance(found, RegisterDeclaration):  # %r1+4, which reads it
        return _check_register(site, Register(symbol.name, found.type), registers)
    if site.instruction.opcode in ("bra", "brx"):
        wanted, what = (
            (Label, "label") if site.instruction.opcode == "bra" else (BranchTargets, "table of .branchtargets")
        )
        if not isinstance(found, wanted):
            site.report("PTX304", f"{symbol.name} is no {what}", expected=f"the name of a {what}")
            return False
        if isinstance(found, BranchTargets):
            return _check_table(site, found)
    site.body.symbols.add(symbol.name)
    return True


def _check_table(site: Site, table: BranchTargets) -> bool:
    for name in table.labels:
        if not isinstance(site.scope.find(name), Label):
            _unknown(site, name)
            return False
    return True


def _check_register(site: Site, register: Register, registers: list[int]) -> bool:
    known = site.scope.registers.get(register.name)
    if known is None:
        known = _enter(site, register)
        if known is None:
            _unknown(site, register.name)
            return False
    if known[1] is not register.type:
        site.report(
            "PTX203",
            f"{register.name} is used as .{register.type.name} but declared as .{known[1].name}",
        )
        return False
    registers.append(known[0])
    return True


def _enter(site: Site, register: Register) -> tuple[int, ScalarType] | None:
    """Number a register at its first use in a scope; None when nobody declares it."""
    declaration, scope = site.scope.find_with_scope(register.name)
    if not isinstance(declaration, (RegisterDeclaration, Variable)):
        return None
    known = scope.registers.get(register.name)
    if known is None:
        known = scope.registers[register.name] = (len(site.body.registers), declaration.type)
        site.body.registers.append(register)
    site.scope.registers[register.name] = known
    return known


def _check_special(site: Site, operand: Special) -> bool:
    known = special(operand.name)
    target, version = site.context.target, site.context.module.version
    if known is None:
        site.report("PTX301", f"unknown special register {operand.name}")
        return False
    if target.sm < known.target or version < known.since:
        site.report(
            "PTX424",
            f"{operand.name} is not there for {target.name} with PTX {version[0]}.{version[1]}",
            expected=f"PTX {known.since[0]}.{known.since[1]} and sm_{known.target} or newer",
        )
        return False
    function = site.function
    if known.directive and function.is_entry and function.directive(known.directive) is None:
        site.report("PTX424", f"{operand.name} is for kernels with .{known.directive}", hint=f".{known.directive} 64")
        return False
    return True


def _unknown(site: Site, name: str) -> None:
    if site.instruction.opcode in ("bra", "brx"):
        labels = [n for n in names_in_sight(site.scope) if isinstance(site.scope.find(n), (Label, BranchTargets))]
        hint = next(iter(similar_names(name, labels, 1)), None)
        elsewhere = name in {statement.name for statement in _statements(site) if isinstance(statement, Label)}
        later = site.instruction.opcode == "brx" and _is_declared_later(site, name)
        if later:
            site.report(
                "PTX304", f"{name} is declared behind its use", expected="the .branchtargets before the brx.idx"
            )
            return
        message = f"label {name} lies inside another {{ }}" if elsewhere else f"unknown label {name}"
        wanted = "a label of this { } or of one around it"
        site.report("PTX304", message, expected=wanted, hint=None if elsewhere else hint)
    elif _is_declared_later(site, name):
        site.report("PTX301", f"{name} is declared behind its use", expected="its declaration before it in the text")
    else:
        expected, hint = remedy(site, name)
        site.report("PTX301", f"unknown name {name}", expected=expected, hint=hint)


def _is_declared_later(site: Site, name: str) -> bool:
    """Does the module, or the function, declare the name further down?"""
    if any(isinstance(item, (Function, Variable)) and item.name == name for item in site.context.module):
        return True
    later = Scope()
    for statement in _statements(site):
        declared(statement, later)
    return later.find(name) is not None


def _statements(site: Site) -> Iterator[Statement]:
    """Every statement of the function, those in nested scopes too."""
    work = [site.function.body]
    while work:
        for statement in work.pop() or ():
            if isinstance(statement, Block):
                work.append(statement)
            yield statement
