"""A program after one edit, read again only where the edit is: between the ends of two statements, with the whole of a small `{}`
that begins or ends there. Of ten thousand lines, a keystroke then costs a sixth of that."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from ptxgen.lsp.model.declarations import Declaration
from ptxgen.lsp.model.positions import Span, shifted
from ptxgen.lsp.model.program import Program, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.lsp.model.positions import Edit

__all__ = ["reread"]


_MOST = 4000
"""Characters of a window: a larger part of the text is not worth the splicing."""


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
    """From behind the statement before the edit to behind one that begins after it, with the whole of each `{}` that begins or
    ends there; None where that is too much."""
    first = bisect_left(old.ends, edit.start)
    last = bisect_right(old.starts, edit.end)
    if first == 0 or last >= len(old.starts):
        return None
    window = Span(old.ends[first - 1] + 1, old.ends[last] + 1)
    while window.end - window.start < _MOST:
        cut = [scope for scope in old.scopes if _is_cut(scope.span, window)]
        if not cut:
            inside = any(window.start <= routine.span.start < window.end for routine in old.routines)
            whole = old.text[window.end - 1 : window.end] in (";", "}")  # the text's last statement may have no end
            return None if inside or window.start > edit.start or not whole else window
        start = min(window.start, *(_before(old, scope.span.start) for scope in cut))
        window = Span(start, max(window.end, *(scope.span.end for scope in cut)))
    return None


def _is_cut(scope: Span, window: Span) -> bool:
    """Does one edge of the window lie inside of the scope, and one outside?"""
    begins, ends = window.start <= scope.start < window.end, window.start < scope.end <= window.end
    return begins != ends


def _before(old: Program, offset: int) -> int:
    """Where what stands before a `{` ends: a statement, or another `}`."""
    at = bisect_left(old.ends, offset)
    behind = old.ends[at - 1] + 1 if at else 0
    return max(behind, *(scope.span.end for scope in old.scopes if scope.span.end <= offset), 0)


def _is_plain(part: Program) -> bool:
    """Does it hold whole statements, and nothing that reaches out of it?"""
    end = len(part.text)
    return (
        not (part.unmatched or part.unclosed or part.routines)
        and bool(part.ends)
        and part.ends[-1] != end  # a statement without its end
        and part.text[-1] in ";}"
        and part.remark_ends[-1:] != [end]
    )


def _spliced(old: Program, window: Span, part: Program, by: int, text: str) -> Program:
    """The old program with a part in place of the window, and all behind it moved."""
    new = Program("")
    new.text = text
    first, last = bisect_left(old.starts, window.start), bisect_left(old.starts, window.end)

    def joined(before: list[int], inside: list[int], first: int, last: int) -> list[int]:
        return before[:first] + shifted(inside, window.start) + shifted(before[last:], by)

    new.starts = joined(old.starts, part.starts, first, last)
    new.ends = joined(old.ends, part.ends, first, last)
    first, last = (bisect_left(old.remark_starts, edge) for edge in window)
    new.remark_starts = joined(old.remark_starts, part.remark_starts, first, last)
    new.remark_ends = joined(old.remark_ends, part.remark_ends, first, last)

    def moved(span: Span) -> Span:
        return Span(
            span.start + (by if span.start >= window.end else 0), span.end + (by if span.end >= window.end else 0)
        )

    scopes: dict[Scope, Scope] = {}
    for scope in sorted(old.scopes, key=lambda each: each.span.start):  # those around before those inside of them
        if not window.start <= scope.span.start < window.end:
            scopes[scope] = _moved_scope(scope, window, by, scopes)
            scopes[scope].span = moved(scope.span)
    own = scopes[_around(old, window)]
    for declaration in part.module.all():
        own.add(declaration._replace(span=declaration.span.moved(window.start)))
    for table in (own.names, own.families):
        for declarations in table.values():
            declarations.sort(key=lambda each: each.span.start)
    new.scopes = sorted([*scopes.values(), *_inner(part, own, window.start)], key=lambda each: each.span.start)
    new.module = scopes[old.module]
    new.unmatched, new.unclosed = old.unmatched, old.unclosed
    new.forget()
    outer = (scope for scope in old.scopes if not window.start <= scope.span.start < window.end)
    if old.coloured is not None and _declared(outer, window) == _declared([part.module], Span(0, len(part.text))):
        new.coloured = old.coloured.after(window, by)
    new.routines = [
        routine._replace(
            name_span=moved(routine.name_span), span=moved(routine.span), scope=scopes[routine.scope],
            body=None if routine.body is None else moved(routine.body),
        )
        for routine in old.routines
    ]  # fmt: skip
    return new


def _around(old: Program, window: Span) -> Scope:
    """The innermost scope around the whole window."""
    found = old.module
    for scope in old.scopes:
        span = scope.span
        if (
            span.start < window.start
            and window.end < span.end
            and span.start >= found.span.start
            and scope is not found
        ):
            found = scope
    return found


def _inner(part: Program, own: Scope, by: int) -> list[Scope]:
    """The scopes in a part, moved to its place; those of its outermost one are in `own`."""
    made: dict[Scope, Scope] = {part.module: own}
    for scope in part.scopes[1:]:
        assert scope.parent is not None
        new = made[scope] = Scope(scope.span.start + by, made[scope.parent])
        new.span = scope.span.moved(by)
        for declaration in scope.all():
            new.add(declaration._replace(span=declaration.span.moved(by)))
    return list(made.values())[1:]


def _declared(scopes: Iterable[Scope], window: Span) -> list[Declaration]:
    """What they declare in a window, in text order, wherever that is."""
    found = sorted(
        (each for scope in scopes for each in scope.all() if window.start <= each.span.start < window.end),
        key=lambda each: each.span,
    )
    return [each._replace(span=Span(0, 0)) for each in found]


def _moved_scope(scope: Scope, window: Span, by: int, scopes: dict[Scope, Scope]) -> Scope:
    """A scope without what it declares in the window; its span is still the old one."""
    made = Scope(scope.span.start, None if scope.parent is None else scopes[scope.parent])
    made.span = scope.span
    if scope.span.end <= window.start:
        made.names, made.families = scope.names, scope.families
        return made
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
    name, kind, span, type_, space, members, shape, lanes = declaration  # _replace takes four times as long
    return Declaration(name, kind, span.moved(by), type_, space, members, shape, lanes)
