"""A text that is edited: after each change it is what a whole parse of the new text gives."""

from __future__ import annotations

import pytest

from ptxgen.errors import PtxError
from ptxgen.text import parse
from ptxgen.text.document import Document

TEXT = """.version 8.0
.target sm_90a
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    ret;
}
"""


def test_the_module_and_the_errors_of_a_text():
    document = Document(TEXT, "k.ptx")
    assert document.module == parse(TEXT)
    assert document.diagnostics == ()
    broken = document.edit((6, 5), (6, 12), "move u32")
    assert [str(finding.locations[0]) for finding in broken.diagnostics] == ["k.ptx:6:14"]
    assert len(broken.module.function("k").body) == 2
    assert broken.edit((6, 5), (6, 13), "mov.u32").module == document.module


def test_places_are_offsets_or_lines_and_columns():
    document = Document(TEXT)
    assert document.offset((1, 1)) == 0
    assert document.offset((2, 1)) == TEXT.index(".target")
    assert document.position(TEXT.index("ret;")) == (7, 5)
    assert document.offset((9, 1)) == len(TEXT)
    with pytest.raises(PtxError, match="no line 10"):
        document.offset((10, 1))
    with pytest.raises(PtxError, match="line 1 of <ptx> has no column 14"):
        document.offset((1, 14))
    with pytest.raises(PtxError, match="no offset -1"):
        document.edit(-1, 0, "")
    with pytest.raises(PtxError, match="back to 3"):
        document.edit(4, 3, "")
