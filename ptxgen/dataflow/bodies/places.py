"""Where an instruction comes from: the line of Python or a template, that of PTX, and that of the source that `.loc` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.source_lines import files_of, source_lines
from ptxgen.ir import Block, Instruction, LineDirective
from ptxgen.ir.source import resolve

if TYPE_CHECKING:
    from ptxgen.errors import Location
    from ptxgen.ir import Function, Module

__all__ = ["Places"]


class Places:
    """The places of one function's instructions."""

    def __init__(self, module: Module, function: Function) -> None:
        self._files = files_of(module)
        self._lines: dict[int, LineDirective] = {}
        if self._files and function.body is not None:
            self._note(function.body, None)

    def _note(self, block: Block, line: LineDirective | None) -> LineDirective | None:
        for statement in block.statements:
            if isinstance(statement, LineDirective) and not statement.intermediate:
                line = statement
            elif isinstance(statement, Block):
                line = self._note(statement, line)
            elif isinstance(statement, Instruction) and line is not None:
                self._lines[id(statement)] = line
        return line

    def of(self, instruction: Instruction) -> tuple[Location, ...]:
        """The places of an instruction, that of `.loc` last."""
        line = self._lines.get(id(instruction))
        found = resolve(instruction.source)
        named = () if line is None else tuple(each.place for each in source_lines([line], self._files)[:1])
        return (*found, *named)
