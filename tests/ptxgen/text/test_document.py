"""A text that is edited: after each change it is what a whole parse of the new text gives.

`tools/fuzz/document.py` edits at random.
"""

from __future__ import annotations

import pytest

from ptxgen.errors import PtxError
from ptxgen.ir import resolve
from ptxgen.text import Document, parse, parts
from ptxgen.text.parser import read

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


def function(name: str, lines: int = 40) -> str:
    body = "".join(f"\tadd.s32 %r1, %r2, {n};\n" for n in range(lines))
    return f".func {name}()\n{{\n\t.reg .b32 %r<4>;\n{body}\tret;\n}}\n"


LONG = ".version 8.0\n.target sm_90a\n.address_size 64\n" + "".join(map(function, "fgh"))


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SIZE", 200)


def check(document: Document) -> None:
    module, findings = read(document.text, document.name)
    assert document.module == module
    assert list(document.diagnostics) == findings
    for one, other in zip(document.module.functions, module.functions, strict=True):
        places = [resolve(instruction.source) for instruction in one.instructions()]
        assert places == [resolve(instruction.source) for instruction in other.instructions()]


@pytest.mark.parametrize(
    "where, size, typed",
    [
        ("add.s32 %r1, %r2, 20;", 0, "\tmov.u32 %r3, 1;\n"),
        ("%r2, 20;", 3, "%r3"),
        ("%r2, 20;", 3, ", ,"),  # an error
        ("\tadd.s32 %r1, %r2, 20;", 25, ""),  # a line less
        (".reg .b32", 9, ".reg .f32"),  # what declares names
        ("\tadd.s32 %r1, %r2, 20;", 0, "{ .reg .f32 %r<3>; }\n"),
        ("\tret;", 5, "ret; // one\n\t// two"),
        (".func g", 0, "// before\n"),
        (".func g", 0, ".func new() { ret; }\n"),
        ("}\n.func g", 1, ""),  # a brace that is missing
        ("add.s32 %r1, %r2, 20;", 0, "/*"),
        (".target sm_90a", 14, ".target sm_80"),
    ],
)
def test_an_edit_gives_what_a_whole_parse_gives(small_parts: None, where: str, size: int, typed: str) -> None:
    document = Document(LONG)
    at = LONG.index(where, LONG.index(".func g") if where in LONG[LONG.index(".func g") :] else 0)
    edited = document.edit(at, at + size, typed)
    check(edited)
    check(edited.edit(at, at + len(typed), LONG[at : at + size]))


def test_an_edit_keeps_the_statements_of_other_parts(small_parts: None) -> None:
    document = Document(LONG)
    at = LONG.index("%r2, 20;", LONG.index(".func g"))
    edited = document.edit(at, at, "%r3, ")
    assert all(one is other for one, other in zip(document.module.function("f").body, edited.module.function("f").body))
    kept = [one is other for one, other in zip(document.module.function("g").body, edited.module.function("g").body)]
    assert kept.count(False) < len(kept) // 2
