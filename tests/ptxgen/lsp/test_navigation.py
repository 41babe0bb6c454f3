"""From a name to its declaration and its uses, and other names for it."""

from __future__ import annotations

import pytest

from ptxgen.lsp.answers.navigation import definition, highlights, references
from ptxgen.lsp.answers.rename import RenameError, rename, renamed_span
from ptxgen.lsp.answers.symbols import folds, symbols
from ptxgen.text import parse
from tests.ptxgen.lsp.kit import HEAD, SAXPY, applied, at, body

NESTED = body("mov.u32 %r1, 0;", "{", ".reg .b32 %r<2>;", "mov.u32 %r1, 1;", "}", "add.u32 %r2, %r1, 1;")


def lines(document, spans) -> list[int]:
    return [document.lines.line(span.start) + 1 for span in spans]


@pytest.mark.parametrize(
    "here, line",
    [("%r▮2, %r1", 9), ("[▮n]", 6), ("bra d▮one", 25), ("%p▮1 bra", 8), ("sax▮py", 6), ("fm▮a", None), ("%ti▮d", None)],
)
def test_a_name_leads_to_its_declaration(here: str, line: int | None) -> None:
    document, position = at(SAXPY, here)
    found = definition(document, position)
    assert (None if found is None else document.lines.line(found.start) + 1) == line


def test_references_are_those_of_the_scope() -> None:
    document, position = at(NESTED, "mov.u32 %r▮1, 0")
    assert len(references(document, position, declaration=False)) == 2
    document, position = at(NESTED, "mov.u32 %r▮1, 1")
    assert len(references(document, position, declaration=False)) == 1
    document, position = at(SAXPY, "%f▮3, %f1")
    assert lines(document, references(document, position)) == [10, 22, 23, 23, 24]


def test_writes_are_marked() -> None:
    document, position = at(SAXPY, "%f▮3, %f1")
    assert [each.written for each in highlights(document, position)] == [True, True, False, False]


@pytest.mark.parametrize(
    "text, here, name, changed, there",
    [
        (SAXPY, "bra d▮one", "out", 2, "\nout:\n"),
        (SAXPY, "%r▮2, %r1", "%int2", 7, ".reg .b32 %int<5>"),
        (SAXPY, "%r▮<5>", "%int", 7, "mov.u32 %int2, %tid.x"),
        (SAXPY, "[▮n]", "count", 2, ".param .u32 count"),
        (SAXPY, "sa▮xpy", "axpy", 1, ".entry axpy("),
        (NESTED, "mov.u32 %r▮1, 1", "%q1", 2, "{\n.reg .b32 %q<2>;\nmov.u32 %q1, 1;\n}"),
        (NESTED, "add.u32 %r▮2", "%q2", 4, "mov.u32 %r1, 1;\n}\nadd.u32 %q2, %q1, 1;"),
    ],
)  # fmt: skip
def test_a_rename_changes_every_use_and_nothing_else(text: str, here: str, name: str, changed: int, there: str) -> None:
    document, position = at(text, here)
    edits = rename(document, position, name)
    new = applied(text, edits)
    assert len(edits) == changed
    assert there in new
    parse(new)


@pytest.mark.parametrize(
    "text, here, name, said",
    [
        (SAXPY, "%r▮2, %r1", "%f2", "%f1 is declared already, in line 10"),
        (SAXPY, "%r▮2, %r1", "%other", "renamed as a whole"),
        (SAXPY, "bra d▮one", "n", "n is declared already"),
        (SAXPY, "bra d▮one", "9x", "not a name of PTX"),
        (SAXPY, "bra d▮one", "a b", "not a name of PTX"),
        (SAXPY, "bra d▮one", "", "not a name of PTX"),
        (SAXPY, "bra d▮one", "ret", "ret is an instruction"),
        (SAXPY, "[▮n]", "%tid", "special register"),
        (SAXPY, "%ti▮d", "x", "nothing here has a name"),
        (SAXPY, "fm▮a", "x", "nothing here has a name"),
        (NESTED, "add.u32 %r▮2", "%rd2", "%rd"),
        (body(".reg .b32 %x5;", "mov.u32 %x5, %r1;"), "mov.u32 %x5, %r▮1", "%x1", "%x5 is declared already"),
        (body(".reg .b32 y;", "{", ".reg .b32 z;", "mov.u32 z, y;", "}"), "reg .b32 ▮y", "z", "z is declared already"),
        (f"{HEAD}.extern .func f();\n.entry k() {{ call f; }}", "call ▮f", "g", "defined in another module"),
    ],
)  # fmt: skip
def test_a_rename_that_would_change_the_program_is_refused(text: str, here: str, name: str, said: str) -> None:
    document, position = at(text, here)
    with pytest.raises(RenameError) as refused:
        rename(document, position, name)
    assert said in str(refused.value)


def test_what_a_rename_is_about() -> None:
    document, position = at(SAXPY, "%r▮2, %r1")
    span, name = renamed_span(document, position)
    assert (document.text[span.start : span.end], name) == ("%r2", "%r2")


def test_names_that_a_template_makes_are_left_to_their_author() -> None:
    text = ".reg .b32 %r<9>;\nmov.u32 %r1, %q{{ i }};\nmov.u32 %r{{ i }}, %r2;"
    document, position = at(text, "%r▮2;", "a.ptx.j2")
    with pytest.raises(RenameError, match="the template makes a part of a name"):
        rename(document, position, "%x2")
    fixed = text.replace("%r{{ i }}", "%r3")
    assert applied(fixed, rename(*at(fixed, "%r▮2;", "a.ptx.j2"), "%x2")).startswith(
        ".reg .b32 %x<9>;\nmov.u32 %x1, %q{{ i }}"
    )


def test_names_in_asm_statements() -> None:
    text = 'asm("{ .reg .pred p; setp.ne.b32 p, %1, 0;" "@p mov.b32 %0, 1; }" : "=r"(x) : "r"(p));'
    assert applied(text, rename(*at(text, "setp.ne.b32 ▮p", "a.cu"), "q")) == text.replace(" p", " q").replace(
        "@p", "@q"
    )
    with pytest.raises(RenameError, match="operand of the asm statement"):
        rename(*at(text, "%▮1", "a.cu"), "%2")


def test_the_outline() -> None:
    document, _ = at(f"{HEAD}.global .b32 g;\n.func f();\n{SAXPY[SAXPY.index('// y') :]}", "▮.global")
    found = symbols(document)
    assert [(each.name, each.kind) for each in found] == [("g", "variable"), ("f", "function"), ("saxpy", "kernel")]
    assert [child.name for child in found[-1].children] == ["n", "a", "x", "y", "%p", "%r", "%f", "%rd", "done"]
    for each in (*found, *found[-1].children):
        assert each.span.start <= each.own.start <= each.own.end <= each.span.end


def test_folds() -> None:
    document, _ = at(SAXPY.replace("// y", "// first\n// y"), "▮.version")
    assert [(fold.first, fold.last, fold.kind) for fold in folds(document)] == [
        (4, 5, "comment"), (7, 26, "region"), (8, 11, "imports"),
    ]  # fmt: skip
