"""The changes of one version that an editor sends, as edits of the text before them all.

Each change is told in the text that those before it left. A rename is thousands: some editors send them from the end of the text
to its beginning, where each means the same place with and without the others, and some from the beginning on. Both are made at
once. A change that is in neither order has to wait until those before are made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ptxgen.lsp.conversion import position
from ptxgen.lsp.model.positions import LINE_END, Edit, Position, Span, units

if TYPE_CHECKING:
    from ptxgen.lsp.document import Document

__all__ = ["Changes"]


class Changes:
    """Changes of a document that are made at once."""

    def __init__(self, document: Document) -> None:
        self._lines = document.lines
        self._edits: list[Edit] = []
        self._downwards = False
        self._last = False
        """Does the last change perhaps join a carriage return with a newline behind it?"""
        self._behind = Position(0, 0)
        """Behind the last change, in the text with the changes, ..."""
        self._original = Position(0, 0)
        """... and in the text without them."""

    @property
    def edits(self) -> list[Edit]:
        """The last one in the text first."""
        return self._edits[::-1] if self._downwards else self._edits

    def add(self, change: types.TextDocumentContentChangeEvent) -> bool:
        """Take a change; False where it has to wait. A range outside of the text means the nearest place in it."""
        start, end = Position(0, 0), Position(len(self._lines), 0)
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = position(change.range.start), position(change.range.end)
        several = len(self._edits) > 1
        if not (several and self._downwards):
            if not self._edits or max(start, end) <= self._lines.position(self._edits[-1].span.start):
                span = self._span(start, end)
                self._edits.append(Edit(span, change.text))
                if not several:
                    self._follow(span, change.text)
                return True
            if several:
                return False
        if self._last or start < self._behind:
            return False
        span = self._span(self._without(start), self._without(end))
        self._downwards = True
        self._edits.append(Edit(span, change.text))
        self._follow(span, change.text)
        return True

    def _span(self, start: Position, end: Position) -> Span:
        first = self._lines.offset(*start)
        return Span(first, max(first, self._lines.offset(*end)))

    def _without(self, place: Position) -> Position:
        """A place behind the last change, in the text without the changes."""
        right = self._original.character - self._behind.character if place.line == self._behind.line else 0
        return Position(place.line + self._original.line - self._behind.line, place.character + right)

    def _follow(self, span: Span, text: str) -> None:
        """Note where the change of a span ends."""
        start, end = self._lines.positions(span)
        right = self._behind.character - self._original.character if start.line == self._original.line else 0
        line, character = start.line + self._behind.line - self._original.line, start.character + right
        *breaks, rest = LINE_END.split(text)
        self._behind = Position(line + len(breaks), units(rest) + (0 if breaks else character))
        self._original = end
        self._last = text.endswith("\r") or self._lines.text.endswith("\r", 0, span.start)
