"""What the words of a text are, as far as that takes knowledge of the program: a grammar of patterns colours the rest."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from ptxgen.isa.forms import opcodes
from ptxgen.isa.specials import is_special
from ptxgen.lsp.model.positions import Span, units
from ptxgen.lsp.model.program import Coloured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.program import Program

__all__ = ["KINDS", "Word", "colours", "encoded", "semantic_tokens"]

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
            for at, length, kind in _of_program(region.program, start, end):
                yield at + base, length, kind


def colours(document: Document) -> list[str]:
    """All of a document, encoded. A file that is PTX alone keeps them: its next version finds those again that changed."""
    if document.language != "ptx":
        return encoded(document, list(semantic_tokens(document)))
    program = document.regions[0].program
    offsets, words, stale = program.coloured or Coloured([], [], (Span(0, len(program.text)),))
    if stale:
        offsets, words = offsets[:], words[:]
    for span in reversed(stale):
        first = bisect_left(offsets, span.start)
        new = list(_of_program(program, *span))
        if first < len(offsets):  # the place of the one behind is told from the one before
            length, kind = map(int, words[first].split(",")[2:4])
            new.append((offsets[first], length, kind))
        words[first : first + 1] = encoded(document, new, offsets[first - 1] if first else 0)
        offsets[first : first + 1] = [at for at, _, _ in new]
    program.coloured = Coloured(offsets, words, ())
    return words


def _of_program(program: Program, first: int, last: int) -> Iterator[Word]:
    find, text = program.find_with_scope, program.text
    remarks = program.remarks
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


def encoded(document: Document, words: Sequence[Word], before: int = 0) -> list[str]:
    """The five numbers that the protocol has for each: the place relative to the word before, whose offset `before` is for the
    first one."""
    found: list[str] = []
    text = document.text
    line, character = document.lines.position(before)
    for (offset, length, kind), (own, column) in zip(words, document.lines.places(at for at, _, _ in words)):
        if own != line:
            line, character, down = own, 0, own - line
        else:
            down = 0
        found.append(f"{down},{column - character},{units(text[offset : offset + length])},{kind},0")
        character = column
    return found
