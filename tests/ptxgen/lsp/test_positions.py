"""Lines, UTF-16 columns, and edits of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxgen.lsp.model.positions import Edit, Lines, Position, Span

TEXTS = st.text(alphabet="ab \r\n😀é\u2028", max_size=20)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_kind_of_line_end_ends_a_line(end: str) -> None:
    lines = Lines(f"ab{end}cd{end}")
    assert len(lines) == 3
    assert lines.offset(1, 1) == 3 + len(end)
    assert lines.position(3 + len(end)) == Position(1, 1)
    assert lines.span(0) == Span(0, 2)


def test_other_separators_of_unicode_end_no_line() -> None:
    assert len(Lines("a\u2028b\x0bc\x0cd\x85e")) == 1


def test_columns_count_utf_16() -> None:
    lines = Lines("é😀x")
    assert [lines.position(offset).character for offset in range(4)] == [0, 1, 3, 4]
    assert [lines.offset(0, units) for units in range(5)] == [0, 1, 1, 2, 3]


@pytest.mark.parametrize(
    "line, character, offset", [(-1, 5, 0), (0, -3, 0), (0, 99, 2), (1, 99, 5), (7, 0, 5), (2**31, 2**31, 5)]
)
def test_a_place_outside_of_the_text_is_the_nearest_inside(line: int, character: int, offset: int) -> None:
    assert Lines("ab\ncd").offset(line, character) == offset


@given(TEXTS, TEXTS, st.data())
def test_an_edit_gives_the_lines_of_the_new_text(text: str, put: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    changed = Lines(text).edited([Edit(Span(start, end), put)])
    whole = Lines(text[:start] + put + text[end:])
    assert changed.text == whole.text
    assert [changed.span(line) for line in range(len(changed))] == [whole.span(line) for line in range(len(whole))]


@given(TEXTS, st.data())
def test_a_place_leads_back_to_its_offset(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    lines = Lines(text)
    found = lines.offset(*lines.position(offset))
    assert found == offset or text[found:offset] == "\r"  # between the two signs of a line end


def test_several_edits_are_made_at_once() -> None:
    edits = [Edit(Span(8, 9), ""), Edit(Span(4, 6), "x\ny"), Edit(Span(0, 0), "z")]
    assert Lines("abcdefghi").edited(edits).text == "zabcdx\nygh"
    assert Lines("abc").edited([]).text == "abc"
