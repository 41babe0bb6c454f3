"""What is read again after an edit is what reading all would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxgen.lsp.answers.semantic_tokens import colours, encoded, semantic_tokens
from ptxgen.lsp.document import Document
from ptxgen.lsp.model.positions import Edit, Span
from ptxgen.lsp.model.program import Program
from ptxgen.lsp.model.rereading import reread
from tests.ptxgen.lsp.kit import SAXPY, body

if TYPE_CHECKING:
    from ptxgen.lsp.model.program import Scope

NESTED = body(
    "/* a */ mov.u32 %r1, 0; // b;", "{", ".reg .b32 %r<2>, x;", "L1: mov.u32 x, 1; L2:", "@%p1 bra L1;", "}", "bra L2;",
    ".shared .b8 tile[16];", "st.v2.b32 [tile], {%r1, %r2};", '.pragma "nounroll";', "add.u32 %r2, %r1, 1;",
)  # fmt: skip
ASM = body(
    "mov.u32 %r1, 0;", "{ .reg .pred P; setp.ne.b32 P, %r1, 0; @P bra D; D: }", "// c", "{", "mov.u32 %r2, 1;",
    "{ .reg .b32 q; mov.u32 q, 0; }", "{ret;}", "}", "{.reg .b32 z<3>; mov.u32 z1, 2;}", "{}", "ret;",
)  # fmt: skip
PIECES = st.sampled_from(
    ["", " ", "\n", ";", "{", "}", "x", "%r1", ":", "/*", "*/", "//", '"', "L1:", ".reg .b32 y;", "ld.b32 a, [b];",
     ".loc 1 2 3\n", "{ret;}", "{ .reg .b32 y; L1: }", ".func f();", ",", "@p"]
)  # fmt: skip


def seen(program: Program) -> object:
    """All that a program says of its text."""

    def scope(each: Scope) -> object:
        return each.span, each.parent and each.parent.span, sorted(each.all())

    return (
        program.starts, program.ends, list(program.remarks), program.unmatched, [scope(each) for each in program.scopes],
        [(each.name, each.kind, each.name_span, each.span, each.body, each.scope.span) for each in program.routines],
    )  # fmt: skip


@settings(max_examples=300)
@given(st.sampled_from([SAXPY, NESTED, ASM, SAXPY + ASM]), PIECES, st.data())
def test_it_is_what_reading_all_gives(text: str, put: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 12, len(text))))
    new = text[:start] + put + text[end:]
    old = Program(text)
    found = reread(old, Edit(Span(start, end), put), new)
    if found is not None:
        whole = Program(new)
        _ = whole.scope_at(0), found.scope_at(0)  # both sort their scopes
        assert seen(found) == seen(whole)


@pytest.mark.parametrize("put", ["x", " ", "add.u32 %r1, %r1, 1;\n\t", "L: ", "// a\n"])
def test_a_keystroke_is_not_a_reason_to_read_all(put: str) -> None:
    at = SAXPY.index("fma.rn")
    assert reread(Program(SAXPY), Edit(Span(at, at), put), SAXPY[:at] + put + SAXPY[at:]) is not None


@pytest.mark.parametrize("near", ["setp.ne", "D: }", "mov.u32 q", "{ret;}", "z1"])
def test_a_small_block_is_read_again_as_a_whole(near: str) -> None:
    at = ASM.index(near)
    assert reread(Program(ASM), Edit(Span(at, at), " "), ASM[:at] + " " + ASM[at:]) is not None


@pytest.mark.parametrize("end", ["", "/*", "/* a", "fma/*.rn", " // a", "fma.rn", "{", '"'])
def test_a_last_statement_without_its_end_is_read_again_with_all(end: str) -> None:
    for first in range(2):  # without its dot, what is before `{` begins no kernel
        text = SAXPY[first : SAXPY.index("fma.rn")] + end
        for at in range(text.index("ld.global.f32 %f3") - 30, len(text) + 1):
            found = reread(Program(text), Edit(Span(at, at), " "), changed := text[:at] + " " + text[at:])
            assert found is None or seen(found) == seen(Program(changed))


def test_edits_one_after_another() -> None:
    program, text = Program(SAXPY), SAXPY
    for at, put in ((SAXPY.index("fma"), "x"), (SAXPY.index("setp"), "mov.u32 %r3, 1;\n"), (SAXPY.index("done:"), " ")):
        changed = text[:at] + put + text[at:]
        found = reread(program, Edit(Span(at, at), put), changed)
        assert found is not None
        program, text = found, changed
    assert seen(program) == seen(Program(text))
    assert program.find("%r3", text.index("setp")) is not None


@settings(max_examples=200)
@given(st.lists(st.tuples(PIECES, st.floats(0, 1), st.integers(0, 9)), min_size=1, max_size=4), st.data())
def test_colours_that_are_kept_are_what_reading_all_gives(
    edits: list[tuple[str, float, int]], data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from([SAXPY, NESTED, ASM, SAXPY.replace("// y", "/* 😀 */")]))
    document = Document("k.ptx", text, "ptx")
    for put, where, length in edits:
        if data.draw(st.booleans()):
            _ = colours(document)
        start = int(where * len(document.text))
        document = document.edited([Edit(Span(start, min(start + length, len(document.text))), put)], 1)
    anew = Document("k.ptx", document.text, "ptx")
    assert colours(document) == encoded(anew, list(semantic_tokens(anew)))
