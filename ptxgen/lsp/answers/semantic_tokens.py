"""What the words of a text are, as far as that takes knowledge of the program: a grammar of patterns colours the rest."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from ptxgen.isa.forms import opcodes
from ptxgen.isa.specials import is_special
from ptxgen.lsp.model.positions import Span
from ptxgen.lsp.model.program import Coloured

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.program import Program

__all__ = ["KINDS", "Word", "encoded", "semantic_tokens"]

KINDS = ("variable", "parameter", "property", "function", "label", "macro", "keyword", "type")
"""Registers, parameters, variables in memory, functions, labels, special registers, opcodes, and modifiers."""
_OF_DECLARATION = {
    "register": 0, "parameter": 1, "variable": 2, "kernel": 3, "function": 3, "label": 4, "table": 4, "prototype": 4,
}  # fmt: skip
_MACRO, _KEYWORD, _TYPE, _NAME = 5, 6, 7, -1
_WORD = re.compile(r"(?<![\w$%.])[%$A-Za-z_][\w$]*(?:(?:\.|::)\w+)*", re.ASCII)


Word = tuple[int, int, int]
"""(offset, length, number of the kind)."""


def semantic_tokens(document: Document, span: Span | None = None) -> Iterator[Word]:
    """The words whose meaning is known, in text order; with `span`, those of a part of the document."""
    wanted = span or Span(0, len(document.text))
    for region in document.regions:
        base = region.span.start
        start, end = max(wanted.start - base, 0), min(wanted.end, region.span.end) - base
        if start < end and region.kind != "name":
            program = region.program
            found = _all_of(program) if span is None else _of_program(program, start, end)
            for at, length, kind in found:
                yield at + base, length, kind


def _all_of(program: Program) -> Iterator[Word]:
    """Those of a whole program, which keeps them for its next version."""
    old = program.coloured or Coloured([], [], Span(0, len(program.text)))
    new = list(_of_program(program, *old.stale))
    first = bisect_left(old.offsets, old.stale.start)
    offsets = [*old.offsets[:first], *(at for at, _, _ in new), *old.offsets[first:]]
    kinds = [*old.kinds[:first], *((length, kind) for _, length, kind in new), *old.kinds[first:]]
    program.coloured = Coloured(offsets, kinds, Span(0, 0))
    for at, (length, kind) in zip(offsets, kinds):
        yield at, length, kind


def _of_program(program: Program, first: int, last: int) -> Iterator[Word]:
    find, text = program.find_with_scope, program.text
    remarks = iter(program.remarks)
    remark = next(remarks, None)
    shapes: dict[str, tuple[int, int]] = {}
    for match in _WORD.finditer(text, first, last):
        word, start = match[0], match.start()
        while remark is not None and remark.end <= start:
            remark = next(remarks, None)
        if remark is not None and remark.start <= start:
            continue
        shape = shapes.get(word)
        if shape is None:
            shape = shapes[word] = _shape(word)
        length, kind = shape
        if kind == _KEYWORD and text[start + len(word) : start + len(word) + 1].strip() not in ("", ";"):
            kind = _NAME
        if kind != _NAME:
            yield start, length, kind
            if kind == _KEYWORD and length < len(word):
                yield start + length, len(word) - length, _TYPE
            continue
        found = find(word[:length], start)
        if found is not None:
            yield start, length, _OF_DECLARATION[found[0].kind]


def _shape(word: str) -> tuple[int, int]:
    """(length of what stands before the first dot, its kind where the word alone says it, else `_NAME`)."""
    stem = word.partition(".")[0]
    if stem in _OPCODES:
        return len(stem), _KEYWORD
    if stem[0] == "%" and (is_special(word) or is_special(f"{word}.x")):
        return len(word), _MACRO
    return len(stem), _NAME


_OPCODES = frozenset(opcodes())


def encoded(document: Document, tokens: Iterable[Word]) -> list[int]:
    """The numbers of the protocol: five a token, places relative to the token before."""
    numbers: list[int] = []
    lines, ascii_ = document.lines, document.text.isascii()
    line = character = 0
    start, end = lines.span(0)
    for offset, length, kind in tokens:
        last = line
        if offset > end:
            line = lines.line(offset)
            start, end = lines.span(line)
        column = offset - start
        if not ascii_:
            column = lines.position(offset).character
            length = lines.position(offset + length).character - column
        numbers += (line - last, column - character if line == last else column, length, kind, 0)
        character = column
    return numbers
