"""A program after one edit, read again only where the edit is: between the ends of two statements, as long as no `{}` begins or
ends there. Of ten thousand lines, a keystroke then costs a sixth of that."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from ptxgen.lsp.model.positions import Span
from ptxgen.lsp.model.program import Program, Scope

if TYPE_CHECKING:
    from ptxgen.lsp.model.declarations import Declaration
    from ptxgen.lsp.model.positions import Edit

__all__ = ["reread"]


def reread(old: Program, edit: Edit, text: str) -> Program | None:
    """The program that `Program(text)` would be, the text being that of the old one after the edit; None where all has to be
    read."""
    window = _window(old, edit.span)
    if window is None:
        return None
    by = len(edit.text) - (edit.span.end - edit.span.start)
    part = Program(text[window.start : window.end + by])
    if not _is_plain(part):
        return None
    return _spliced(old, window, part, by, text)


def _window(old: Program, edit: Span) -> Span | None:
    """From behind the statement before the edit to behind one that begins after it; None where a `{}` begins or ends there."""
    first = bisect_left(old.ends, edit.start)
    last = bisect_right(old.starts, edit.end)
    if first == 0 or last >= len(old.starts) or old.text[old.ends[last]] != ";":
        return None
    window = Span(old.ends[first - 1] + 1, old.ends[last] + 1)
    if window.start > edit.start:
        return None
    for scope in old.scopes:
        if window.start <= scope.span.start < window.end or window.start < scope.span.end <= window.end:
            return None
    return window


def _is_plain(part: Program) -> bool:
    """Does it hold whole statements, and nothing that reaches out of it?"""
    end = len(part.text)
    return (
        len(part.scopes) == 1
        and not part.unmatched
        and bool(part.ends)
        and part.ends[-1] == end - 1
        and not any(remark.end == end for remark in part.remarks[-1:])
    )


def _spliced(old: Program, window: Span, part: Program, by: int, text: str) -> Program:
    """The old program with a part in place of the window, and all behind it moved."""
    new = Program("")
    new.text = text
    first, last = bisect_left(old.ends, window.start), bisect_left(old.ends, window.end)
    new.starts = [*old.starts[:first], *(n + window.start for n in part.starts), *(n + by for n in old.starts[last:])]
    new.ends = [*old.ends[:first], *(n + window.start for n in part.ends), *(n + by for n in old.ends[last:])]
    first, last = (bisect_left(old.remarks, edge, key=lambda span: span.start) for edge in window)
    inside = (remark.moved(window.start) for remark in part.remarks)
    new.remarks = [*old.remarks[:first], *inside, *(remark.moved(by) for remark in old.remarks[last:])]

    def moved(span: Span) -> Span:
        return Span(
            span.start + (by if span.start >= window.end else 0), span.end + (by if span.end >= window.end else 0)
        )

    scopes: dict[Scope, Scope] = {}
    for scope in old.scopes:  # those around come before those inside of them
        scopes[scope] = _moved_scope(scope, window, by, scopes)
    own = scopes[old.scope_at(window.start)]
    for declaration in part.module.all():
        own.add(declaration._replace(span=declaration.span.moved(window.start)))
    for table in (own.names, own.families):
        for declarations in table.values():
            declarations.sort(key=lambda each: each.span.start)
    new.scopes = list(scopes.values())
    for scope in new.scopes:
        scope.span = moved(scope.span)
    new.module = scopes[old.module]
    new.forget()
    if old.coloured is not None and not _declares(old, window) and not any(part.module.all()):
        new.coloured = old.coloured.after(window, by)
    new.routines = [
        routine._replace(
            name_span=moved(routine.name_span), span=moved(routine.span), scope=scopes[routine.scope],
            body=None if routine.body is None else moved(routine.body),
        )
        for routine in old.routines
    ]  # fmt: skip
    return new


def _declares(program: Program, window: Span) -> bool:
    """Does it declare anything in a window?"""
    return any(window.start <= each.span.start < window.end for scope in program.scopes for each in scope.all())


def _moved_scope(scope: Scope, window: Span, by: int, scopes: dict[Scope, Scope]) -> Scope:
    """A scope without what it declares in the window; its span is still the old one."""
    made = Scope(scope.span.start, None if scope.parent is None else scopes[scope.parent])
    made.span = scope.span
    for kept, found in ((made.names, scope.names), (made.families, scope.families)):
        for name, declarations in found.items():
            left = [
                _moved(each, window, by) for each in declarations if not window.start <= each.span.start < window.end
            ]
            if left:
                kept[name] = left
    return made


def _moved(declaration: Declaration, window: Span, by: int) -> Declaration:
    if declaration.span.start < window.end:
        return declaration
    return declaration._replace(span=declaration.span.moved(by))
