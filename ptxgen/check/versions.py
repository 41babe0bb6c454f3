"""The lowest PTX version that is enough for a module."""

from __future__ import annotations

from functools import cache

from ptxgen.check.limits import parameter_layout
from ptxgen.check.operands import match
from ptxgen.ir import Module, Special
from ptxgen.isa.forms import Resolved, resolve
from ptxgen.isa.specials import special
from ptxgen.isa.targets import VERSIONS, Target, find_target

__all__ = ["minimum_version"]

# Performance-tuning directives newer than PTX 6.0 (manual 11.4).
_DIRECTIVES: dict[str, tuple[int, int]] = {
    "noreturn": (6, 4),
    "explicitcluster": (7, 8),
    "reqnctapercluster": (7, 8),
    "maxclusterrank": (7, 8),
}


@cache
def _needed_by_name(op: str, target: Target) -> tuple[int, int] | None:
    """The version that every form of this name needs; None when they differ."""
    needs = {_needed(form, target) for form in resolve(op)}
    return needs.pop() if len(needs) == 1 else None


def _needed(form: Resolved, target: Target) -> tuple[int, int]:
    lowest = VERSIONS[0]
    for choices in form.since:
        versions = [c.version for c in choices if target.provides(c.sm, c.suffix)]
        lowest = max(lowest, min(versions, default=lowest))
    return lowest


def minimum_version(module: Module) -> tuple[int, int]:
    """The lowest PTX version with which the module is legal on its target; its forms must exist on that target."""
    target = find_target(module.target)
    needed = max(target.since, VERSIONS[0])
    for function in module.functions:
        for instruction in function.instructions():
            since = _needed_by_name(instruction.op, target)
            if since is None:  # several forms bear the name: the operands decide
                form = match(instruction.op, instruction.operands).resolved
                since = _needed(form, target) if form is not None else needed
            if since > needed:
                needed = since
            for operand in instruction.operands:
                if type(operand) is Special:
                    known = special(operand.name)
                    needed = max(needed, known.since if known is not None else needed)
        if function.is_entry and parameter_layout(function)[1] > target.parameter_bytes((8, 0)):
            needed = max(needed, (8, 1))
        for directive in function.directives:
            needed = max(needed, _DIRECTIVES.get(directive.name, needed))
    return needed
