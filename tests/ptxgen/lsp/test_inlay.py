"""Hints stay at their instructions while the text around them changes."""

from __future__ import annotations

import pytest

from ptxgen.lsp.answers.inlay import inlay_hints, moved
from ptxgen.lsp.background.report import Hint
from ptxgen.lsp.document import Document
from ptxgen.lsp.model.positions import Edit, Position, Span

HINTS = [Hint(offset, str(offset), "live") for offset in (2, 5, 9)]


@pytest.mark.parametrize(
    "edits, offsets",
    [
        ([], [2, 5, 9]),
        ([Edit(Span(0, 0), "xx")], [4, 7, 11]),
        ([Edit(Span(5, 5), "x")], [2, 6, 10]),
        ([Edit(Span(3, 5), "")], [2, 3, 7]),
        ([Edit(Span(3, 8), "a")], [2, 5]),
        ([Edit(Span(4, 6), "abc")], [2, 10]),
        ([Edit(Span(9, 10), "x")], [2, 5, 9]),
        ([Edit(Span(8, 8), "y"), Edit(Span(4, 4), "zz"), Edit(Span(1, 2), "")], [1, 6, 11]),
    ],
)
def test_hints_move_with_their_text(edits: list[Edit], offsets: list[int]) -> None:
    assert [hint.offset for hint in moved(HINTS, edits)] == offsets


def test_hints_of_one_line_are_one() -> None:
    document = Document("a.ptx", "a;\nb; c;\nd;", "ptx")
    hints = [Hint(3, "one", "live", "tip"), Hint(6, "two", "needs"), Hint(9, "three", "live")]
    found = inlay_hints(document, hints, Position(1, 0), Position(1, 5))
    assert [(each.offset, each.text) for each in found] == [(8, "one; two")]
