"""Calls, their .param variables, and declarations that must agree: judged as the assembler judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.check import verify
from ptxgen.errors import AssembleError
from ptxgen.text import parse

if TYPE_CHECKING:
    from collections.abc import Callable

REGISTERS = ".reg .pred %p<3>; .reg .b16 %h<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n"
SETUP = "mov.b32 %r1, 1; mov.b64 %rd1, 0; mov.f32 %f1, 0f00000000; mov.b16 %h1, 0; setp.eq.f32 %p1, %f1, %f1;\n"


def program(body: str, before: str = "", version: str = "8.3") -> str:
    return (
        f".version {version}\n.target sm_90a\n.address_size 64\n{before}\n.visible .entry k(.param .u64 a)\n"
        f"{{\n{REGISTERS}{SETUP}{body}\nret;\n}}\n"
    )


def found(text: str) -> list[str]:
    return [f"{finding.severity} {finding.code}" for finding in verify(parse(text))]


def legal(text: str, assembler: Callable[..., Any]) -> None:
    assert found(text) == []
    assert assembler(text).cubin


def illegal(code: str, text: str, assembler: Callable[..., Any]) -> None:
    assert found(text) == [f"error {code}"]
    with pytest.raises(AssembleError):
        assembler(text)


def passing(formal: str, actual: str) -> str:
    """A call of `f(formal)` with a .param variable declared as `actual`, or with a register or constant."""
    declared = actual.startswith(".param")
    name = actual.split()[-1].partition("[")[0] if declared else actual
    value = {"4": "st.param.b32 [q], %r1;", "8": "st.param.b64 [q], %rd1;"}["8" if "64" in actual else "4"]
    body = f"{{ {actual + ';' + value if declared else ''} call f, ({name}); }}"
    return program(body, f".func f({formal}) {{ ret; }}")


@pytest.mark.parametrize(
    "formal, actual",
    [
        (".param .b32 i", ".param .f32 q"),
        (".param .u32 i", ".param .b32 q"),
        (".param .b32 i", "%r1"),
        (".param .b32 i", "%f1"),
        (".param .b32 i", "5"),
        (".param .f32 i", "0f3F800000"),
        (".param .align 8 .b8 i[24]", ".param .b64 q[3]"),
        (".reg .u32 i", "%r1"),
        (".reg .b32 i", "%f1"),
        (".reg .u32 i", "5"),
        (".reg .u32 i", ".param .b32 q"),
    ],
)
def test_arguments_that_fit(formal: str, actual: str, assembler: Callable[..., Any]) -> None:
    legal(passing(formal, actual), assembler)


@pytest.mark.parametrize(
    "formal, actual",
    [
        (".param .b32 i", ".param .b64 q"),
        (".param .b32 i", ".param .align 4 .b8 q[4]"),
        (".param .b64 i", ".param .align 8 .b8 q[8]"),
        (".param .align 8 .b8 i[24]", ".param .align 16 .b8 q[24]"),
        (".param .align 8 .b8 i[24]", ".param .align 8 .b8 q[32]"),
        (".param .b32 i", "%rd1"),
        (".param .b16 i", "%r1"),
        (".param .f32 i", "5"),
        (".param .align 4 .b8 i[4]", "5"),
        (".reg .u32 i", "%f1"),
        (".reg .f32 i", "5"),
        (".param .u64 i", "a"),  # a parameter of the kernel itself
    ],
)
def test_arguments_that_do_not(formal: str, actual: str, assembler: Callable[..., Any]) -> None:
    illegal("PTX306", passing(formal, actual), assembler)


F = ".func (.param .b32 o) f(.param .b32 i) { st.param.b32 [o], 0; ret; }\n"
VARIABLES = ".param .b32 q; .param .b32 rv;"


@pytest.mark.parametrize(
    "body",
    [
        "st.param.b32 [q], %r1; call (rv), f, (q); ld.param.b32 %r1, [rv];",
        "st.param.b32 [q], %r1; @%p1 bra X; X: call (rv), f, (q); @%p1 bra Y; Y: ld.param.b32 %r1, [rv];",
        "st.param.b32 [q], %r1; @%p1 call (rv), f, (q);",
        "st.param.b32 [q], %r1; call (_), f, (q);",
        "st.param::func.b32 [q], %r1; call (rv), f, (q); ld.param::func.b32 %r1, [rv];",
    ],
)
def test_sequences(body: str, assembler: Callable[..., Any]) -> None:
    legal(program(f"{{ {VARIABLES} {body} }}", F), assembler)


@pytest.mark.parametrize(
    "code, body",
    [
        ("PTX308", "st.param.b32 [q], %r1; ld.param.b32 %r1, [rv]; call (rv), f, (q);"),
        ("PTX308", "st.param.b32 [q], %r1; call (rv), f, (q); ld.param.b32 %r1, [q];"),
        ("PTX308", "st.param.b32 [q], %r1; call (rv), f, (q); @%p1 ld.param.b32 %r1, [rv];"),
        ("PTX308", "@%p1 st.param.b32 [q], %r1; call (rv), f, (q);"),
        ("PTX308", "st.param.b32 [q], %r1; mov.b64 %rd1, q; call (rv), f, (q);"),
    ],
)
def test_sequences_out_of_order(code: str, body: str, assembler: Callable[..., Any]) -> None:
    illegal(code, program(f"{{ {VARIABLES} {body} }}", F), assembler)


@pytest.mark.parametrize(
    "body",
    [
        "st.param.b32 [q], %r1; call (rv), f, (q); ld.param::entry.b32 %r1, [rv];",
        "ld.param::func.u64 %rd1, [a];",
        "ld.param::func.u32 %r1, [%rd1];",
    ],
)
def test_the_other_space_of_parameters(body: str, assembler: Callable[..., Any]) -> None:
    text = program(f"{{ {VARIABLES} {body} }}", F)
    assert found(text) == ["error PTX207"]
    version = assembler(program("", F)).version
    if tuple(map(int, version.split("."))) >= (13, 5):  # older ones accept what the manual forbids here
        with pytest.raises(AssembleError):
            assembler(text)


def test_an_argument_without_a_value_is_a_warning(assembler: Callable[..., Any]) -> None:
    text = program("{ .param .b32 q; .param .b32 rv; call (rv), f, (q); }", F)
    assert found(text) == ["warning PTX309"]
    assert assembler(text).cubin


def test_a_result_is_not_read(assembler: Callable[..., Any]) -> None:
    text = program("", ".func (.param .b32 o) f() { .reg .b32 %t; ld.param.b32 %t, [o]; ret; }")
    illegal("PTX308", text, assembler)


G = ".func f(.param .b32 i) { ret; }\n"


@pytest.mark.parametrize(
    "body",
    [
        "mov.u64 %rd1, f; P: .callprototype _ (.param .b32 _); call %rd1, (5), P;",
        "mov.u64 %rd1, f; T: .calltargets f; call %rd1, (5), T;",
    ],
)
def test_indirect_calls(body: str, assembler: Callable[..., Any]) -> None:
    legal(program(body, G), assembler)


@pytest.mark.parametrize(
    "body",
    [
        "mov.u64 %rd1, f; call %rd1, (5);",
        "mov.u64 %rd1, f; P: .callprototype _ (); call %rd1, (5), P;",
        "mov.u64 %rd1, f; T: .calltargets f; call %rd1, T;",
        "mov.u64 %rd1, f; T: .calltargets a; call %rd1, (5), T;",
        "P: .callprototype _ (.param .b32 _); call f, (5), P;",
        "call k;",
    ],
)
def test_indirect_calls_that_do_not_fit(body: str, assembler: Callable[..., Any]) -> None:
    illegal("PTX306", program(body, G), assembler)


@pytest.mark.parametrize(
    "before",
    [
        ".func f(.param .b32 x);\n.func f(.param .b32 y) { ret; }",
        ".visible .func f(.param .b32 x);\n.func f(.param .b32 y) { ret; }",
        ".func f(.reg .b16 i, .reg .f16 j, .param .b8 k, .param .u8 l[2]) { ret; }",
    ],
)
def test_declarations(before: str, assembler: Callable[..., Any]) -> None:
    legal(program("", before), assembler)


@pytest.mark.parametrize(
    "before",
    [
        ".func f();\n.func f(.param .b32 x) { ret; }",
        ".func f(.param .b32 x);\n.func f(.param .u32 x) { ret; }",
        ".func f(.param .b32 x);\n.func f(.reg .b32 x) { ret; }",
        ".func f(.param .align 8 .b8 x[8]);\n.func f(.param .align 4 .b8 x[8]) { ret; }",
        ".func (.param .b32 r) f();\n.func f() { ret; }",
        ".entry f();\n.func f() { ret; }",
        ".func f(.reg .u16 i) { ret; }",
        ".func f(.reg .pred i) { ret; }",
        ".func f(.param .u16 i) { ret; }",
        ".func (.param .s8 o) f() { st.param.s8 [o], 0; ret; }",
    ],
)
def test_declarations_that_do_not_agree(before: str, assembler: Callable[..., Any]) -> None:
    illegal("PTX305", program("", before), assembler)


def test_constants_over_64_kib(assembler: Callable[..., Any]) -> None:
    illegal("PTX427", program("", ".const .align 4 .b8 c[40000];\n.const .align 4 .b8 d[40000];"), assembler)
    legal(program("", ".const .align 4 .b8 c[65536];"), assembler)


@pytest.mark.parametrize("branch", ["bra k;", "bra T;", "brx.idx %r1, L;", "brx.idx %r1, U;"])
def test_branches_go_to_labels_and_tables(branch: str, assembler: Callable[..., Any]) -> None:
    table = "U: .branchtargets NOWHERE;" if "U" in branch else ""
    illegal("PTX304", program(f"{table} T: .branchtargets L; {branch} L:"), assembler)


def test_shared_memory_counts_where_it_is_used(assembler: Callable[..., Any]) -> None:
    before = ".shared .align 4 .b8 s[50000];\n.func f() { .reg .b64 %t; mov.b64 %t, s; ret; }"
    legal(program("", before).replace("sm_90a", "sm_80"), assembler)
    illegal(
        "PTX421",
        program("call f;", before.replace("mov.b64 %t, s;", "st.shared.b32 [s], 1;")).replace("sm_90a", "sm_80"),
        assembler,
    )


@pytest.mark.parametrize(
    "text",
    [
        program("ld.shared.u32 %r1, [s];") + ".shared .b32 s;\n",
        program("mov.u64 %rd1, g;") + ".global .b32 g;\n",
        program("call g;") + ".func g() { ret; }\n",
        program("ld.shared.u32 %r1, [s]; .shared .b32 s;"),
        program("brx.idx %r1, T; T: .branchtargets E; E:"),
        program("mov.u64 %rd1, g; call %rd1, P; P: .callprototype _ ();", ".func g() { ret; }"),
        program("", ".global .u64 p = q;\n.global .u32 q;"),
        program("", ".global .u64 p[2] = {0, g};\n.func g() { ret; }"),
    ],
)
def test_names_are_declared_before_they_are_used(text: str, assembler: Callable[..., Any]) -> None:
    assert found(text)[0] in ("error PTX301", "error PTX304", "error PTX306")
    with pytest.raises(AssembleError):
        assembler(text)


@pytest.mark.parametrize(
    "text",
    [
        program("call g;", ".func g();") + ".func g() { ret; }\n",
        program("{ mov.u32 %r1, 1; .reg .f32 %r1; mov.f32 %r1, 0f00000000; }"),  # hidden only from there
        program("", ".global .u32 q;\n.global .u64 p = q;"),
        program("bra END; END:"),
    ],
)
def test_declared_in_time(text: str, assembler: Callable[..., Any]) -> None:
    legal(text, assembler)


def test_what_is_declared_too_late_is_said_to_be() -> None:
    (finding,) = verify(parse(program("mov.u64 %rd1, g;") + ".global .b32 g;\n"))
    assert finding.message == "g is declared behind its use"


def test_parameters_outside_of_functions(assembler: Callable[..., Any]) -> None:
    illegal("PTX106", program("", ".param .b32 p;"), assembler)
