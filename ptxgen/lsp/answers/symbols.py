"""The outline of a file, and what may be folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.lsp.model.positions import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.declarations import Declaration
    from ptxgen.lsp.model.program import Program, Routine

__all__ = ["Fold", "Symbol", "folds", "symbols"]


class Symbol(NamedTuple):
    """A thing with a name: `kind` as in a declaration, `span` all of it, `own` the name."""

    name: str
    kind: str
    detail: str
    span: Span
    own: Span
    children: tuple[Symbol, ...] = ()


class Fold(NamedTuple):
    """Lines that may be hidden behind the first one. `kind`: "region", "comment" or "imports" (the declarations of registers)."""

    first: int
    last: int
    kind: str = "region"


def symbols(document: Document) -> list[Symbol]:
    """Functions with their labels and variables, and the module's variables, in text order."""
    found = []
    for region in document.regions:
        if region.kind != "name":
            found += [_moved(each, region.span.start) for each in _of_program(region.program)]
    return found


def _moved(symbol: Symbol, by: int) -> Symbol:
    children = tuple(_moved(child, by) for child in symbol.children)
    return symbol._replace(span=symbol.span.moved(by), own=symbol.own.moved(by), children=children)


def _of_program(program: Program) -> list[Symbol]:
    found = [_of_routine(program, routine) for routine in program.routines]
    found += [
        _of_declaration(each) for each in program.module.all() if each.kind in ("variable", "label") and each.span.end
    ]
    return sorted(found, key=lambda symbol: symbol.span.start)


def _of_routine(program: Program, routine: Routine) -> Symbol:
    children = []
    if routine.body is not None:
        for scope in program.scopes:
            if routine.span.start <= scope.span.start < routine.span.end:
                children += [_of_declaration(each) for each in scope.all()]
    children.sort(key=lambda symbol: symbol.span.start)
    detail = f".{routine.kind}" if routine.body is not None else f".{routine.kind}, declared"
    kind = "kernel" if routine.kind == "entry" else "function"
    return Symbol(routine.name, kind, detail, routine.span, routine.name_span, tuple(children))


def _of_declaration(each: Declaration) -> Symbol:
    return Symbol(each.name, each.kind, each.written if each.space else "", each.span, each.span)


def folds(document: Document) -> list[Fold]:
    """Bodies, comments of several lines, runs of .reg."""
    found: dict[tuple[int, int], Fold] = {}
    for region in document.regions:
        for span, kind in _foldable(region.program):
            first = document.lines.line(span.start + region.span.start)
            last = document.lines.line(max(span.end + region.span.start - 1, 0))
            if kind == "region" and last > first:
                last -= 1  # the closing brace stays
            if last > first:
                found.setdefault((first, last), Fold(first, last, kind))
    return sorted(found.values())


def _foldable(program: Program) -> Iterator[tuple[Span, str]]:
    for scope in program.scopes:
        if scope.parent is not None and program.text.startswith("{", scope.span.start):
            yield scope.span, "region"
    for remark in _runs(program):
        yield remark, "comment"
    yield from ((span, "imports") for span in _registers(program))


def _runs(program: Program) -> Iterator[Span]:
    """Comments, those of neighbouring lines as one."""
    last: Span | None = None
    for remark in program.remarks:
        if program.text[remark.start] == '"':
            continue
        if (
            last is not None
            and not program.text[last.end : remark.start].strip()
            and program.text.count("\n", last.end, remark.start) < 2
        ):
            last = Span(last.start, remark.end)
        else:
            if last is not None:
                yield last
            last = remark
    if last is not None:
        yield last


def _registers(program: Program) -> Iterator[Span]:
    """Declarations of registers one after another."""
    first = last = None
    for start, end in zip(program.starts, program.ends):
        if program.text.startswith(".reg", start):
            first, last = first if first is not None else start, end
        elif first is not None and last is not None:
            yield Span(first, last)
            first = None
    if first is not None and last is not None:
        yield Span(first, last)
