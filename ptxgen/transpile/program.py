"""A module's program: functions, declarations, `module()`."""

from __future__ import annotations

import re
import textwrap
from itertools import pairwise
from typing import TYPE_CHECKING

from ptxgen.builder.values.scalars import SCALARS
from ptxgen.dataflow.bodies.walk import bodies_of
from ptxgen.ir import Comment, FileDirective, Function, IntermediateSource, Module, Section, Variable
from ptxgen.text import parse
from ptxgen.text.printer import format_statement
from ptxgen.transpile.flat import FlatBody
from ptxgen.transpile.heads import declared_head, head_text, kernel_head
from ptxgen.transpile.lines import Line, folded, joined, names_read, split, text_of
from ptxgen.transpile.names import Names
from ptxgen.transpile.natural import Bench
from ptxgen.transpile.raising import raised
from ptxgen.transpile.registers import Registers
from ptxgen.transpile.writing import Writer, quoted
from ptxgen.verifier import assert_valid

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import ModuleItem
    from ptxgen.transpile.heads import Head

__all__ = ["transpile"]

_LONG = 64  # characters of a name in Python that is C++'s mangled one in the PTX
_OF_IR = ("Address", "Element", "Immediate", "Negated", "Not", "Register", "Special", "Sum", "Symbol")


def transpile(
    module: Module | str, *, name: str | None = None, keep_lines: bool | None = None, original: bool = False
) -> str:
    """A Python program of ptxgen's builder whose `module()` is that module: it assembles to the same machine code.

    `module` is PTX text or a module, and `name` what the program calls it. With `keep_lines` the program also says `.loc`,
    `.file` and the sections of debugging data; without, its first lines say what is left out. None keeps them of a program
    whose `.target` says `debug`, as assemblers make other code of that. With `original` each instruction of the PTX stands as a
    comment above what became of it.

    Raises PtxSyntaxError and VerifyError for what is not legal PTX, TranspileError for what the builder cannot say, each with
    the PTX line.
    """
    parsed = parse(module, name or "<ptx>") if isinstance(module, str) else module
    assert_valid(parsed)
    kept = "debug" in parsed.target_options if keep_lines is None else keep_lines
    return _Program(parsed, name or parsed.name, keep_lines=kept, original=original).text()


