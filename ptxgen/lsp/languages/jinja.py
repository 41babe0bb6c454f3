"""Jinja templates of PTX: expressions are holes, statements and comments are blank."""

from __future__ import annotations

import re

from ptxgen.lsp.languages.blanks import Blanked
from ptxgen.lsp.model.positions import Span
from ptxgen.lsp.model.region import Region

__all__ = ["mask_jinja", "template_region"]

_PARTS = re.compile(
    r"\{#[\s\S]*?(?:#\}|\Z)"
    r"|\{%-?\s*raw\s*-?%\}|\{%[\s\S]*?(?:%\}|\Z)"
    r"|\{\{(?:[^{}\"']|\"[^\"]*\"|'[^']*'|\{[^{}]*\})*\}\}"
)


def mask_jinja(text: Blanked, source: str, span: Span) -> None:
    """Blank what is Jinja's in a span of a source."""
    for part in _PARTS.finditer(source, span.start, span.end):
        if part[0].startswith("{{"):
            text.hole(*part.span())
        else:
            text.blank(*part.span())


def template_region(source: str) -> tuple[Region, ...]:
    """The whole file."""
    span = Span(0, len(source))
    text = Blanked(source, span)
    mask_jinja(text, source, span)
    return (Region(span, text.text, holes=text.holes, foreign=text.foreign),)
