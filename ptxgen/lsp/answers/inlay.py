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
        if start <= hint.offset <= end:
            found.setdefault(document.lines.line(hint.offset), []).append(hint)
    return [
        Inlay(document.lines.span(line).end, "; ".join(h.text for h in own), "\n\n".join(h.tip for h in own))
        for line, own in sorted(found.items())
    ]


def moved(hints: Sequence[Hint], edits: Sequence[Edit]) -> tuple[Hint, ...]:
    """The hints after edits of their text, the last one in the text first; those inside of a replaced span are gone."""
    found = list(hints)
    for edit in edits:
        start, end = edit.span
        by = len(edit.text) - (end - start)
        first = next(
            (n for n, hint in enumerate(found) if hint.offset > start or start == end == hint.offset), len(found)
        )
        found[first:] = [hint._replace(offset=hint.offset + by) for hint in found[first:] if hint.offset >= end]
    return tuple(found)
