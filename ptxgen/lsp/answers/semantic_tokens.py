"""What the words of a text are, as far as that takes knowledge of the program: a grammar of patterns colours the rest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.isa.forms import opcodes
from ptxgen.isa.specials import is_special
from ptxgen.lsp.model.positions import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.program import Program

__all__ = ["KINDS", "Coloured", "encoded", "semantic_tokens"]

KINDS = ("variable", "parameter", "property", "function", "label", "macro", "keyword", "type")
"""Registers, parameters, variables in memory, functions, labels, special registers, opcodes, and modifiers."""
_OF_DECLARATION = {
    "register": 0, "parameter": 1, "variable": 2, "kernel": 3, "function": 3, "label": 4, "table": 4, "prototype": 4,
}  # fmt: skip
_MACRO, _KEYWORD, _TYPE = 5, 6, 7
_WORD = re.compile(r"(?<![\w$%.])[%$A-Za-z_][\w$]*(?:(?:\.|::)\w+)*", re.ASCII)


class Coloured(NamedTuple):
    span: Span
    kind: int


def semantic_tokens(document: Document, span: Span | None = None) -> Iterator[Coloured]:
    """The words whose meaning is known, in text order; with `span`, those of a part of the document."""
    wanted = span or Span(0, len(document.text))
    for region in document.regions:
        start, end = max(wanted.start, region.span.start), min(wanted.end, region.span.end)
        if start < end and region.kind != "name":
            base = region.span.start
            for each in _of_program(region.program, Span(start - base, end - base)):
                yield each._replace(span=each.span.moved(base))


def _of_program(program: Program, wanted: Span) -> Iterator[Coloured]:
    known: dict[tuple[int, str], int | None] = {}
    remark = 0
    for match in _WORD.finditer(program.text, *wanted):
        start = match.start()
        while remark < len(program.remarks) and program.remarks[remark].end <= start:
            remark += 1
        if remark < len(program.remarks) and program.remarks[remark].start <= start:
            continue
        yield from _coloured(program, match, known)


def _coloured(program: Program, match: re.Match[str], known: dict[tuple[int, str], int | None]) -> Iterator[Coloured]:
    word, start = match[0], match.start()
    stem = word.partition(".")[0]
    if stem in _OPCODES and program.text[match.end() : match.end() + 1] in " \t;\n\r":
        yield Coloured(Span(start, start + len(stem)), _KEYWORD)
        if len(stem) < len(word):
            yield Coloured(Span(start + len(stem), match.end()), _TYPE)
        return
    if stem[0] == "%" and (is_special(word) or is_special(f"{word}.x")):
        yield Coloured(Span(*match.span()), _MACRO)
        return
    scope = id(program.scope_at(start))
    if (scope, stem) not in known:
        found = program.find(stem, start)
        known[scope, stem] = None if found is None else _OF_DECLARATION[found.kind]
    kind = known[scope, stem]
    if kind is not None:
        yield Coloured(Span(start, start + len(stem)), kind)


_OPCODES = frozenset(opcodes())


def encoded(document: Document, tokens: Iterator[Coloured]) -> list[int]:
    """The numbers of the protocol: five a token, places relative to the token before."""
    numbers: list[int] = []
    line = character = 0
    for token in tokens:
        at = document.lines.position(token.span.start)
        length = document.lines.position(token.span.end).character - at.character
        numbers += (at.line - line, at.character - (character if at.line == line else 0), length, token.kind, 0)
        line, character = at
    return numbers
