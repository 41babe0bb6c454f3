"""What differs in meaning between two modules: their heads, variables, functions, and the instructions of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.compare.changes import Change, Difference
from ptxgen.compare.functions import code_changes
from ptxgen.compare.operands import declaration_of
from ptxgen.compare.values import graph_of
from ptxgen.dataflow.bodies.places import Places
from ptxgen.dataflow.bodies.walk import bodies_of
from ptxgen.ir import Alias, Block, Pragma
from ptxgen.ir.source import resolve
from ptxgen.text.printer import format_statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Directive, Function, Module, Variable

__all__ = ["code_difference", "difference", "outside", "partner_names"]


def difference(old: Module, new: Module) -> Difference:
    """What has another meaning in `new` than in `old`: names of registers, labels and local variables, the order of independent
    instructions, where declarations stand and how constants are written are no change.

    Functions are compared by name. Where each module has one kernel that the other has not, and their parameters fit, the two are
    compared, and the name is a change.
    Equality is structural: what computes the same by other instructions is a change, see `equivalent`.
    """
    return Difference((*_heads(old, new), *code_difference(old, new, tuning=True)))


def code_difference(old: Module, new: Module, *, tuning: bool = False) -> list[Change]:
    """The changes of variables, functions and instructions; with `tuning` also of directives and pragmas of functions, which say
    how they are to be compiled and launched."""
    canonical = partner_names(old, new)
    changes, pairs = outside(old, new, tuning=tuning)
    for one, other in pairs:
        where = Places(old, one.function), Places(new, other.function)
        changes += code_changes(one.function.name, graph_of(one, {}), graph_of(other, canonical), where)
    return changes


def outside(old: Module, new: Module, *, tuning: bool = False) -> tuple[list[Change], list[tuple[Body, Body]]]:
    """The changes of all but the instructions of functions that both have, and the bodies of those."""
    canonical = partner_names(old, new)
    changes = _variables(old, new, canonical)
    ours, theirs = ({body.function.name: body for body in bodies_of(module)} for module in (old, new))
    partners = {canonical.get(name, name): body for name, body in theirs.items()}
    pairs = [(body, partners[name]) for name, body in ours.items() if name in partners]
    for one, other in pairs:
        changes += _declarations(one, other, tuning)
    changes += [_whole("removed", body) for name, body in ours.items() if name not in partners]
    changes += [_whole("added", body) for name, body in partners.items() if name not in ours]
    return changes, pairs


def _heads(old: Module, new: Module) -> list[Change]:
    return [Change("changed", "", before, after) for before, after in zip(_head(old), _head(new)) if before != after]


def _head(module: Module) -> tuple[str, ...]:
    target = ", ".join((module.target, *(each for each in module.target_options if each != "debug")))
    pragmas = [format_statement(item) for item in module.items if isinstance(item, (Pragma, Alias))]
    return (
        f".version {module.version[0]}.{module.version[1]}",
        f".target {target}",
        f".address_size {module.address_size}",
        " ".join(pragmas),
    )


def partner_names(old: Module, new: Module) -> dict[str, str]:
    """Names of the new module that only it can see, and that of the one kernel without a partner: the old names for them."""
    before, after = ({f.name: f for f in module.functions} for module in (old, new))
    only_old = [f for name, f in before.items() if name not in after]
    only_new = [f for name, f in after.items() if name not in before]
    found: dict[str, str] = {}
    kernels = [[f for f in only if f.is_entry] for only in (only_old, only_new)]
    if len(kernels[0]) == len(kernels[1]) == 1 and _interface(kernels[0][0]) == _interface(kernels[1][0]):
        found[kernels[1][0].name] = kernels[0][0].name
    for one, other in zip(
        *([f for f in only if not f.is_entry and f.linkage is None] for only in (only_old, only_new))
    ):
        found[other.name] = one.name
    free = [v for v in old.variables if v.linkage is None and all(v.name != w.name for w in new.variables)]
    known = {v.name for v in old.variables}
    for variable in new.variables:
        if variable.linkage is None and variable.name not in known:
            partner = next((v for v in free if declaration_of(v) == declaration_of(variable)), None)
            if partner is not None:
                free.remove(partner)
                found[variable.name] = partner.name
    return found


def _variables(old: Module, new: Module, canonical: dict[str, str]) -> list[Change]:
    before = {v.name: v for v in old.variables}
    after = {canonical.get(v.name, v.name): v for v in new.variables}
    changes = []
    for name, variable in before.items():
        other = after.get(name)
        if other is None:
            changes.append(Change("removed", "", _declared(variable), "", resolve(variable.source)))
        elif declaration_of(variable) != declaration_of(other):
            places = resolve(variable.source), resolve(other.source)
            changes.append(Change("changed", "", _declared(variable), _declared(other), *places))
    changes += [
        Change("added", "", "", _declared(variable), (), resolve(variable.source))
        for name, variable in after.items()
        if name not in before
    ]
    return changes


def _declared(variable: Variable) -> str:
    return format_statement(variable)


def _whole(kind: str, body: Body) -> Change:
    function = body.function
    text = f"{'.entry' if function.is_entry else '.func'} {function.name}, {len(body.instructions)} instructions"
    places = resolve(function.source)
    if kind == "removed":
        return Change(kind, function.name, text, "", places)
    return Change(kind, function.name, "", text, (), places)


def _declarations(one: Body, other: Body, tuning: bool) -> list[Change]:
    """What two functions say of themselves."""
    before, after = one.function, other.function
    places = resolve(before.source), resolve(after.source)
    said = [(_interface(before), _interface(after))]
    if tuning:
        said.append((_tuning(before), _tuning(after)))
        if before.is_entry and before.name != after.name:
            said.insert(0, ((f".entry {before.name}",), (f".entry {after.name}",)))
    return [Change("changed", before.name, was, now, *places) for pair in said for was, now in zip(*pair) if was != now]


def _interface(function: Function) -> tuple[str, ...]:
    """What a function is to its callers, without names that mean nothing."""
    return (
        ".entry" if function.is_entry else ".func",
        *(
            f"{what} ({', '.join(_unnamed(variable) for variable in variables)})"
            for what, variables in (("results", function.results), ("parameters", function.parameters))
        ),
    )


def _tuning(function: Function) -> tuple[str, ...]:
    """What a function says of itself beside that."""
    return (
        f"linkage {function.linkage}",
        " ".join(sorted(_directive(each) for each in function.directives)),
        " ".join(sorted(function.attributes)),
        " ".join(sorted(_pragmas(function))),
    )


def _unnamed(variable: Variable) -> str:
    pointer = "" if variable.pointer is None else f" .ptr {variable.pointer}"
    shape = "".join(f"[{'' if extent is None else extent}]" for extent in variable.shape)
    return f".{variable.space} .align {variable.alignment} .{variable.type.name}{shape}{pointer}"


def _directive(directive: Directive) -> str:
    return f".{directive.name} {', '.join(str(each) for each in directive.arguments)}".strip()


def _pragmas(function: Function) -> Iterator[str]:
    stack = [function.body] if function.body is not None else []
    while stack:
        for statement in stack.pop():
            if isinstance(statement, Pragma):
                yield format_statement(statement)
            elif isinstance(statement, Block):
                stack.append(statement)
