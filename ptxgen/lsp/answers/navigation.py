"""From a name to its declaration, and to every place where it is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.lsp.model.statement import Statement

if TYPE_CHECKING:
    from ptxgen.lsp.document import Document, Place
    from ptxgen.lsp.model.declarations import Declaration
    from ptxgen.lsp.model.positions import Position, Span
    from ptxgen.lsp.model.program import Scope, Use

__all__ = ["Highlight", "Named", "definition", "highlights", "named_at", "references"]


class Named(NamedTuple):
    """A name at a place of a document: what it means there."""

    place: Place
    use: Use
    declaration: Declaration
    scope: Scope


class Highlight(NamedTuple):
    span: Span
    written: bool


def named_at(document: Document, position: Position) -> Named | None:
    """The name at a position; None for what is no declared name."""
    place = document.place(position)
    if place is None:
        return None
    use = place.region.program.name_at(place.offset)
    found = None if use is None else place.region.program.find_with_scope(use.name, use.span.start)
    if use is None or found is None or _is_opcode(place, use):
        return None
    return Named(place, use, *found)


def _is_opcode(place: Place, use: Use) -> bool:
    """A word of an instruction's name is no name of the program, even where something is called like it."""
    statement = place.statement
    if statement is None or not statement.is_instruction or statement.op_span is None:
        return False
    return statement.op_span.start <= use.span.start < statement.op_span.end


def definition(document: Document, position: Position) -> Span | None:
    """Where the name at a position is declared."""
    named = named_at(document, position)
    if named is None or not named.declaration.span.end:  # an operand of an asm statement has no place
        return None
    return named.declaration.span.moved(named.place.region.span.start)


def references(document: Document, position: Position, *, declaration: bool = True) -> list[Span]:
    """Every place where the thing at a position is meant; of a family, that one register's and the family's declaration."""
    named = named_at(document, position)
    if named is None:
        return []
    base = named.place.region.span.start
    spans = [use.span for use in _uses(named)]
    own = named.declaration.span
    if own.end and own not in spans:
        spans.insert(0, own)
    return [span.moved(base) for span in spans if declaration or span != own]


def _uses(named: Named) -> list[Use]:
    one = named.use.name if named.declaration.members is not None and named.use.name != named.declaration.name else None
    return list(named.place.region.program.uses(named.declaration, named.scope, one))


def highlights(document: Document, position: Position) -> list[Highlight]:
    """The same places, with those that write the thing marked."""
    named = named_at(document, position)
    if named is None:
        return []
    base, program = named.place.region.span.start, named.place.region.program
    found = []
    for use in _uses(named):
        written = use.span == named.declaration.span
        statement = program.statement_at(use.span.start)
        if not written and statement is not None and named.declaration.kind == "register":
            read = Statement(program, statement)
            written = read.operand_at(use.span.start + 1) == 0 and use.name in read.written
        found.append(Highlight(use.span.moved(base), written))
    return found
