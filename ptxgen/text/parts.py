"""A text in parts that can be read anew one by one: what `Document` keeps of a parse, so that the next one is short.

A part begins on a line, before an item of the module or behind an instruction of a function's outermost block, so that nothing
before it depends on its text. What it means depends on what stands before it only through the names that are declared there.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.errors import Diagnostic, Location
from ptxgen.ir import Function, Module, SourceText

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.ir import Statement
    from ptxgen.text.cursor import Cursor

__all__ = ["SIZE", "Log", "Part", "Parts", "function_index", "net"]

Log = list[tuple[Any, ...]]
"""The scopes and declarations that a ParserScope logs."""

SIZE = 6000
"""Characters from which on a part may end: some 200 lines, read in 1 or 2 ms."""


class Part(NamedTuple):
    """`size` characters with `lines` ends of lines. Before them stand `items` whole items of the module and, where the part
    begins inside a function (else None), `statements` of its body. `log` has what the part declares, `findings` what is wrong
    in it, with places as they were when it began on line `first_line`."""

    place: SourceText
    size: int
    lines: int
    items: int
    statements: int | None
    log: Log
    findings: list[Diagnostic]
    first_line: int

    def found(self) -> list[Diagnostic]:
        """The findings where they are now."""
        moved = self.place.first_line - self.first_line
        if not moved:
            return self.findings
        return [
            each.changed(locations=[Location(p.kind, p.file, p.line + moved, p.column, p.text) for p in each.locations])
            for each in self.findings
        ]


class Parts:
    """The parts of the text that a cursor reads, from its place on, as the parser goes over it.

    After `aim`, reading stops where a part of an earlier parse begins and names mean the same as they did: `done` is the index
    of that part, and the text from there on is known.
    """

    def __init__(self, c: Cursor, first_line: int = 1, items: int = 0, statements: int | None = None) -> None:
        self.c = c
        self.found: list[Part] = []
        self.done: int | None = None
        self.more: int = 0
        """How many more statements stand before part `done`, if that begins inside a function."""
        c.base = c.tokens.end
        c.part = SourceText(c.tokens.source, c.whole.name, start=c.base, first_line=first_line)
        self._begins = self._begin(first_line, items, statements)
        self.items: int = items
        """How many items stand before the one at hand."""
        self._item = (0, self._begins)
        self._failed = False
        self._first_log = len(c.scope.log)
        self.old: Sequence[Part] = ()
        self._first = 0
        self._module = Module((0, 0), "")
        self._goals: dict[int, int] = {}
        self._offsets: list[int] = []

    def aim(self, goals: dict[int, int], old: Sequence[Part], first: int, module: Module) -> None:
        """Stop where a part of `old` begins: `goals` has the index of each by its offset. This parse begins where part `first`
        did; `module` is that of the earlier parse."""
        self._goals, self.old, self._first, self._module = goals, old, first, module
        self._offsets = sorted(goals, reverse=True)

    def limit(self, at: int) -> int:
        """How far statements may be read before it is looked whether a part ends."""
        while self._offsets and self._offsets[-1] <= at:
            self._offsets.pop()
        source = self.c.tokens.source
        end = source.find("\n", max(at, self.c.base + SIZE)) + 1 or len(source)
        return min(end, self._offsets[-1]) if self._offsets else end

    def item(self, offset: int, items: int) -> None:
        """An item may begin at an offset, behind so many."""
        if not self._failed:  # where a wrong one ends is seen at the next one
            self._cut(offset, items, None)

    def begin_item(self, items: int) -> None:
        """The next item comes, behind so many."""
        if self.done is not None:
            return
        self.items = items
        self._item = (len(self.found), self._begins)
        self._failed = False

    def body(self, offset: int, statements: int) -> None:
        """A function goes on at an offset, behind so many statements."""
        self._cut(offset, self.items, statements)

    def rest(self) -> list[Statement]:
        """What follows in the function in which the known text begins."""
        assert self.done is not None
        part = self.old[self.done]
        function = self._module.items[function_index(self._module, part)]
        assert isinstance(function, Function)
        assert function.body is not None
        return function.body.statements[part.statements :]

    def failed(self) -> None:
        """The item at hand is wrong as a whole: it is in one part with what stands before it."""
        self._failed = True
        count, self._begins = self._item
        del self.found[count:]
        self.c.base, self.c.part = self._begins.offset, self._begins.place

    def _cut(self, offset: int, items: int, statements: int | None) -> None:
        goal = self._goals.get(offset)
        if goal is not None and (self.old[goal].statements is None) == (statements is None):
            before = [entry for part in self.old[self._first : goal] for entry in part.log]
            if net(self.c.scope.log[self._first_log :]) == net(before):
                self.done = goal
                self.more = (statements or 0) - (self.old[goal].statements or 0)
        if self.done is not None or offset - self._begins.offset >= SIZE:
            self.end(offset, items, statements)

    def end(self, offset: int, items: int = 0, statements: int | None = None) -> None:
        """The part at hand ends at an offset, and the next one begins there."""
        c, begins = self.c, self._begins
        text = c.tokens.source[begins.offset : offset]
        begins.place.keep(text)
        self.found.append(
            Part(
                begins.place,
                len(text),
                text.count("\n"),
                begins.items,
                begins.statements,
                c.scope.log[begins.log :],
                c.findings[begins.findings :],
                begins.first_line,
            )
        )
        first_line = begins.first_line + self.found[-1].lines
        c.base = offset
        c.part = SourceText(c.tokens.source, c.whole.name, start=offset, first_line=first_line)
        self._begins = self._begin(first_line, items, statements)

    def _begin(self, first_line: int, items: int, statements: int | None) -> _Begin:
        c = self.c
        return _Begin(c.part, c.base, first_line, items, statements, len(c.scope.log), len(c.findings))


class _Begin(NamedTuple):
    """Where the part at hand begins, and how much there was of everything."""

    place: SourceText
    offset: int
    first_line: int
    items: int
    statements: int | None
    log: int
    findings: int


def function_index(module: Module, part: Part) -> int:
    """The index of the function inside which a part begins."""
    items = module.items
    return next(n for n in range(part.items, len(items)) if isinstance(items[n], Function))


def net(log: Iterable[tuple[Any, ...]]) -> Log:
    """A log without the scopes that are closed again in it."""
    left: Log = []
    opened: list[int] = []
    for entry in log:
        if entry[0] == "enter":
            opened.append(len(left))
            left.append(entry)
        elif entry[0] == "leave" and opened:
            del left[opened.pop() :]
        else:
            left.append(entry)
    return left
