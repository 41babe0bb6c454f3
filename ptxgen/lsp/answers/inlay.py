"""The hints of the last report at the ends of their lines, moved along with the edits since then."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.lsp.background.report import Hint
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.positions import Edit, Position

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
        if start <= hint.offset < end:
            found.setdefault(document.lines.line(hint.offset), []).append(hint)
    return [
        Inlay(document.lines.span(line).end, "; ".join(h.text for h in own), "\n\n".join(h.tip for h in own))
        for line, own in sorted(found.items())
    ]


def moved(hints: Sequence[Hint], edits: Sequence[Edit]) -> tuple[Hint, ...]:
    """The hints, in text order, after edits of their text, the last one in the text first; those inside of a replaced span are
    gone."""
    found: list[Hint] = []
    waiting = list(edits)
    by = 0
    for hint in hints:
        while waiting and (waiting[-1].span.end < hint.offset or waiting[-1].span == (hint.offset, hint.offset)):
            edit = waiting.pop()
            by += len(edit.text) - (edit.span.end - edit.span.start)
        if not waiting or hint.offset <= waiting[-1].span.start:
            found.append(hint._replace(offset=hint.offset + by))
        elif hint.offset == waiting[-1].span.end:  # right behind what is replaced
            edit = waiting[-1]
            found.append(hint._replace(offset=hint.offset + by + len(edit.text) - (edit.span.end - edit.span.start)))
    return tuple(found)
