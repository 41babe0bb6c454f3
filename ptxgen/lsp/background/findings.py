"""A diagnostic -> a finding with its span in a document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.lsp.background.report import Finding
from ptxgen.lsp.model.positions import Span

if TYPE_CHECKING:
    from ptxgen.errors import Diagnostic, Location
    from ptxgen.lsp.model.region import Region

__all__ = ["TextLines", "in_region", "in_template"]

_TOKEN = re.compile(r"[.%$\w]+(?:(?:::|\.)\w+)*|\S")


class TextLines:
    """A text with the offsets of its lines as the parser counts them: they end with a newline."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(end.end() for end in re.finditer("\n", text))]

    def offset(self, place: Location) -> int:
        line = min(max(place.line, 1), len(self.starts))
        return min(self.starts[line - 1] + max((place.column or 1) - 1, 0), len(self.text))

    def line(self, number: int) -> Span:
        """A line, counted from 1, without the blanks around it."""
        number = min(max(number, 1), len(self.starts))
        start = self.starts[number - 1]
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        text = self.text[start:end]
        start += len(text) - len(text.lstrip())
        return Span(start, max(start, start + len(text.strip())))


def in_region(diagnostic: Diagnostic, region: Region, lines: TextLines, *, shift: int = 0) -> Finding:
    """A finding about the text of a region, before which `shift` characters stand in `lines`."""
    place = next((each for each in diagnostic.locations if each.kind == "ptx"), None)
    span = _extent(lines.text, 0 if place is None else lines.offset(place), diagnostic.code)
    start = min(max(span.start - shift, 0), len(region.text))
    end = min(max(span.end - shift, start), len(region.text))
    others = tuple(_other(each) for each in diagnostic.locations if each is not place and each.kind != "ptx")
    return _finding(diagnostic, Span(start, end).moved(region.span.start), others)


def in_template(diagnostic: Diagnostic, name: str, lines: TextLines) -> Finding:
    """A finding about what a template makes: at its line, or at the first where another file is meant, with the rendered line."""
    own = next((each for each in diagnostic.locations if each.kind == "template" and each.file == name), None)
    others = tuple(
        _other(each) for each in diagnostic.locations if each is not own and each.kind in ("template", "ptx")
    )
    return _finding(diagnostic, lines.line(1 if own is None else own.line), others)


def _finding(diagnostic: Diagnostic, span: Span, places: tuple[tuple[str, int, str], ...]) -> Finding:
    count = f" ({diagnostic.count} times)" if diagnostic.count > 1 else ""
    return Finding(
        diagnostic.code, diagnostic.severity, diagnostic.message + count, span, diagnostic.expected or "",
        diagnostic.hint or "", places,
    )  # fmt: skip


def _other(place: Location) -> tuple[str, int, str]:
    return place.file, place.line, place.excerpt()


def _extent(text: str, offset: int, code: str) -> Span:
    """How far a finding reaches: a syntax error is one word, any other a statement, as far as that stands on its line."""
    if offset >= len(text):
        end = len(text.rstrip())
        return Span(max(end - 1, 0), end)
    if code < "PTX2":
        word = _TOKEN.match(text, offset)
        # One that stands behind the last word of a line marks that word's last character.
        return Span(max(offset - 1, 0), max(offset, 1)) if word is None else Span(*word.span())
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    stop = text.find(";", offset, end)
    written = text[offset : end if stop < 0 else stop].rstrip()
    return Span(offset, offset + max(len(written), 1))