class _Program:
    """The text that is written so far."""

    def __init__(self, module: Module, name: str, *, keep_lines: bool, original: bool) -> None:
        self.module = module
        self.name = name
        self.keep_lines = keep_lines
        self.original = original
        self.named = keep_lines and any(isinstance(item, Section) for item in module)  # which names registers
        self.names = Names()
        self.bench = Bench(module.target)
        self.needs: set[str] = set()
        self.parts: list[str] = []  # the definitions, each with its blank lines
        self.listed: list[str] = []  # what module() names
        self.left_out: dict[str, int] = {}

    def text(self) -> str:
        """The whole program."""
        if "debug" in self.module.target_options and not self.keep_lines:
            self.left_out[".target debug"] = 1  # it demands the sections that are left out
        bodies = iter(bodies_of(self.module))
        comments: list[str] = []
        for item in self.module:
            if isinstance(item, Comment):
                comments += [f"# {row}".rstrip() for row in item.text.split("\n")]
                continue
            if isinstance(item, (FileDirective, Section, IntermediateSource)) and not self.keep_lines:
                self._leave_out(item)
                continue
            self.parts += ["\n".join(comments)] if comments else []
            above = bool(comments)
            comments = []
            if isinstance(item, Function) and item.body is not None:
                rows = self._function(item, next(bodies))
                self.parts.append("\n".join(rows))
            else:
                self.parts.append(self._declaration(item))
            if above:
                self.parts[-2:] = [f"{self.parts[-2]}\n{self.parts[-1]}"]
        self.parts += ["\n".join(comments)] if comments else []
        return self._assembled()

    def _leave_out(self, item: FileDirective | Section | IntermediateSource) -> None:
        what = {FileDirective: ".file", IntermediateSource: ".nv_intermediate_source_section"}.get(
            type(item), f".section .{getattr(item, 'name', '')}"
        )
        self.left_out[what] = self.left_out.get(what, 0) + 1

    # ---- items

    def _declaration(self, item: ModuleItem) -> str:
        ptx = getattr(item, "name", type(item).__name__.lower())
        name = self.names.new(ptx[:_LONG] if isinstance(item, (Variable, Function)) else type(item).__name__.lower())
        self.listed.append(name)
        text = head_text(item) if isinstance(item, Function) else _item_text(format_statement(item))
        return "\n".join(folded(f"{name} = px.declare({text})", 120))

    def _function(self, function: Function, body: Body) -> list[str]:
        flat = FlatBody(function, keep_lines=self.keep_lines)
        if flat.lines_left_out:
            self.left_out[".loc"] = self.left_out.get(".loc", 0) + flat.lines_left_out
        names = Names(self.names)
        head = kernel_head(function, flat.nodes, body, names)
        if head is None or self.named:
            head = declared_head(function, names)
            ends = False
        else:
            ends = True
        name = self.names.new(function.name)
        self.listed.append(name)
        nodes = raised(flat.nodes)
        registers = Registers(body, nodes, names, head.registers, head.forced, named=self.named)
        writer = Writer(registers, flat, self.bench, original=self.original, zeros=self.named, skip=head.skip)
        lines = writer.lines(nodes)
        lines = [*_named_ranges(registers), *lines]
        if ends and lines and lines[-1].text == "k.return_()":
            lines.pop()  # the builder ends a kernel so
        lines = joined(_without_unread(lines))
        self.needs |= writer.needs | head.needs | {type_.__name__ for _, type_, _, _ in registers.ranges}
        return self._rows(name, head, lines)

    def _rows(self, name: str, head: Head, lines: list[Line]) -> list[str]:
        """The function's text, and that of the functions that were taken out of it, in front of it."""
        rest, parts = split(lines, lambda: self.names.new(f"{name}_part_1"))
        rows: list[str] = []
        for part, taken, inside in parts:
            parameters = ", ".join(["k: px.Builder", *taken])
            rows += folded(f"def {part}({parameters}):", 120)
            rows += [*text_of(inside, 1), "", ""]
        decorator = f"@{head.decorator}"
        rows += folded(decorator, 120)
        parameters = ", ".join(["k: px.Builder", *head.parameters])
        rows += folded(f"def {name}({parameters}) -> None:", 120)
        rows += text_of(rest, 1)
        return rows

    # ---- the whole

    def _assembled(self) -> str:
        module = self.module
        arguments = [*self.listed, f'target="{module.target}"', f'version="{module.version[0]}.{module.version[1]}"']
        options = [each for each in module.target_options if each != "debug" or self.keep_lines]
        if options:
            texts = ", ".join(f'"{each}"' for each in options)
            arguments.append(f"target_options=({texts}{',' * (len(options) == 1)})")
        if module.address_size != 64:
            arguments.append(f"address_size={module.address_size}")
        call = [f"    {row}" for row in folded(f"return px.module({', '.join(arguments)})", 116)]
        types = sorted(self.needs & SCALARS.keys(), key=lambda each: (each.rstrip("0123456789x"), len(each), each))
        of_ir = [each for each in _OF_IR if each in self.needs]
        imports = ["import ptxgen as px"]
        if types:
            imports += folded(f"from ptxgen import {', '.join(types)}", 1000)
        if of_ir:
            imports.append(f"from ptxgen.ir import {', '.join(of_ir)}")
        if "TYPES" in self.needs:
            imports.append("from ptxgen.isa.types import TYPES")
        head = [*self._docstring(), "", *imports]
        last = ["def module() -> px.Module:", '    """The whole program."""', *call]
        end = ['if __name__ == "__main__":', "    print(module())"]
        return _spaced(["\n".join(head), *self.parts, "\n".join(last), "\n".join(end)])

    def _docstring(self) -> list[str]:
        title = re.sub(r'[\\"\n]', "'", self.name)
        if not self.left_out:
            return [f'"""The PTX of {title} as a program of ptxgen, written by `ptxgen transpile`."""']
        told = ", ".join(f"{what} x{count}" if count > 1 else what for what, count in self.left_out.items())
        rows = textwrap.wrap(f"Left out, as they make no machine code: {told}.", 116, break_long_words=False)
        return [f'"""The PTX of {title} as a program of ptxgen, written by `ptxgen transpile`.', "", *rows, '"""']


def _spaced(blocks: list[str]) -> str:
    """The blocks of a file with as many empty rows between them as formatters have."""
    text = blocks[0]
    for before, block in pairwise(blocks):
        defines = re.search(r"^(@|def |if )", block, re.MULTILINE) or re.search(r"^(@|def )", before, re.MULTILINE)
        alike = " = px.declare(" in before and "\n" not in before and "\n" not in block
        text += f"{chr(10) * (3 if defines else 1 if alike else 2)}{block}"
    return text + "\n"


def _item_text(text: str) -> str:
    """An item as a Python string: its own lines, or long ones folded."""
    if "\n" in text:
        rows = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').split("\n")
        return '"""\n' + "\n".join(rows) + '\n"""'
    if len(text) <= 100 or '"' in text or "\\" in text:
        return quoted(text)
    rows = textwrap.wrap(text, 112, break_long_words=False, break_on_hyphens=False)
    return '"""\n' + "\n".join(f"    {row}" for row in rows) + '\n"""'


def _without_unread(lines: list[Line]) -> list[Line]:
    """Lines without the names that they bind and nothing reads."""
    read = names_read(lines)

    def clean(some: list[Line]) -> list[Line]:
        made = []
        for line in some:
            if line.body is not None:
                line.body = clean(line.body)
            if len(line.binds) == 1 and not read[line.binds[0]]:
                if " = k.var(" in line.text and line.text.endswith(")") and line.text.count("(") == 1:
                    name = line.text.partition("k.var(")[2][:-1]
                    if "," not in name:
                        continue
                line = Line(line.text.partition(" = ")[2], line.reads)
            made.append(line)
        return made

    return clean(lines)


def _named_ranges(registers: Registers) -> list[Line]:
    """The lists of registers that keep their names."""
    found = []
    for name, type_, prefix, count in registers.ranges:
        what = f"{type_.__name__}, {quoted(prefix)}"
        call = f"k.named_register({what})" if count is None else f"k.registers({what}, {count})"
        found.append(Line(f"{name} = {call}", (), (name,)))
    return found
