"""The hints of the last report at the ends of their lines, moved along with the edits since then."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.lsp.background.report import Hint
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.positions import Position, Span

__all__ = ["Inlay", "inlay_hints", "moved"]


class Inlay(NamedTuple):
    """A text behind a place."""

    offset: int
    text: str
    tip: str


def inlay_hints(document: Document, hints: Iterable[Hint], first: Position, last: Position) -> list[Inlay]:
    """The hints of some lines."""
    start = document.lines.offset(first.line, 0)
    end = document.lines.offset(last.line + 1, 0)
    found: dict[int, list[Hint]] = {}
    for hint in hints:
        if start <= hint.offset <= end:
            found.setdefault(document.lines.line(hint.offset), []).append(hint)
    return [
        Inlay(document.lines.span(line).end, "; ".join(h.text for h in own), "\n\n".join(h.tip for h in own))
        for line, own in sorted(found.items())
    ]


def moved(hints: Iterable[Hint], span: Span, length: int) -> tuple[Hint, ...]:
    """The hints after a span was replaced by so many characters; those inside of it are gone."""
    by = length - (span.end - span.start)
    return tuple(
        hint if hint.offset < span.start or hint.offset == span.start == span.end
        else hint._replace(offset=hint.offset + by)
        for hint in hints
        if not span.start < hint.offset < span.end
    )  # fmt: skip
