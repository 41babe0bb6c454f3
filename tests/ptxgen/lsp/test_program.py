"""Statements, scopes and declarations of a text, finished or not."""

from __future__ import annotations

import pytest

from ptxgen.lsp.model.program import Program
from ptxgen.lsp.model.statement import Statement
from tests.ptxgen.lsp.kit import SAXPY, body

SCOPES = body("{", ".reg .b32 %r<2>, x;", "mov.u32 x, %r1;", "}", "mov.u32 %r1, %r7;")


def found(text: str, name: str, where: str) -> str:
    declaration = Program(text).find(name, text.index(where))
    return "" if declaration is None else declaration.written


@pytest.mark.parametrize(
    "name, written",
    [
        ("%r2", ".reg .b32 %r<5>"), ("%r4", ".reg .b32 %r<5>"), ("%r5", ""), ("%r05", ""), ("%p0", ".reg .pred %p<2>"),
        ("n", ".param .u32 n"), ("y", ".param .u64 y"), ("done", "done:"), ("saxpy", ".entry saxpy"), ("%q", ""),
    ],
)  # fmt: skip
def test_a_name_means_what_is_declared(name: str, written: str) -> None:
    assert found(SAXPY, name, "fma") == written


def test_an_inner_scope_hides_names() -> None:
    assert found(SCOPES, "%r1", "mov.u32 x") == ".reg .b32 %r<2>"
    assert found(SCOPES, "%r7", "mov.u32 x") == ".reg .b32 %r<8>"
    assert found(SCOPES, "x", "mov.u32 %r1") == ""


@pytest.mark.parametrize(
    "declaration, name, written",
    [
        (".shared .align 16 .b8 tile[64][4];", "tile", ".shared .b8 tile[64][4]"),
        (".global .v4 .f32 a, b[2] = {1, 2};", "b", ".global .v4 .f32 b[2]"),
        (".global .attribute(.managed, .unified(1, 2)) .b32 m;", "m", ".global .b32 m"),
        (".reg .v2 .f32 %v;", "%v", ".reg .v2 .f32 %v"),
        ("T: .branchtargets A, B;", "T", "T: .branchtargets"),
        ("A: B: ret;", "B", "B:"),
    ],
)  # fmt: skip
def test_what_a_statement_declares(declaration: str, name: str, written: str) -> None:
    assert found(f".visible .entry k()\n{{\n{declaration}\n}}\n", name, "}\n") == written


@pytest.mark.parametrize(
    "header, names",
    [
        (".func (.reg .b32 r) f(.reg .b32 a, .param .align 8 .b8 p[16])", {"r": "reg", "a": "reg", "p": "param"}),
        (".entry k(.param .u64 .ptr .global .align 16 x)", {"x": "param"}),
        (".extern .func (.param .b32 status) vprintf(.param .b64 format)", {"status": "param", "format": "param"}),
    ],
)
def test_parameters_and_results(header: str, names: dict[str, str]) -> None:
    program = Program(f"{header}\n{{ here; }}\n")
    for name, space in names.items():
        declaration = program.find(name, program.text.index("here"))
        assert declaration is not None
        assert declaration.space == space


def test_declared_functions_have_no_body() -> None:
    program = Program(".extern .func f(.param .b32 a);\n.visible .entry k() { call f; }\n")
    assert [(each.name, each.kind, each.body is None) for each in program.routines] == [
        ("f", "func", True), ("k", "entry", False),
    ]  # fmt: skip


def test_vectors_and_initialisers_open_no_scope() -> None:
    text = ".global .b32 a[2] = {1, 2};\n.entry k() { ld.v2.b32 {%r1, %r2}, [a]; L: st.v2.b32 [a], {%r1, %r2}; ret; }\n"
    program = Program(text)
    assert len(program.scopes) == 3  # module, parameters, body
    assert [text[start:end].strip() for start, end in zip(program.starts, program.ends)][-1] == "ret"


def test_comments_and_strings_mean_nothing() -> None:
    text = body("// { %r1 ;", '.pragma "nounroll; {";', "/* } */ mov.u32 %r2, %r3; // %r3")
    program = Program(text)
    declared = program.find_with_scope("%r3", text.index("mov"))
    assert declared is not None
    assert len(list(program.uses(*declared, "%r3"))) == 1
    assert program.routines[0].span.end == len(text) - 1


@pytest.mark.parametrize(
    "text", ["", "}", "{", "}}}{{{", ".reg", ".entry", ".func (", "@", '"', "/*", ".version", "a:b:c", "\0"]
)
def test_no_text_is_too_broken(text: str) -> None:
    program = Program(text)
    for offset in range(len(text) + 1):
        program.find("a", offset)
        program.name_at(offset)
        span = program.statement_at(offset)
        if span is not None:
            assert Statement(program, span).operand_at(offset) >= -1


def test_an_unfinished_function_still_has_its_names() -> None:
    assert found(SAXPY[: SAXPY.index("fma")] + "fma.rn.f32 %f3, ", "%f1", "fma") == ".reg .f32 %f<4>"


def test_a_statement_is_read_as_the_table_has_it() -> None:
    program = Program(SAXPY)
    span = program.statement_at(SAXPY.index("fma") + 3)
    assert span is not None
    statement = Statement(program, span)
    assert [operand.text for operand in statement.operands] == ["%f3", "%f1", "%f2", "%f3"]
    assert statement.written == {"%f3"}
    assert statement.match is not None
    assert statement.match.resolved is not None
    guarded = program.statement_at(SAXPY.index("bra"))
    assert guarded is not None
    assert (Statement(program, guarded).op, Statement(program, guarded).operands[0].text) == ("bra", "done")
