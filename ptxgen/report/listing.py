"""The lines of a kernel's PTX, and of the functions that it calls, as the page shows them: words by kind, and where each was
written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.bodies.source_lines import files_of, source_lines
from ptxgen.ir import Block, Function, Instruction, LineDirective, Module, Symbol, resolve
from ptxgen.text.printer import print_with_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.errors import Location

__all__ = ["Line", "Word", "alone", "listing", "printed_lines", "words_of"]

_PTX = re.compile(
    r"(?P<comment>//.*|/\*.*?\*/)|(?P<text>\"[^\"]*\")|(?P<label>^\s*[\w$]+:)|(?P<directive>\.[a-z_]+\b)|"
    r"(?P<register>%[\w$.]+)|(?P<number>\b0[xXfFdD][0-9a-fA-F]+\b|\b\d+\b)|(?P<opcode>\b[a-z][\w]*(?:(?:::|\.)[\w]+)+|\b(?:ret|exit|bra|call|trap)\b)"
)
_SOURCE = re.compile(
    r"(?P<comment>#.*|//.*|/\*.*?\*/)|(?P<text>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')|(?P<register>@[\w.]+)|(?P<number>\b\d[\w.]*)|"
    r"(?P<opcode>\b(?:def|class|return|if|elif|else|for|while|with|as|in|not|and|or|import|from|lambda|yield|None|True|False|"
    r"int|float|void|auto|const|unsigned|__global__|__device__|__shared__|template|typename|struct|static|inline)\b)"
)


class Word(NamedTuple):
    """Part of a line; `kind` is "" for what is as it is."""

    kind: str
    text: str


class Line(NamedTuple):
    """A line of PTX. `position`: of an instruction of the kernel itself, else -1. `places`: what it was made from, the best
    first, in Python, a template or what `.loc` names."""

    number: int
    words: tuple[Word, ...]
    instruction: Instruction | None
    position: int
    places: tuple[Location, ...]


def listing(module: Module, kernel: Function) -> list[Line]:
    """The lines of a kernel, of what it calls, and of the module around them; those of other functions are left out. Numbers are
    those of the whole text."""
    text, items = print_with_lines(module)
    shown = _called(module, kernel)
    left_out = {id(f) for f in module.functions if id(f) not in shown and f.body is not None}
    owner = {id(s): id(f) for f in module.functions if f.body is not None for s in _statements(f.body)}
    positions = {id(each): number for number, each in enumerate(kernel.instructions())}
    places = {key: each for f in module.functions if id(f) in shown for key, each in _places(module, f)}
    found = []
    for number, (line, item) in enumerate(zip(text.split("\n"), [*items, *[None] * 2]), 1):
        if item is not None and (id(item) in left_out or owner.get(id(item)) in left_out):
            continue
        own = item if isinstance(item, Instruction) else None
        words = tuple(words_of(line.expandtabs(4)))
        found.append(Line(number, words, own, positions.get(id(item), -1), places.get(id(item), ())))
    while found and not found[-1].words:
        found.pop()
    return found


def alone(module: Module, kernel: Function) -> Module:
    """The module without its other kernels: what is said of one need not wait for what could be said of all."""
    items = [item for item in module if item is kernel or not (isinstance(item, Function) and item.is_entry)]
    return Module(
        module.version, module.target, items, target_options=module.target_options, address_size=module.address_size,
        name=module.name,
    )  # fmt: skip


def printed_lines(part: Module, lines: Sequence[Line]) -> dict[int, int]:
    """From lines of the text of a part of a module to those of the listing."""
    known = {id(line.instruction): line.number for line in lines if line.instruction is not None}
    _, items = print_with_lines(part)
    return {number: known[id(item)] for number, item in enumerate(items, 1) if id(item) in known}


def _called(module: Module, kernel: Function) -> set[int]:
    """Ids of the kernel and of the functions that it calls."""
    by_name = {f.name: f for f in module.functions if f.body is not None}
    found, work = {id(kernel)}, [kernel]
    for function in work:
        for instruction in function.instructions():
            for operand in instruction.operands if instruction.opcode == "call" else ():
                callee = by_name.get(operand.name) if isinstance(operand, Symbol) else None
                if callee is not None and id(callee) not in found:
                    found.add(id(callee))
                    work.append(callee)
    return found


def _statements(block: Block) -> Iterator[object]:
    for statement in block:
        yield statement
        if isinstance(statement, Block):
            yield from _statements(statement)


def _places(module: Module, function: Function) -> Iterator[tuple[int, tuple[Location, ...]]]:
    """(id of an instruction, where it was written)."""
    files = files_of(module)
    line: Sequence[LineDirective] = ()
    for statement in _statements(function.body or Block([])):
        if isinstance(statement, LineDirective) and not statement.intermediate:
            line = (statement,)
        elif isinstance(statement, Instruction):
            written = tuple(place for place in resolve(statement.source) if place.kind != "ptx")
            yield id(statement), written or tuple(each.place for each in source_lines(line, files))


def words_of(line: str, *, ptx: bool = True) -> Iterator[Word]:
    """A line taken apart for colouring."""
    end = 0
    for match in (_PTX if ptx else _SOURCE).finditer(line):
        if match.start() > end:
            yield Word("", line[end : match.start()])
        yield Word(match.lastgroup or "", match[0])
        end = match.end()
    if end < len(line):
        yield Word("", line[end:])
