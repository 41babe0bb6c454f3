"""The lowest PTX version, and the lowest target, that are enough for a module."""

from __future__ import annotations

from functools import cache

from ptxgen.dataflow.bodies.kernel_layout import parameter_layout
from ptxgen.dataflow.matching.operands import match
from ptxgen.ir import Module, Special
from ptxgen.isa.forms import Resolved, newest_version, resolve
from ptxgen.isa.notation import Availability
from ptxgen.isa.specials import special
from ptxgen.isa.targets import TARGETS, VERSIONS, Target, find_target
from ptxgen.verifier.module_level.directives import uses

__all__ = ["at_lowest_target", "minimum_target", "minimum_version", "retargeted", "targets_in_order"]


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
    by_name: dict[str, tuple[int, int] | None] = {}
    for function in module.functions:
        for instruction in function.instructions():
            op = instruction.op
            if op not in by_name:
                newest = newest_version(op.partition(".")[0])
                enough = newest is not None and newest <= needed
                by_name[op] = newest if enough else _needed_by_name(op, target)
            since = by_name[op]
            if since is None:  # several forms bear the name: the operands decide
                form = match(op, instruction.operands).resolved
                since = _needed(form, target) if form is not None else needed
            if since > needed:
                needed = since
            for operand in instruction.operands:
                if type(operand) is Special:
                    known = special(operand.name)
                    needed = max(needed, known.since if known is not None else needed)
        if function.is_entry and parameter_layout(function)[1] > target.parameter_bytes((8, 0)):
            needed = max(needed, (8, 1))
    for use in uses(module):
        needed = max(needed, use.row.since.version)
    return needed


@cache
def targets_in_order() -> tuple[Target, ...]:
    """Every target, the one that runs on most machines first: by number; of one number the baseline, then `f`, then `a`."""
    return tuple(sorted(TARGETS.values(), key=lambda target: (target.sm, ("", "f", "a").index(target.suffix))))


def minimum_target(module: Module) -> str:
    """The lowest target that has, with some PTX version, all that a module uses; the one that it states does not matter.

    Lowest is the lowest number; of one number the baseline before `f` (this family) before `a` (this architecture alone).
    ValueError when no target has it all.
    """
    needs = _needs(module)
    for target in targets_in_order():
        if not all(any(target.provides(c.sm, c.suffix) for c in choices) for choices in needs):
            continue
        if not _is_too_low(retargeted(module, target)):
            return target.name
    texts = sorted({" or ".join(f"sm_{c.sm}{c.suffix}" for c in choices) for choices in needs})
    raise ValueError(f"no target has all that {module.name} uses: {'; '.join(texts)}")


def at_lowest_target(module: Module) -> Module:
    """The same module for the lowest target and the lowest PTX version that are enough; it shares its items."""
    return retargeted(module, find_target(minimum_target(module)))


def retargeted(module: Module, target: Target) -> Module:
    """The same module for another target, with the lowest PTX version that is enough there; it shares its items."""
    made = Module(
        target.since,
        target.name,
        module.items,
        target_options=module.target_options,
        address_size=module.address_size,
        name=module.name,
    )
    made.version = minimum_version(made)
    return made


def _needs(module: Module) -> set[tuple[Availability, ...]]:
    """The requirements of a module's instructions, special registers and directives on a target: one of each."""
    found: set[tuple[Availability, ...]] = set()
    seen: set[tuple[object, ...]] = set()
    for function in module.functions:
        for instruction in function.instructions():
            for operand in instruction.operands:
                known = special(operand.name) if type(operand) is Special else None
                if known is not None:
                    found.add((Availability(known.since, known.target),))
            form = match(instruction.op, instruction.operands).resolved
            if form is not None and form.since not in seen:
                seen.add(form.since)
                found.update(form.since)
    for use in uses(module):
        found.add((use.row.since,))
    return found


_OF_TARGETS = frozenset({"PTX403", "PTX411", "PTX412", "PTX413", "PTX421", "PTX423", "PTX424"})
"""Errors that another target may not have."""


def _is_too_low(module: Module) -> bool:
    from ptxgen.verifier.run import run_checks

    return any(finding.is_error and finding.code in _OF_TARGETS for finding in run_checks(module))
