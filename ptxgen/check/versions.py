"""The lowest PTX version that is enough for a module."""

from __future__ import annotations

from ptxgen.check.limits import parameter_layout
from ptxgen.check.operands import match
from ptxgen.ir import Module, Special
from ptxgen.isa.specials import special
from ptxgen.isa.targets import VERSIONS, find_target

__all__ = ["minimum_version"]

# Performance-tuning directives newer than PTX 6.0 (manual 11.4).
_DIRECTIVES: dict[str, tuple[int, int]] = {
    "noreturn": (6, 4),
    "explicitcluster": (7, 8),
    "reqnctapercluster": (7, 8),
    "maxclusterrank": (7, 8),
}


def minimum_version(module: Module) -> tuple[int, int]:
    """The lowest PTX version with which the module is legal on its target; its forms must exist on that target."""
    target = find_target(module.target)
    needed = max(target.since, VERSIONS[0])
    for function in module.functions:
        for instruction in function.instructions():
            form = match(instruction.op, instruction.operands).resolved
            for choices in form.since if form is not None else ():
                versions = [c.version for c in choices if target.provides(c.sm, c.suffix)]
                needed = max(needed, min(versions, default=needed))
            for operand in instruction.operands:
                known = special(operand.name) if isinstance(operand, Special) else None
                if known is not None:
                    needed = max(needed, known.since)
        if function.is_entry and parameter_layout(function)[1] > target.parameter_bytes((8, 0)):
            needed = max(needed, (8, 1))
        for directive in function.directives:
            needed = max(needed, _DIRECTIVES.get(directive.name, needed))
    return needed
