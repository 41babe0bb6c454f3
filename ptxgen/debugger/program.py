"""A kernel's instructions, and the lines that they come from: Python or a template, what `.loc` names, the PTX."""

from __future__ import annotations

import linecache
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.bodies.source_lines import INLINED
from ptxgen.errors import DebugError, Location
from ptxgen.host.printed_lines import written_at
from ptxgen.ir import resolve
from ptxgen.text import format_instruction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.executable import Kernel
    from ptxgen.cpu.flat import Call, Op, Reg

__all__ = ["Instruction", "Program", "is_named"]

PTX = "ptx"
"""Before a number, it means a line of the PTX text: `ptx:12`."""


class Instruction(NamedTuple):
    """An instruction of the kernel, or of a copy of a function that it calls. `number` is that of its first operation; `place` is
    its line of the source, `ptx` its line of the PTX: of the file `ptx_file`, else of the text that the device was given;
    `calls` the functions around it, and `inlined` the lines into which a compiler has copied theirs, the innermost first."""

    number: int
    text: str
    op: Op
    place: Location | None
    ptx_file: str
    ptx: int
    calls: tuple[Call, ...]
    kernel: str
    inlined: tuple[Location, ...] = ()

    @property
    def function(self) -> str:
        return self.calls[-1].function

    @property
    def line(self) -> tuple[str, int]:
        """(file, line) of the source; of the PTX where there is none."""
        return (self.place.file, self.place.line) if self.place is not None else (PTX, self.ptx)

    @property
    def short_line(self) -> str:
        """File without its folders, and line."""
        file, line = self.line
        return f"{PurePath(file).name if file != PTX else PTX}:{line}"

    def lines(self) -> list[str]:
        """For people: the line of the source, where there is one, and the instruction with its line of the PTX."""
        inside = f" in {self.function}" if self.function != self.kernel else ""
        if self.place is None:
            return [f"  {PTX}:{self.ptx}{inside}  {self.text}"]
        copies = [f"    inlined at {PurePath(at.file).name}:{at.line}  {at.excerpt()}" for at in self.inlined]
        return [f"  {self.short_line}{inside}  {self.source_text}", *copies, f"  {PTX}:{self.ptx}  {self.text}"]

    @property
    def source_text(self) -> str:
        """The line of the source."""
        return self.place.excerpt() if self.place is not None else self.text

    def lines_of(self, file: str) -> set[int]:
        """The lines of a source, or of the PTX, that it is part of."""
        if file == PTX:
            return {self.ptx}
        places = (self.place, *self.inlined)
        return {place.line for place in places if place is not None and place.file == file}


