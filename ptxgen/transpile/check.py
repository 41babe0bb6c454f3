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
    Comment,
    Element,
    FileDirective,
    Function,
    Instruction,
    IntermediateSource,
    LineDirective,
    Module,
    Negated,
    Not,
    Pair,
    Register,
    Section,
    Sum,
    Symbol,
    Variable,
    Vector,
)
from ptxgen.text.printer import format_instruction, format_statement
from ptxgen.transpile.flat import FlatBody
from ptxgen.transpile.heads import head_text
from ptxgen.transpile.nodes import Branch, Mark, Node, Scope, Step, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    yield _head(function)
    flat = FlatBody(function, keep_lines=False)
    starts: dict[str, int] = {}
    _find_labels(flat.nodes, starts, 0)
    yield from _Lines(body, flat, starts).of(flat.nodes)


def _find_labels(nodes: list[Node], starts: dict[str, int], position: int) -> int:
    """Where the labels are: the position of the instruction behind each."""
    for node in nodes:
        if isinstance(node, Step):
            position = node.position + 1
        elif isinstance(node, Mark):
            starts[node.label] = position
        elif isinstance(node, Scope):
            position = _find_labels(node.body, starts, position)
    return position


class _Lines:
    """The lines of a body, with registers by the order in which they occur and labels by their positions."""

    def __init__(self, body: Body, flat: FlatBody, starts: dict[str, int]) -> None:
        self._body = body
        self._flat = flat
        self._starts = starts
        self._registers: dict[int, str] = {}
        self._position = 0

    def of(self, nodes: list[Node]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, Step):
                yield self._instruction(node)
            elif isinstance(node, Text):
                labels = f" to {[self._starts.get(label) for label in node.labels]}" if node.labels else node.text
                yield f"directive{labels}"
            elif isinstance(node, Scope):
                yield "{"
                yield from self.of(node.body)
                yield "}"

    def _instruction(self, node: Step) -> str:
        instruction, self._position = node.instruction, node.position
        guard: Any = self._named(instruction.pred) if instruction.pred is not None else None
        if isinstance(node, Branch):
            op = "bra" if instruction.op == "bra.uni" and guard is None else instruction.op
            where = self._starts.get(node.label, node.label)
            return format_instruction(Instruction(op, (Symbol(f"@{where}"),), guard))
        return format_instruction(Instruction(instruction.op, tuple(map(self._named, instruction.operands)), guard))

    def _named(self, each: Any) -> Any:
        if isinstance(each, Register):
            number = self._body.number(each, self._position)
            if number is None:
                return each
            name = self._registers.setdefault(number, f"%{len(self._registers)}:{each.type.bits}.{each.lanes}")
            return Register(name, each.type, each.lanes)
        if isinstance(each, Symbol):
            return Symbol(self._flat.tables.get((self._position, each.name), each.name), each.offset)
        if isinstance(each, Address):
            return Address(self._named(each.base), each.offset, tuple(map(self._named, each.coordinates)), each.handle)
        if isinstance(each, (Vector, Arguments)):
            return type(each)(tuple(map(self._named, each)))
        if isinstance(each, Pair):
            return Pair(self._named(each.first), self._named(each.second))
        if isinstance(each, (Not, Negated)):
            return type(each)(self._named(each.operand))
        if isinstance(each, Sum):
            return Sum(self._named(each.operand), each.offset, each.zero)
        return Element(self._named(each.base), each.name) if isinstance(each, Element) else each


def _head(function: Function) -> str:
    def unnamed(variables: tuple[Variable, ...]) -> tuple[Variable, ...]:
        """What a register is called is the body's alone to know."""
        return tuple(Variable("reg", v.type, "_", vector=v.vector) if v.space == "reg" else v for v in variables)

    made = Function(
        function.name,
        is_entry=function.is_entry,
        results=unnamed(function.results),
        parameters=unnamed(function.parameters),
        linkage=function.linkage,
        directives=function.directives,
        attributes=function.attributes,
    )
    return head_text(made)
