"""`module(lines=True)`: the Python lines of each instruction as `.loc` (manual 11.5.3), for ncu, cuda-gdb and compute-sanitizer.

An instruction that a helper of the kernel built is one that was inlined: of the helper's line, at the line that called it.
"""

from __future__ import annotations

import os
from types import CodeType

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.builder.core.source import MOST_CALLERS
from ptxgen.ir import Block, FileDirective, Instruction, LineDirective, Section
from ptxgen.ir.source import line_of

if TYPE_CHECKING:
    from ptxgen.ir import Function, Module, Source, Statement

__all__ = ["add_lines"]

_COLUMN = 0
"""Not told: what Python knows of columns differs from version to version, and the text must not."""
_NAME = "$L_ptxgen_name_"


class _Frame(NamedTuple):
    """A line of a file, in a function."""

    file: str
    line: int
    function: str


def add_lines(module: Module) -> None:
    """Put `.loc` in front of the instructions of a module that was just built, and `.file` and the names of inlined functions
    behind its functions."""
    lines = _Lines()
    for function in module.functions:
        if function.body is not None:
            function.body = lines.of_body(function)
    module.items += lines.declarations()


class _Lines:
    """The files and the names that a module's `.loc` mean, numbered in the order of their first use."""

    def __init__(self) -> None:
        self._files: dict[str, int] = {}
        self._names: dict[str, str] = {}  # labels
        self._known: dict[tuple[CodeType, int], _Frame] = {}

    def declarations(self) -> list[FileDirective | Section]:
        found: list[FileDirective | Section] = [
            FileDirective(number, file.translate(_UNQUOTED)) for file, number in self._files.items()
        ]
        if self._names:
            data: list[str] = []
            for name, label in self._names.items():
                data += [f"{label}:", f".b8 {', '.join(map(str, (*name.encode(), 0)))}"]
            found.append(Section("debug_str", tuple(data)))
        return found

    def of_body(self, function: Function) -> Block:
        """The function's body with lines. What was built before its Python function ran has the line of that function."""
        own = self._frames(function.source)
        place = function.source[0] if isinstance(function.source, tuple) else None
        code = place if isinstance(place, CodeType) else None
        last: list[tuple[_Frame, ...]] = [()]

        def with_lines(block: Block) -> Block:
            statements: list[Statement] = []
            for statement in block:
                if isinstance(statement, Block):
                    statements.append(with_lines(statement))
                    continue
                if isinstance(statement, Instruction):
                    frames = self._frames(statement.source, code) or (own if not last[0] else ())
                    if frames and frames != last[0]:
                        statements += self._located(frames, last[0])
                        last[0] = frames
                statements.append(statement)
            return Block(statements)

        assert function.body is not None
        return with_lines(function.body)

    def _located(self, frames: tuple[_Frame, ...], before: tuple[_Frame, ...]) -> list[LineDirective]:
        """The directives for an instruction, innermost frame last: each caller's comes before what is inlined there. Those of
        callers that the instruction before has too are told already."""
        told = next(d for d in range(1, len(frames) + 1) if frames[d:] in (before, before[1:], ()))
        return [self._directive(frames, depth) for depth in reversed(range(told))]

    def _directive(self, frames: tuple[_Frame, ...], depth: int) -> LineDirective:
        frame = frames[depth]
        inlined = None
        if depth + 1 < len(frames):
            at = frames[depth + 1]
            label = self._names.setdefault(frame.function, f"{_NAME}{len(self._names) + 1}")
            inlined = f"function_name {label}, inlined_at {self._number(at.file)} {at.line} {_COLUMN}"
        return LineDirective(self._number(frame.file), frame.line, _COLUMN, inlined)

    def _number(self, file: str) -> int:
        return self._files.setdefault(file, len(self._files) + 1)

    def _frames(self, source: Source | None, function: CodeType | None = None) -> tuple[_Frame, ...]:
        """The frames of a source, innermost first; () where it is unknown, or is no place in that function or what it calls."""
        if not isinstance(source, tuple):
            return ()
        places = [(code, at) for code, at in zip(source[::2], source[1::2]) if isinstance(code, CodeType)]
        whole = len(places) <= MOST_CALLERS
        if whole and function is not None and all(code is not function for code, _ in places):
            return ()
        found = [self._frame(code, at) for code, at in places if isinstance(at, int)]
        # A lambda stands on its caller's line: once is enough.
        return tuple(each for n, each in enumerate(found) if n == 0 or each[:2] != found[n - 1][:2])

    def _frame(self, code: CodeType, at: int) -> _Frame:
        known = self._known.get((code, at))
        if known is None:
            file, line = line_of(code, at)
            known = self._known[code, at] = _Frame(_absolute(file), line, code.co_name)
        return known


def _absolute(file: str) -> str:
    """The name under which a tool that runs elsewhere finds the file; names such as "<stdin>" mean none."""
    return file if file.startswith("<") else os.path.abspath(file)


_UNQUOTED = str.maketrans('"\n\r\\', "'  /")
"""For a name between quotation marks."""
