"""An open file: its text, and the PTX in it. Every edit makes a new document: an answer belongs to one version for good."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ptxgen.lsp.languages import regions_of
from ptxgen.lsp.model.positions import Lines
from ptxgen.lsp.model.statement import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.lsp.model.positions import Edit, Position
    from ptxgen.lsp.model.region import Region

__all__ = ["Document", "Place"]


class Place:
    """A place in the PTX of a document: the region, and the offset in the region's text."""

    __slots__ = ("offset", "region")

    def __init__(self, region: Region, offset: int) -> None:
        self.region = region
        self.offset = offset

    @property
    def statement(self) -> Statement | None:
        """The statement that the place is in."""
        program = self.region.program
        span = program.statement_at(self.offset)
        return None if span is None else Statement(program, span)


class Document:
    """An open file. `language` is one of `languages.LANGUAGES`; `version` counts the editor's edits."""

    def __init__(self, name: str, text: str, language: str, version: int = 0, *, lines: Lines | None = None) -> None:
        self.name = name
        self.language = language
        self.version = version
        self.lines = Lines(text) if lines is None else lines

    @property
    def text(self) -> str:
        return self.lines.text

    def edited(self, edits: Sequence[Edit], version: int) -> Document:
        """The next version: with these edits, none of which touches another, the last one in the text first."""
        lines = self.lines.edited(edits)
        made = Document(self.name, lines.text, self.language, version, lines=lines)
        if self.language == "ptx" and len(edits) == 1 and "regions" in self.__dict__:
            region = self.regions[0].edited(edits[0], lines.text)
            if region is not None:
                made.__dict__["regions"] = (region,)
        return made

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The parts of the text that are PTX, in text order."""
        return regions_of(self.text, self.language)

    def place(self, position: Position) -> Place | None:
        """The place of a position in the PTX; None outside of it."""
        return self.place_of(self.lines.offset(*position))

    def place_of(self, offset: int) -> Place | None:
        """The place of an offset in the PTX; None outside of it."""
        region = next((each for each in self.regions if offset in each.span), None)
        if region is None or region.is_foreign(offset - region.span.start):
            return None
        return Place(region, offset - region.span.start)
