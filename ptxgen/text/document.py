"""PTX text that is being edited: its module and its syntax errors after each change.

A document is one state of the text; `edit` gives the next one.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ptxgen.errors import PtxError
from ptxgen.text.parser import read

if TYPE_CHECKING:
    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Module

__all__ = ["Document"]


class Document:
    """A text with its `module`, that of what can be read of it, and its syntax errors, `diagnostics`, in the text's order.

    Places are offsets in characters from 0, or pairs (line, column) that count from 1, as those of a Location do.
    """

    __slots__ = ("_line_starts", "diagnostics", "module", "name", "text")

    def __init__(self, text: str, name: str = "<ptx>") -> None:
        self.text = text
        self.name = name
        module, findings = read(text, name)
        self.module: Module = module
        self.diagnostics: tuple[Diagnostic, ...] = tuple(findings)
        self._line_starts: list[int] | None = None

    def edit(self, start: int | tuple[int, int], end: int | tuple[int, int], replacement: str) -> Document:
        """The document with `replacement` where the characters from `start` up to `end` were.

        PtxError for places that the text does not have.
        """
        first, last = self.offset(start), self.offset(end)
        if first > last:
            raise PtxError(f"an edit from offset {first} back to {last}", hint="give the earlier place first")
        return Document(self.text[:first] + replacement + self.text[last:], self.name)

    def offset(self, place: int | tuple[int, int]) -> int:
        """The offset of a place; the end of a line, and of the text, are places too. PtxError where there is none."""
        if isinstance(place, int):
            if not 0 <= place <= len(self.text):
                raise PtxError(f"{self.name} has no offset {place}", hint=f"0 to {len(self.text)}")
            return place
        line, column = place
        starts = self._starts()
        if not 1 <= line <= len(starts):
            raise PtxError(f"{self.name} has no line {line}", hint=f"1 to {len(starts)}")
        first = starts[line - 1]
        length = (starts[line] - 1 if line < len(starts) else len(self.text)) - first
        if not 1 <= column <= length + 1:
            raise PtxError(f"line {line} of {self.name} has no column {column}", hint=f"1 to {length + 1}")
        return first + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset."""
        offset = self.offset(offset)
        starts = self._starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def _starts(self) -> list[int]:
        if self._line_starts is None:
            starts = [0]
            at = self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._line_starts = starts
        return self._line_starts
