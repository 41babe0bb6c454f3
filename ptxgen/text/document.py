"""PTX text that is being edited: its module and its syntax errors after each change.

A document is one state of the text; `edit` gives the next one, and reads only what may have changed. What is read again is the
part of some 200 lines around the change (`parts`); the statements of the others are those of the state before. Where the
change declares names, the rest of their scope is read again; where braces do not match, or the change is in the header, all.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from ptxgen.errors import PtxError
from ptxgen.ir import Function, Module, SourceText
from ptxgen.text.cursor import Cursor, Unexpected
from ptxgen.text.parser import OPEN_COMMENT, Parser, nested_too_deeply
from ptxgen.text.parts import Part, Parts, function_index, net

if TYPE_CHECKING:
    from ptxgen.errors import Diagnostic
    from ptxgen.ir import ModuleItem

__all__ = ["Document"]

_STRUCTURE = frozenset({"PTX104", "PTX111"})
"""Findings that say something of more than their statement: braces without their other half, and what is nested too deeply."""


class _Everything(Exception):
    """The text has to be read as a whole."""


class Document:
    """A text with its `module`, that of what can be read of it, and its syntax errors, `diagnostics`, in the text's order.

    Places are offsets in characters from 0, or pairs (line, column) that count from 1, as those of a Location do. States share
    the statements that they have in common: the places of those (`ptxgen.ir.resolve`) are the ones in the newest state.
    """

    __slots__ = ("_lines", "_parts", "_starts", "diagnostics", "module", "name", "text")

    def __init__(self, text: str, name: str = "<ptx>") -> None:
        self.text: str = text
        self.name: str = name
        self._parts: list[Part] = []
        self._starts: list[int] = [0]
        """The offset of each part."""
        self._lines: list[int] = [1]
        """The line on which each begins."""
        self.module: Module = Module((0, 0), "", name=name)
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self._read()

    def edit(self, start: int | tuple[int, int], end: int | tuple[int, int], replacement: str) -> Document:
        """The document with `replacement` where the characters from `start` up to `end` were.

        PtxError for places that the text does not have.
        """
        first, last = self.offset(start), self.offset(end)
        if first > last:
            raise PtxError(f"an edit from offset {first} back to {last}", hint="give the earlier place first")
        new = object.__new__(Document)
        new.text = self.text[:first] + replacement + self.text[last:]
        new.name = self.name
        try:
            new._read_after(self, first, last)
        except (_Everything, RecursionError):
            new._read()
        return new

    def _read(self) -> None:
        """Read all."""
        c = Cursor(SourceText(self.text, self.name))
        parts = Parts(c)
        parser = Parser(c, parts=parts)
        try:
            parser.read_module()
        except RecursionError:
            nested_too_deeply(c)
        parts.end(len(self.text))
        self.module = parser.module
        self._parts = parts.found
        self.diagnostics = tuple(sorted(c.findings, key=_line))
        if _is_whole(self.text, c.findings):
            self._parts = []  # so is the next state
        self._place()

    def _read_after(self, old: Document, first: int, last: int) -> None:
        """Read what an edit of the characters from `first` to `last` of another state may have changed."""
        parts = old._parts
        starts = old._starts
        begin, end = bisect_right(starts, first) - 1, bisect_right(starts, last) - 1
        if begin < 1:  # the header, or nothing is known
            raise _Everything
        moved = len(self.text) - len(old.text)
        goals = {starts[n] + moved: n for n in range(end + 1, len(parts))}

        changed = parts[begin]
        line = old._lines[begin]
        c = Cursor(SourceText(self.text, self.name, first_line=line, line_start=starts[begin]))
        c.scope.replay(net(entry for part in parts[:begin] for entry in part.log))
        c.tokens.seek(starts[begin])
        reading = Parts(c, line, changed.items, changed.statements)
        reading.aim(goals, parts, begin, old.module)
        parser = Parser(c, parts=reading)
        items = self._items_from(old.module, changed, parser)
        if _is_whole(self.text, c.findings):
            raise _Everything
        module = old.module
        self.module = Module(
            module.version, module.target, items, target_options=module.target_options,
            address_size=module.address_size, name=self.name,
        )  # fmt: skip
        if reading.done is None:
            reading.end(len(self.text))
        rest = [] if reading.done is None else parts[reading.done :]
        self._parts = [*parts[:begin], *reading.found, *self._moved(rest, reading, len(items) - len(module.items))]
        self._place()
        self.diagnostics = tuple(sorted((each for part in self._parts for each in part.found()), key=_line))

    def _items_from(self, old: Module, changed: Part, parser: Parser) -> list[ModuleItem]:
        """The items of the module, of which the parser reads those from a changed part on, up to where the rest is known."""
        items = parser.module.items
        if changed.statements is None:
            items += old.items[: changed.items]
        else:
            index = function_index(old, changed)
            function = old.items[index]
            assert isinstance(function, Function)
            assert function.body is not None
            items += old.items[:index]
            try:
                items.append(parser.rest_of_function(function, function.body.statements[: changed.statements]))
            except Unexpected:
                raise _Everything from None
        parser.read_items()
        parts = parser.parts
        if parts is not None and parts.done is not None:
            part = parts.old[parts.done]
            items += old.items[part.items if part.statements is None else function_index(old, part) + 1 :]
        return items

    @staticmethod
    def _moved(rest: list[Part], reading: Parts, items: int) -> list[Part]:
        """The parts that are as they were, behind so many more items; those of the function that was read, behind as many more
        statements."""
        moved: list[Part] = []
        inside = bool(rest) and rest[0].statements is not None
        for part in rest:
            if inside and part.statements is not None and part.items == rest[0].items:
                moved.append(part._replace(items=reading.items, statements=part.statements + reading.more))
            else:
                moved.append(part._replace(items=part.items + items) if items else part)
        return moved

    def _place(self) -> None:
        """Tell the parts on which line they begin."""
        self._starts = list(accumulate((part.size for part in self._parts[:-1]), initial=0))
        self._lines = list(accumulate((part.lines for part in self._parts[:-1]), initial=1))
        for part, line in zip(self._parts, self._lines):
            part.place.first_line = line

    def offset(self, place: int | tuple[int, int]) -> int:
        """The offset of a place; the end of a line, and of the text, are places too. PtxError where there is none."""
        if isinstance(place, int):
            if not 0 <= place <= len(self.text):
                raise PtxError(f"{self.name} has no offset {place}", hint=f"0 to {len(self.text)}")
            return place
        line, column = place
        if not 1 <= line <= self.text.count("\n") + 1:
            raise PtxError(f"{self.name} has no line {line}", hint=f"1 to {self.text.count(chr(10)) + 1}")
        part = bisect_right(self._lines, line) - 1
        first = self._starts[part]
        for _ in range(line - self._lines[part]):
            first = self.text.index("\n", first) + 1
        end = self.text.find("\n", first)
        length = (len(self.text) if end < 0 else end) - first
        if not 1 <= column <= length + 1:
            raise PtxError(f"line {line} of {self.name} has no column {column}", hint=f"1 to {length + 1}")
        return first + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset."""
        offset = self.offset(offset)
        part = bisect_right(self._starts, offset) - 1
        line = self._lines[part] + self.text.count("\n", self._starts[part], offset)
        return line, offset - self.text.rfind("\n", 0, offset)


def _is_whole(text: str, findings: list[Diagnostic]) -> bool:
    """Does a finding, or a character 0, which ends a module, say something of the text behind it?"""
    return "\0" in text or any(each.code in _STRUCTURE or each.message == OPEN_COMMENT for each in findings)


def _line(finding: Diagnostic) -> int:
    return finding.locations[0].line
