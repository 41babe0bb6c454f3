"""A function's body as one flat list: names of inner `{}` made unique, so that control flow can be raised across them.

A `{}` that declares registers and labels alone is dissolved, as each register is a Python name and each label gets a name that
is unique in the function. One with variables, such as the parameters of a call, stays a `Scope`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import (
    Block,
    BranchTargets,
    CallPrototype,
    CallTargets,
    Comment,
    Instruction,
    Label,
    LineDirective,
    Pragma,
    RegisterDeclaration,
    Symbol,
    Variable,
)
from ptxgen.isa.forms import opcodes_with
from ptxgen.text.printer import format_statement
from ptxgen.transpile.names import label_text
from ptxgen.transpile.nodes import Branch, Mark, Node, Note, Scope, Step, Text

if TYPE_CHECKING:
    from ptxgen.ir import Function, Statement

__all__ = ["FlatBody"]

_KEPT = (Variable, CallPrototype, CallTargets)


class FlatBody:
    """The nodes of a function's body, and what of it was left out.

    `tables` gives the new name of what a `brx` or an indirect `call` names, by position and old name.
    """

    def __init__(self, function: Function, *, keep_lines: bool) -> None:
        self.lines_left_out = 0
        self.nodes: list[Node] = []
        self.tables: dict[tuple[int, str], str] = {}
        self._keep_lines = keep_lines
        self._labels: set[str] = set()
        self._position = 0
        assert function.body is not None
        self._add(function.body, self.nodes, {})

    def _add(self, block: Block, into: list[Node], outer: dict[str, str]) -> None:
        names = dict(outer)
        for statement in block:
            if isinstance(statement, (Label, BranchTargets, CallTargets, CallPrototype)):
                names[statement.name] = label_text(statement.name, self._labels)
        for statement in block:
            if isinstance(statement, Instruction):
                into.append(self._step(statement, names))
            elif isinstance(statement, Block):
                kept = any(isinstance(each, _KEPT) for each in statement)
                inner: list[Node] = [] if kept else into
                self._add(statement, inner, names)
                if kept:
                    into.append(Scope(inner))
            else:
                self._note(statement, into, names)

    def _step(self, instruction: Instruction, names: dict[str, str]) -> Step:
        position, self._position = self._position, self._position + 1
        operands = instruction.operands
        target = operands[-1] if operands else None
        if instruction.opcode == "bra" and isinstance(target, Symbol):
            return Branch(position, instruction, names.get(target.name, target.name))
        if instruction.opcode in opcodes_with("branch") or instruction.opcode == "call":
            for each in operands:
                if isinstance(each, Symbol) and each.name in names:
                    self.tables[position, each.name] = names[each.name]
        return Step(position, instruction)

    def _note(self, statement: Statement, into: list[Node], names: dict[str, str]) -> None:
        if isinstance(statement, Label):
            into.append(Mark(names[statement.name]))
        elif isinstance(statement, Comment):
            into.append(Note(statement.text))
        elif isinstance(statement, RegisterDeclaration):
            pass  # each register is declared where it is first written
        elif isinstance(statement, LineDirective):
            if self._keep_lines:
                into.append(Text(format_statement(statement)))
            else:
                self.lines_left_out += 1
        elif isinstance(statement, BranchTargets):
            labels = tuple(names.get(label, label) for label in statement.labels)
            into.append(Text(format_statement(BranchTargets(names[statement.name], labels)), labels))
        elif isinstance(statement, CallTargets):
            into.append(Text(format_statement(CallTargets(names[statement.name], statement.functions))))
        elif isinstance(statement, CallPrototype):
            renamed = CallPrototype(
                names[statement.name], statement.results, statement.parameters, statement.directives
            )
            into.append(Text(format_statement(renamed)))
        elif isinstance(statement, (Pragma, Variable)):
            into.append(Text(format_statement(statement)))
