"""A file in the one form of `ptxgen fmt`, as one edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lsp.model.positions import Edit, Span

if TYPE_CHECKING:
    from ptxgen.lsp.document import Document

__all__ = ["formatting"]


def formatting(document: Document, formatted: str) -> list[Edit]:
    """The edit that makes the text the formatted one: what is the same at its beginning and end stays. [] where all is."""
    text = document.text
    if "\r\n" in text:
        formatted = formatted.replace("\n", "\r\n")
    if text == formatted:
        return []
    old, new = text.splitlines(keepends=True), formatted.splitlines(keepends=True)
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    start = sum(map(len, old[:first]))
    end = len(text) - sum(map(len, old[len(old) - last :]))
    return [Edit(Span(start, end), "".join(new[first : len(new) - last]))]


def _common(one: list[str], other: list[str]) -> int:
    """How many lines at the beginning are the same."""
    return next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
