"""Does every name of an instruction mean something where it stands?"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

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
    RegisterDeclaration,
    Special,
    Symbol,
    Variable,
    Vector,
)
from ptxgen.isa.specials import special

if TYPE_CHECKING:
    from ptxgen.check.context import Site
    from ptxgen.check.scope import Scope

__all__ = ["check_names"]


def check_names(site: Site) -> bool:
    """Report names that mean nothing here; True when every name does."""
    context, _, instruction, scope = site
    innermost = scope.names
    before = len(context.findings)
    if instruction.pred is not None:
        _check(site, instruction.pred)
    for operand in instruction.operands:
        kind = type(operand)
        if kind is Register:  # by far the most operands, and declared here
            known = innermost.get(operand.name)  # type: ignore[union-attr]
            if type(known) is RegisterDeclaration and known.type is operand.type:  # type: ignore[union-attr]
                continue
        elif kind is Immediate:
            continue
        _check(site, operand)
    return len(context.findings) == before


def _check(site: Site, operand: Operand) -> None:
    if isinstance(operand, Register):
        _check_register(site, operand)
    elif isinstance(operand, Symbol):
        if site.scope.find(operand.name) is None:
            _unknown(site, operand.name)
    elif isinstance(operand, Special):
        _check_special(site, operand)
    else:
        for part in _parts(operand):
            _check(site, part)


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


def _check_register(site: Site, register: Register) -> None:
    declaration = site.scope.find(register.name)
    if not isinstance(declaration, (RegisterDeclaration, Variable)):
        _unknown(site, register.name)
    elif declaration.type is not register.type:
        site.report(
            "PTX203",
            f"{register.name} is used as .{register.type.name} but declared as .{declaration.type.name}",
        )


def _check_special(site: Site, operand: Special) -> None:
    known = special(operand.name)
    target, version = site.context.target, site.context.module.version
    if known is None:
        site.report("PTX301", f"unknown special register {operand.name}")
    elif target.sm < known.target or version < known.since:
        site.report(
            "PTX424",
            f"{operand.name} is not there for {target.name} with PTX {version[0]}.{version[1]}",
            expected=f"PTX {known.since[0]}.{known.since[1]} and sm_{known.target} or newer",
        )


def _unknown(site: Site, name: str) -> None:
    known: list[str] = []
    scope: Scope | None = site.scope
    while scope is not None:
        known += scope.names
        scope = scope.parent
    near = difflib.get_close_matches(name, known, n=1)
    branches = site.instruction.opcode in ("bra", "brx")
    site.report(
        "PTX304" if branches else "PTX301",
        f"unknown {'label' if branches else 'name'} {name}",
        hint=near[0] if near else "declare it before its use",
    )
