"""Changes that are made at once leave what they leave one after another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pygls", reason="`ptxgen lsp` needs the extra lsp")

from lsprotocol import types

from ptxgen.lsp.changes import Changes
from ptxgen.lsp.conversion import span_of
from ptxgen.lsp.document import Document
from ptxgen.lsp.model.positions import Edit, Span

TEXT = "ab\r\n😀cd e\n\rf\n\nlast 😀 line"
PIECES = st.sampled_from(["", "x", "yy\n", "\n", "\r", "\r\n", "😀", "1\n2\r3"])
PLACES = st.builds(types.Position, st.integers(0, 7), st.integers(0, 9))


def change(start: types.Position, end: types.Position, text: str) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(types.Range(start, end), text)


def one_after_another(document: Document, changes: list[types.TextDocumentContentChangePartial]) -> str:
    for each in changes:
        document = document.edited([Edit(span_of(document, each.range), each.text)], 1)
    return document.text


def at_once(document: Document, changes: list[types.TextDocumentContentChangePartial]) -> tuple[str, int]:
    """The text, and in how many parts the changes were made."""
    together, parts = Changes(document), 1
    for each in changes:
        if not together.add(each):
            document = document.edited(together.edits, 1)
            together, parts = Changes(document), parts + 1
            assert together.add(each)
    return document.edited(together.edits, 1).text, parts


@settings(max_examples=300)
@given(st.lists(st.tuples(PLACES, PLACES, PIECES), min_size=1, max_size=5), st.sampled_from([None, False, True]))
def test_they_leave_the_same_text(
    drawn: list[tuple[types.Position, types.Position, str]], reverse: bool | None
) -> None:
    if reverse is not None:
        drawn.sort(key=lambda each: (each[0].line, each[0].character), reverse=reverse)
    changes = [change(*each) for each in drawn]
    document = Document("k.ptx", TEXT, "ptx")
    assert at_once(document, changes)[0] == one_after_another(document, changes)


@pytest.mark.parametrize("upwards", [True, False])
def test_a_rename_is_made_at_once_from_either_end(upwards: bool) -> None:
    lines = [f"\tadd.u32 %r{n}, %r{n}, %r1; // 😀 %r" for n in range(50)]
    document = Document("k.ptx", "\n".join(lines), "ptx")
    changes = []
    for number, line in enumerate(lines):
        starts = [n for n, sign in enumerate(line) if line.startswith("%r", n) and sign and n < line.index("//")]
        for nth, start in enumerate(starts):
            shift = 0 if upwards else 4 * nth  # those before have made the line longer
            place = types.Position(number, start + shift)
            changes.append(change(place, types.Position(number, start + shift + 2), "%count"))
    if upwards:
        changes.reverse()
    expected = "\n".join(line.replace("%r", "%count", 3) for line in lines)
    assert at_once(document, changes) == (expected, 1)


def test_the_whole_text_waits_for_what_comes_before() -> None:
    together = Changes(Document("k.ptx", TEXT, "ptx"))
    assert together.add(types.TextDocumentContentChangeWholeDocument("one"))
    assert not together.add(types.TextDocumentContentChangeWholeDocument("two"))
    assert together.edits == [Edit(Span(0, len(TEXT)), "one")]
