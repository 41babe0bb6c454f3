"""From a line of PTX to the lines of the source that `.loc` names for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.source_lines import InlinedCalls, files_of, source_lines
from ptxgen.ir import Block, Instruction, LineDirective, resolve

if TYPE_CHECKING:
    from ptxgen.errors import Location
    from ptxgen.ir import Module

__all__ = ["SourceMap"]


class SourceMap:
    """Of one module."""

    def __init__(self, module: Module) -> None:
        files = files_of(module)
        self._lines: dict[int, tuple[Location, ...]] = {}
        for function in module.functions if files else ():
            directive: LineDirective | None = None
            inlined = InlinedCalls()
            stack = [iter(function.body or ())]
            while stack:
                item = next(stack[-1], None)
                if item is None:
                    stack.pop()
                elif isinstance(item, Block):
                    stack.append(iter(item))
                elif isinstance(item, LineDirective):
                    directive = inlined.around(item)
                elif isinstance(item, Instruction) and directive is not None:
                    places = resolve(item.source)
                    if places:
                        found = source_lines((directive,), files)
                        self._lines[places[0].line] = tuple(line.place for line in found)

    def lines(self, place: Location | None) -> tuple[Location, ...]:
        """Of an instruction at a place in the PTX; () where nothing says it."""
        return self._lines.get(place.line, ()) if place is not None and place.kind == "ptx" else ()
