"""Does a program that was written build the module that it was written of?"""

from __future__ import annotations

import linecache
import warnings
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ptxgen.dataflow.bodies.walk import bodies_of
from ptxgen.errors import PtxWarning
from ptxgen.ir import (
    Address,
    Arguments,
    Block,
    BranchTargets,
    CallPrototype,
    CallTargets,
    Comment,
    Element,
    FileDirective,
    Function,
    Instruction,
    IntermediateSource,
    Label,
    LineDirective,
    Module,
    Negated,
    Not,
    Pair,
    Register,
    RegisterDeclaration,
    Section,
    Symbol,
    Vector,
)
from ptxgen.text.printer import format_instruction, format_statement
from ptxgen.transpile.heads import head_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.dataflow.bodies.body import Body

__all__ = ["differences", "rebuilt"]

_DEBUGGING = (Comment, FileDirective, Section, IntermediateSource, LineDirective)


def rebuilt(program: str, name: str = "<transpiled>") -> Module:
    """The module that a program's `module()` builds. The program is run: it is trusted as much as any Python."""
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    try:
        space: dict[str, Any] = {"__name__": "transpiled"}
        exec(compile(program, name, "exec"), space)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PtxWarning)
            module: Module = space["module"]()
        return module
    finally:
        linecache.cache.pop(name, None)


def differences(module: Module, other: Module, limit: int = 3) -> list[str]:
    """Where two modules are not the same instructions on the same data in the same order; [] when they are.

    What registers and labels are called does not count, nor where registers are declared, nor what is for debuggers alone. A
    `bra.uni` without a guard is a `bra`.
    """
    found = []
    for mine, theirs in zip_longest(_canonical(module), _canonical(other)):
        if mine != theirs:
            found.append(f"{mine or 'nothing'}  became  {theirs or 'nothing'}")
            if len(found) == limit:
                break
    return found


def _canonical(module: Module) -> Iterator[str]:
    """A module as lines of text that are equal where two modules do the same."""
    options = ", ".join([module.target, *(each for each in module.target_options if each != "debug")])
    yield f".version {module.version[0]}.{module.version[1]} .target {options} .address_size {module.address_size}"
    bodies = iter(bodies_of(module))
    for item in module:
        if isinstance(item, _DEBUGGING):
            continue
        if not isinstance(item, Function):
            yield format_statement(item)
        elif item.body is None:
            yield head_text(item)
        else:
            yield from _function(item, next(bodies))


def _function(function: Function, body: Body) -> Iterator[str]:
    registers: dict[int, str] = {}
    yield _head(function)
    starts = {label: block.start for block in body.flow.blocks for label in block.labels}
    position = 0

    def named(each: Any) -> Any:
        if isinstance(each, Register):
            number = body.number(each, position)
            if number is None:
                return each
            name = registers.setdefault(number, f"%{len(registers)}:{each.type.bits}.{each.lanes}")
            return Register(name, each.type, each.lanes)
        if isinstance(each, Symbol):
            return Symbol(f"@{starts[each.name]}", each.offset) if each.name in starts else Symbol(each.name, each.offset)
        if isinstance(each, Address):
            return Address(named(each.base), each.offset, tuple(map(named, each.coordinates)), each.handle)
        if isinstance(each, (Vector, Arguments)):
            return type(each)(tuple(map(named, each)))
        if isinstance(each, Pair):
            return Pair(named(each.first), named(each.second))
        if isinstance(each, (Not, Negated)):
            return type(each)(named(each.operand))
        return Element(named(each.base), each.name) if isinstance(each, Element) else each

    assert function.body is not None
    for statement in _flat(function.body):
        if isinstance(statement, str):
            yield statement
        elif isinstance(statement, Instruction):
            guard = named(statement.pred) if statement.pred is not None else None
            op = "bra" if statement.op == "bra.uni" and guard is None else statement.op
            yield format_instruction(Instruction(op, tuple(map(named, statement.operands)), guard))
            position += 1
        elif isinstance(statement, BranchTargets):
            yield f".branchtargets {' '.join(str(starts.get(label)) for label in statement.labels)}"
        elif isinstance(statement, CallTargets):
            yield f".calltargets {' '.join(statement.functions)}"
        else:
            yield format_statement(statement)


def _head(function: Function) -> str:
    made = Function(
        function.name,
        is_entry=function.is_entry,
        results=function.results,
        parameters=function.parameters,
        linkage=function.linkage,
        directives=function.directives,
        attributes=function.attributes,
    )
    return head_text(made)


def _flat(block: Block) -> Iterator[Any]:
    for statement in block:
        if isinstance(statement, Block):
            kept = any(not isinstance(each, (Instruction, RegisterDeclaration, Label, Comment, LineDirective, BranchTargets,
                                             Block)) for each in statement)
            if kept:
                yield "{"
            yield from _flat(statement)
            if kept:
                yield "}"
        elif not isinstance(statement, (RegisterDeclaration, Label, Comment, LineDirective)):
            yield statement
