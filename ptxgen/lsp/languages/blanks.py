"""A text under construction that keeps its length: blank what is not PTX, and underscores where somebody fills something in."""

from __future__ import annotations

from ptxgen.lsp.model.positions import Span

__all__ = ["Blanked"]


class Blanked:
    """`text[start:end]` of a file, with parts replaced in place. Offsets are the file's."""

    def __init__(self, text: str, span: Span) -> None:
        self.span = span
        self._signs = list(text[span.start : span.end])
        self.holes: list[Span] = []
        self.foreign: list[Span] = []

    def blank(self, start: int, end: int) -> None:
        """What is not PTX. Line ends stay."""
        base = self.span.start
        for at in range(start - base, end - base):
            if self._signs[at] not in "\r\n":
                self._signs[at] = " "
        self.foreign.append(Span(start - base, end - base))

    def hole(self, start: int, end: int) -> None:
        """What somebody fills in: a part of a name, a number, or whole statements."""
        base = self.span.start
        self._signs[start - base : end - base] = "_" * (end - start)
        self.holes.append(Span(start - base, end - base))
        self.foreign.append(Span(start - base, end - base))

    def put(self, start: int, text: str) -> None:
        """Another text of the same length, such as that of an escape."""
        base = self.span.start
        self._signs[start - base : start - base + len(text)] = text

    @property
    def text(self) -> str:
        return "".join(self._signs)