class Program:
    """Of a kernel that was compiled for the debugger."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.name = kernel.name
        self.ops: Sequence[Op] = kernel.operations
        reached = set(kernel.code.places)
        self.instructions: dict[int, Instruction] = {
            op.index: self._instruction(op) for op in self.ops if op.leads and op.index in reached
        }
        """By number; those that nothing reaches are not there."""
        self._leaders = self._leading()
        first = next((each for each in self.instructions.values()), None)
        self.ptx_file = first.ptx_file if first is not None else ""
        """The file with the PTX, where it was written in one; "" where it was printed."""

    def _instruction(self, op: Op) -> Instruction:
        places = written_at(self.name, resolve(op.origin.source), op.origin.op)
        named = self.kernel.source_lines(op.index)
        own = [place for place in places[:-1] if place.kind in ("python", "template")]
        written = next((place for place in places[:-1] if place.kind == "ptx"), None)
        place = named[0].place if named else own[0] if own else None
        ptx = written or (places[-1] if places else None)
        file, line = written.file if written is not None else "", ptx.line if ptx is not None else 0
        inlined = tuple(each.place for each in named if each.how == INLINED)
        return Instruction(op.index, format_instruction(op.origin), op, place, file, line, op.calls, self.name, inlined)

    def _leading(self) -> list[int]:
        """Of each operation, the number of its instruction."""
        found = []
        leaders: dict[tuple[int, int], int] = {}
        for op in self.ops:
            key = (id(op.origin), id(op.calls))
            if op.leads:
                leaders[key] = op.index
            found.append(leaders.get(key, op.index))
        return found

    def at(self, number: int) -> Instruction:
        """The instruction that an operation belongs to."""
        leader = self._leaders[number]
        found = self.instructions.get(leader)
        return found if found is not None else self._instruction(self.ops[leader])

    # -- lines --------------------------------------------------------------------------------------------------------

    @cached_property
    def files(self) -> list[str]:
        """The sources that its instructions come from, the most used first; those that only functions come from which were
        inlined are behind the one that they were inlined into."""
        counts: dict[str, int] = {}
        for each in self.instructions.values():
            for file in dict.fromkeys(place.file for place in (*each.inlined[::-1], each.place) if place is not None):
                counts[file] = counts.get(file, 0) + 1
        return sorted(counts, key=lambda file: -counts[file])

    @property
    def functions(self) -> list[str]:
        """The kernel, and the functions that it calls."""
        return list(dict.fromkeys(each.function for each in self.instructions.values()))

    @cached_property
    def listing(self) -> list[str]:
        """The lines of the PTX."""
        if self.ptx_file:
            return [line.rstrip("\n") for line in linecache.getlines(self.ptx_file)]
        source = next((op.origin.source for op in self.ops if isinstance(op.origin.source, tuple)), None)
        text = getattr(source[0], "text", None) if source else None
        return text.splitlines() if isinstance(text, str) else []

    def where(self, text: str) -> tuple[str, list[int]]:
        """(what was found, numbers of its instructions) of a place: `12` of the file with most lines, `file.py:12`, `ptx:12`, the
        name of a function. A line without code stands for the next that has some. Raises DebugError."""
        file, colon, number = text.strip().rpartition(":")
        if number.isdecimal():
            return self._of_line(file if colon else "", int(number))
        starts = [each for each in self.instructions.values() if _is_function(each.function, text.strip())]
        if not starts:
            names = ", ".join(self.functions)
            raise DebugError(
                f"{text!r} is no line and no function of {self.name}", hint=f"12, file:12, ptx:12, {names}"
            )
        first = {id(each.calls): each.number for each in reversed(starts)}
        return text.strip(), sorted(first.values())

    def _of_line(self, file: str, line: int) -> tuple[str, list[int]]:
        named = self._file(file)
        rows = sorted(self.instructions.values())
        lines = {each.number: each.lines_of(named) for each in rows}
        every = set().union(*lines.values())
        with_code = sorted(each for each in every if each >= line)
        if not with_code:
            last = max(every, default=0)
            raise DebugError(
                f"no code comes from line {line} of {named} or later", hint=f"its last line with code is {last}"
            )
        wanted = with_code[0]
        found = [number for number in lines if wanted in lines[number] and not self._continues(number, wanted, lines)]
        return f"{named}:{wanted}", found

    def _file(self, name: str) -> str:
        if name == PTX or (not name and not self.files) or (name and _is_file(self.ptx_file, name)):
            return PTX
        if not name:
            return self.files[0]
        found = [file for file in self.files if _is_file(file, name)]
        if not found:
            raise DebugError(
                f"no code of {self.name} comes from {name}", hint=f"one of {', '.join([*self.files, PTX])}"
            )
        return found[0]

    def _continues(self, number: int, line: int, lines: dict[int, set[int]]) -> bool:
        """Does the instruction before it, in the same function, come from the same line?"""
        before = next((n for n in range(number - 1, -1, -1) if n in self.instructions), None)
        same = before is not None and self.instructions[before].calls is self.instructions[number].calls
        return same and line in lines.get(before or 0, ())

    # -- names --------------------------------------------------------------------------------------------------------

    @cached_property
    def _used(self) -> dict[Reg, list[int]]:
        """Registers that operations name, and where."""
        from ptxgen.cpu.blocks import definitions, uses

        found: dict[Reg, list[int]] = {}
        for op in self.ops:
            for reg in dict.fromkeys([*definitions(op), *uses(op)]):
                found.setdefault(reg, []).append(op.index)
        return found

    @cached_property
    def _named(self) -> dict[tuple[int, str], list[Reg]]:
        """The same by function, as it is called there, and name."""
        found: dict[tuple[int, str], list[Reg]] = {}
        for reg in self._used:
            found.setdefault((id(reg.calls), reg.name), []).append(reg)
        return found

    def registers(self, calls: tuple[Call, ...]) -> list[Reg]:
        """Those of a function, as it is called there, that something uses: in the order of their declarations."""
        return sorted((reg for reg in self._used if reg.calls is calls and "+" not in reg.name), key=lambda reg: reg.id)

    def register(self, name: str, calls: tuple[Call, ...], number: int) -> Reg | None:
        """A register by its name. Of several, in scopes in one another, the one that is used nearest to an operation."""
        named: list[Reg] = [*self._named.get((id(calls), name), ()), *self._named.get((id(calls), f"%{name}"), ())]
        if len(named) < 2:
            return named[0] if named else None
        return min(named, key=lambda reg: min(abs(at - number) for at in self._used[reg]))

    def names(self, calls: tuple[Call, ...]) -> list[str]:
        """What expressions may name there."""
        return [*(reg.name for reg in self.registers(calls)), *self.variables]

    @property
    def variables(self) -> list[str]:
        """Variables in shared and local memory, and parameters."""
        kernel = self.kernel
        declared = [*(v.name for v in kernel.shared_variables), *(v.name for v in kernel.local_variables)]
        return [*declared, *(name for name, _, _ in kernel.parameters)]


def is_named(mangled: str, name: str) -> bool:
    """Is it the variable that somebody names, as PTX or as C++ names it?"""
    return mangled == name or (mangled.startswith("_Z") and mangled.endswith(f"{len(name)}{name}"))


def _is_function(function: str, name: str) -> bool:
    """Is it the function that somebody names, as PTX or as C++ names it?"""
    return function == name or (function.startswith("_Z") and name.isidentifier() and f"{len(name)}{name}" in function)


def _is_file(file: str, name: str) -> bool:
    """Is it the file that somebody names, perhaps without its folders?"""
    return file == name or file.endswith(f"/{name.removeprefix('./')}")
