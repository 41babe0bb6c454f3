"""Does every name of an instruction mean something where it stands?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.scope import NameScope, declared
from ptxgen.ir import (
    Block,
    BranchTargets,
    Function,
    Label,
    Not,
    Register,
    Special,
    Symbol,
    Variable,
)
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.specials import special

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.isa.types import ScalarType
    from ptxgen.verifier.program.context import Site

__all__ = ["check_special", "report_not_a_target", "report_other_type", "report_unknown_name"]

_BRANCHES = opcodes_with("branch")


def report_not_a_target(site: Site, name: str) -> None:
    """PTX304: a branch to what is not a label, or through what is not a table of .branchtargets."""
    what = "label" if site.instruction.opcode == "bra" else "table of .branchtargets"
    site.report("PTX304", f"{name} is no {what}", expected=f"the name of a {what}")


def report_other_type(site: Site, register: Register, declared: ScalarType) -> None:
    """PTX203: a register used with another type than its own."""
    site.report("PTX203", f"{register.name} is used as .{register.type.name} but declared as .{declared.name}")


def check_special(site: Site, operand: Special) -> bool:
    """Report a special register that is not there, or not for this target, version or kernel; True when it is."""
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


def report_unknown_name(site: Site, name: str) -> None:
    """PTX301, or PTX304 for a branch: what the name may have been meant for."""
    if site.instruction.opcode in _BRANCHES and not _is_guard(site, name):
        elsewhere = name in site.body.analysis(_Declared).labels
        hint = None
        if not elsewhere and site.context.wants_hint():
            from ptxgen.isa.suggestions import similar_names
            from ptxgen.verifier.instruction.unknown_names import names_in_sight

            labels = [n for n in names_in_sight(site.scope) if isinstance(site.scope.find(n), (Label, BranchTargets))]
            hint = next(iter(similar_names(name, labels, 1)), None)
        later = site.instruction.opcode == "brx" and _is_declared_later(site, name)
        if later:
            site.report(
                "PTX304", f"{name} is declared behind its use", expected="the .branchtargets before the brx.idx"
            )
            return
        message = f"label {name} lies inside another {{ }}" if elsewhere else f"unknown label {name}"
        wanted = "a label of this { } or of one around it"
        site.report("PTX304", message, expected=wanted, hint=hint)
    elif _is_declared_later(site, name):
        site.report("PTX301", f"{name} is declared behind its use", expected="its declaration before it in the text")
    else:
        from ptxgen.verifier.instruction.unknown_names import remedy

        expected, hint = remedy(site, name)
        site.report("PTX301", f"unknown name {name}", expected=expected, hint=hint)


def _is_guard(site: Site, name: str) -> bool:
    """Is it the name of the guard, and not of what the branch leads to?"""
    guard = site.instruction.pred
    register = guard.operand if isinstance(guard, Not) else guard
    return isinstance(register, Symbol) and register.name == name


def _is_declared_later(site: Site, name: str) -> bool:
    """Does the module, or the function, declare the name further down?"""
    return site.body.analysis(_Declared).names.find(name) is not None


class _Declared:
    """What a function declares anywhere, in nested scopes too, and the module around it, before the function and behind."""

    def __init__(self, body: Body) -> None:
        self.labels: set[str] = set()
        module = NameScope()
        for item in body.module:
            if isinstance(item, (Function, Variable)):
                module.add(item.name, item)
        self.names = NameScope(module)
        work = [body.function.body]
        while work:
            for statement in work.pop() or ():
                if isinstance(statement, Block):
                    work.append(statement)
                elif isinstance(statement, Label):
                    self.labels.add(statement.name)
                else:
                    declared(statement, self.names)
