"""Bad PTX: every error is found, each with its code, its place and what to do; one line a case."""

from __future__ import annotations

import pytest

from ptxgen import ir
from ptxgen.errors import Diagnostic, Location, PtxSyntaxError
from ptxgen.text import parse

HEADER = ".version 8.0\n.target sm_90a\n.address_size 64\n"
DECLARED = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>; .shared .b32 sm[64];\n"


def findings(text: str) -> list[Diagnostic]:
    with pytest.raises(PtxSyntaxError) as caught:
        parse(text, "bad.ptx")
    return list(caught.value.diagnostics)


def pointed(finding: Diagnostic) -> tuple[str, str]:
    """The code, and the line from the column that the finding points at."""
    (place,) = finding.locations
    assert place.text is not None
    assert place.column is not None
    return finding.code, place.text[place.column - 1 :]


def in_body(text: str) -> list[Diagnostic]:
    return findings(f"{HEADER}.entry k(.param .u64 a)\n{{\n{DECLARED}{text}\nret;\n}}\n")


@pytest.mark.parametrize(
    "text, code, at",
    [
        # What is not a token.
        ("mov.u32 %r1, 08;", "PTX101", "08;"),
        ("mov.u32 %r1, 5u;", "PTX101", "5u;"),
        ("mov.u32 %r1, 0xG;", "PTX101", "0xG;"),
        ("mov.u32 %r1, 0x;", "PTX101", "0x;"),
        ("mov.u32 %r1, 0b2;", "PTX101", "0b2;"),
        ("mov.u32 %r1, 5abc;", "PTX101", "5abc;"),
        ("mov.u32 %r1, 1.2.3;", "PTX101", "1.2.3;"),
        ("mov.f32 %f1, 1.0f;", "PTX101", "1.0f;"),
        ("mov.f32 %f1, 0f3f80000;", "PTX101", "0f3f80000;"),
        ("mov.f32 %f1, 0d3f800000;", "PTX101", "0d3f800000;"),
        ("mov.f32 %f1, 0f3f800000U;", "PTX101", "0f3f800000U;"),
        ("mov.f32 %f1, 1e400;", "PTX101", "1e400;"),
        ("mov.u64 %rd1, 99999999999999999999;", "PTX101", "99999999999999999999;"),
        ("mov.u32 %r1, #;", "PTX101", "#;"),
        ("mov.u32 %r1, é;", "PTX101", "é;"),
        ("mov.u32 %r1, %;", "PTX103", "%;"),
        ("mov.u32 %r1, $;", "PTX101", "$;"),
        ("mov.u32 %r1, 'a';", "PTX101", "'a';"),
        ('.pragma "open;', "PTX101", '"open;'),
        # Missing semicolons are reported where they are missing, not on the next line.
        ("mov.u32 %r1, %r2\nmov.u32 %r2, %r1;", "PTX102", ""),
        ("bra L\nL: ret;", "PTX102", ""),
        ("ret\n@%p1 exit;", "PTX102", ""),
        ("ret\nexit;", "PTX102", ""),
        ("bar.sync 0\n.reg .b32 x;", "PTX102", ""),
        (".reg .b32 x\n.reg .b32 y;", "PTX102", ""),
        (".shared .b32 x[4]\nmov.u32 %r1, %r2;", "PTX102", ""),
        ('.pragma "x"\nmov.u32 %r1, %r2;', "PTX102", ""),
        ("{ ret }", "PTX102", " }"),
        ("t: .branchtargets A\nmov.u32 %r1, %r2;", "PTX102", ""),
        # Operands.
        ("mov.u32 %r1 %r2;", "PTX103", "%r2;"),
        ("mov.u32 %r1, %r2,;", "PTX103", ";"),
        ("mov.u32 %r1,, %r2;", "PTX103", ", %r2;"),
        ("mov.u32 , %r2;", "PTX103", ", %r2;"),
        ("mov.u32 %r1, %r2,\nmov.u32 %r2, %r1;", "PTX103", ""),
        ("mov.u64 %rd1, {%r1, %r2\nmov.u32 %r2, %r1;", "PTX103", ""),
        ("ld.u32 %r1, [%rd1\n@%p1 ret;", "PTX103", ""),
        ("mov.u32 %r1, 5 5;", "PTX103", "5;"),
        ("mov.u32 %r1, 5 %3;", "PTX103", "%3;"),
        ("mov.u32 %r1, (%r2);", "PTX103", "%r2);"),
        ("mov.u32 (%r1), %r2;", "PTX103", "%r1), %r2;"),
        ('mov.u32 %r1, "x";', "PTX103", '"x";'),
        ("mov.u32 %r1, %r2 };", "PTX102", " };"),
        ("mov.u32 %r1, %r2 ];", "PTX103", "];"),
        ("mov.u32 %r1, !5 5;", "PTX103", "5;"),
        ("mov.u32 %r1|%r2|%r3, %r2;", "PTX103", "|%r3, %r2;"),
        ("mov.u32 %r1|5, %r2;", "PTX103", "5, %r2;"),
        ("mov.u32 %r1, %r2.reg;", "PTX103", "%r2.reg;"),
        ("mov.u32 %r1, sm[%r1];", "PTX103", "%r1];"),
        ("mov.u32 %r1, what[1];", "PTX103", "1];"),
        ("mov.b64 %rd1, {};", "PTX103", "};"),
        ("mov.b64 %rd1, {%r1,};", "PTX103", "};"),
        ("mov.b64 %rd1, {%r1 %r2};", "PTX103", "%r2};"),
        ("mov.b64 %rd1, {{%r1}, {%r2}};", "PTX103", "{%r1}, {%r2}};"),
        ("mov.b64 %rd1, {%r1;", "PTX103", ";"),
        ("ld.u32 %r1, [];", "PTX103", "];"),
        ("ld.u32 %r1, [%rd1;", "PTX103", ";"),
        ("ld.u32 %r1, %rd1];", "PTX103", "];"),
        ("ld.u32 %r1, [%rd1+];", "PTX103", "];"),
        ("ld.u32 %r1, [%rd1-4];", "PTX103", "-4];"),
        ("ld.u32 %r1, [%rd1+%r1];", "PTX103", "%r1];"),
        ("ld.u32 %r1, [%rd1+1.5];", "PTX108", "1.5];"),
        ("ld.u32 %r1, [1.5];", "PTX103", "1.5];"),
        ("ld.u32 %r1, [_];", "PTX103", "_];"),
        ("ld.u32 %r1, [%rd1, {}];", "PTX103", "}];"),
        ("ld.u32 %r1, [a, sm, %r1];", "PTX103", "%r1];"),
        ("ld.u32 %r1, [a, {%r1}, sm];", "PTX103", ", sm];"),
        # Guards and calls.
        ("@0 ret;", "PTX103", "0 ret;"),
        ("@WARP_SZ ret;", "PTX103", "WARP_SZ ret;"),
        ("@!!%p1 ret;", "PTX103", "!%p1 ret;"),
        ("@%p1|%p2 ret;", "PTX103", "|%p2 ret;"),
        ("@%p1 @%p2 ret;", "PTX103", "@%p2 ret;"),
        ("@%p1 { ret; }", "PTX103", "{ ret; }"),
        ("@%p1;", "PTX103", ";"),
        ("call (%r1) f;", "PTX103", "f;"),
        ("call f, ([%r1]);", "PTX103", "[%r1]);"),
        ("call f, (%r1+1);", "PTX103", "+1);"),
        ("call f, ;", "PTX103", ";"),
        ("call [%rd1];", "PTX103", "[%rd1];"),
        ("call f, (%r1), p, q;", "PTX103", ", q;"),
        # Constant expressions.
        ("mov.u32 %r1, 1/0;", "PTX108", "1/0;"),
        ("mov.u32 %r1, 1 % (0);", "PTX108", "1 % (0);"),
        ("mov.u32 %r1, 1.5+2;", "PTX108", "1.5+2;"),
        ("mov.u32 %r1, !1.5;", "PTX108", "!1.5;"),
        ("mov.u32 %r1, 1.5 ? 2 : 3;", "PTX108", "1.5 ? 2 : 3;"),
        ("mov.u32 %r1, (.u32)5;", "PTX108", ".u32)5;"),
        ("mov.f32 %f1, -0f3f800000;", "PTX108", "0f3f800000;"),
        ("mov.f32 %f1, 0f3f800000+1.0;", "PTX108", "0f3f800000+1.0;"),
        ("mov.u32 %r1, 1?2;", "PTX103", ";"),
        ("mov.u32 %r1, (1+2;", "PTX103", ";"),
        ("mov.u32 %r1, 1+;", "PTX103", ";"),
        # Declarations.
        (".reg .b33 %x;", "PTX107", ".b33 %x;"),
        (".reg .bf16 %x;", "PTX107", ".bf16 %x;"),
        (".reg %x;", "PTX103", "%x;"),
        (".reg .pred .b32 %x;", "PTX103", ".b32 %x;"),
        (".reg .b32 .v2 %x;", "PTX103", ".v2 %x;"),
        (".reg .b32 x y;", "PTX103", "y;"),
        (".reg .b32 x,;", "PTX103", ";"),
        (".reg .b32 x = 5;", "PTX103", "= 5;"),
        (".reg .b32 x[3];", "PTX103", "[3];"),
        (".reg .b32 x<-1>;", "PTX103", "-1>;"),
        (".reg .b32 x<3;", "PTX103", ";"),
        (".reg .b32 5;", "PTX103", "5;"),
        (".shared .b32 .align 4 x;", "PTX103", ".align 4 x;"),
        (".shared .b32 x[;", "PTX103", ";"),
        (".shared .b32 x[-1];", "PTX103", "-1];"),
        (".shared .b32 x[2+3];", "PTX103", "+3];"),
        (".shared .b32 x];", "PTX103", "];"),
        (".align 4 .b32 x;", "PTX103", ".b32 x;"),
        # Directives.
        (".foo .b32 x;", "PTX106", ".foo .b32 x;"),
        (".maxntid 32;", "PTX106", ".maxntid 32;"),
        ('.file 1 "x"', "PTX106", '.file 1 "x"'),
        (".visible .global .b32 x;", "PTX106", ".visible .global .b32 x;"),
        (".branchtargets A;", "PTX103", ".branchtargets A;"),
        ("t: .callprototype (.param .b32 x);", "PTX103", ";"),
        (".loc 1 2", "PTX103", ""),
        (".loc 1 2 3;", "PTX103", ";"),
        (".loc -1 2 3", "PTX103", "-1 2 3"),
        (".loc 1 2 3, function_name f", "PTX103", ""),
        (".pragma x;", "PTX103", "x;"),
        (';', "PTX103", ";"),
        ("1: ret;", "PTX103", "1: ret;"),
        ("5;", "PTX103", "5;"),
    ],
)  # fmt: skip
def test_in_a_body(text: str, code: str, at: str) -> None:
    (first, *_) = in_body(text)
    assert pointed(first) == (code, at)


@pytest.mark.parametrize(
    "text, code, at",
    [
        ("", "PTX105", ""),
        (".target sm_80", "PTX105", ".target sm_80"),
        (".version 8\n.target sm_80", "PTX105", "8"),
        (".version 8.x\n.target sm_80", "PTX105", "8.x"),
        (".version 8.0\n.address_size 64", "PTX105", ".address_size 64"),
        (".version 8.0;\n.target sm_80", "PTX105", ";"),
        (".version 2.2\n.target sm_20\n.address_size 64", "PTX105", ".address_size 64"),
        (".version 8.0\n.target 80", "PTX103", "80"),
        (".version 8.0\n.target sm_80 debug", "PTX103", "debug"),
        (".version 8.0\n.target sm_80\n.address_size 63", "PTX105", "63"),
        (".version 8.0\n.target sm_80\n.address_size (64)", "PTX103", "(64)"),
    ],
)
def test_in_the_header(text: str, code: str, at: str) -> None:
    (first, *_) = findings(text)
    assert pointed(first) == (code, at)


@pytest.mark.parametrize(
    "text, code, at",
    [
        ("mov.u32 %r1, 5;", "PTX103", "mov.u32 %r1, 5;"),
        (";", "PTX103", ";"),
        ("}", "PTX104", "}"),
        (".globl .b32 x;", "PTX106", ".globl .b32 x;"),
        (".reg .b32 x;", "PTX106", ".reg .b32 x;"),
        (".version 8.0", "PTX106", ".version 8.0"),
        (".global .b32 x;\n.address_size 64", "PTX106", ".address_size 64"),
        ("@@DWARF .section .debug_info", "PTX106", "@@DWARF .section .debug_info"),
        (".visible .pragma \"x\";", "PTX103", ".pragma \"x\";"),
        (".visible .weak .global .b32 x;", "PTX103", ".weak .global .b32 x;"),
        (".global .visible .b32 x;", "PTX107", ".visible .b32 x;"),
        (".const[2] .b32 x;", "PTX103", "[2] .b32 x;"),
        (".global .b32 x = ;", "PTX103", ";"),
        (".global .b32 x[2] = {1, 2,};", "PTX103", "};"),
        (".global .b32 x[2] = {1 2};", "PTX103", "2};"),
        (".global .b32 x[2] = {1, 2;", "PTX103", ";"),
        (".global .b64 x = y-4;", "PTX103", "-4;"),
        (".global .b64 x = generic(y+4);", "PTX103", "+4);"),
        (".global .b64 x = generic y;", "PTX103", "y;"),
        (".global .u8 x = 0xff(5);", "PTX103", "5);"),
        (".global .b64 x = y+1.5;", "PTX108", "1.5;"),
        ('.global .b8 x[4] = "abc";', "PTX103", '"abc";'),
        (".global .attribute(managed) .b32 x;", "PTX103", "managed) .b32 x;"),
        (".global .attribute(.managed .b32 x;", "PTX103", ".b32 x;"),
        (".entry f {} ;", "PTX103", ";"),
        (".entry 5 {}", "PTX103", "5 {}"),
        (".entry (.param .b32 r) f {}", "PTX103", "(.param .b32 r) f {}"),
        (".entry f(.reg .b32 x) {}", "PTX103", ".reg .b32 x) {}"),
        (".entry f(.param .b32 x,) {}", "PTX103", ") {}"),
        (".entry f(.param .b32 x .param .b32 y) {}", "PTX103", ".param .b32 y) {}"),
        (".entry f(.param .b32 x {}", "PTX103", "{}"),
        (".entry f(.param .b33 x) {}", "PTX107", ".b33 x) {}"),
        (".entry f(.param .b8 x[2][2]) {}", "PTX103", ") {}"),
        (".entry f(.param .u64 .ptr .align 16 .global x) {}", "PTX103", ".global x) {}"),
        (".entry f .maxntid {}", "PTX103", "{}"),
        (".entry f .maxntid 1,2,3,4 {}", "PTX103", "{}"),
        (".entry f .maxntid 8*2 {}", "PTX103", "*2 {}"),
        (".entry f .maxntidd 8 {}", "PTX106", ".maxntidd 8 {}"),
        (".entry f .maxntid 8; {}", "PTX103", "{}"),
        (".entry .maxntid 8 f {}", "PTX103", ".maxntid 8 f {}"),
        (".func f ret;", "PTX103", "ret;"),
        (".func f { ret;", "PTX104", "{ ret;"),
        (".func f { { ret; }", "PTX104", "{ { ret; }"),
        (".func f { ret; }\n}", "PTX104", "}"),
        (".alias f;", "PTX103", ";"),
        (".file 1", "PTX103", ""),
        ('.file 1 "a.cu";', "PTX103", ";"),
        ('.file 1 "a.cu", 5', "PTX103", ""),
        (".pragma \"x\"", "PTX102", ""),
        (".section debug_str { }", "PTX103", "debug_str { }"),
        (".section .debug_str { .b8 1; }", "PTX103", "; }"),
        (".section .debug_str { .u8 1 }", "PTX103", ".u8 1 }"),
        ('.section .debug_str { .b8 "a" }', "PTX103", '"a" }'),
        (".section .debug_str { .b8 1", "PTX103", ""),
        ("/* open", "PTX101", "/* open"),
        (".global .b32 x; /*/", "PTX101", "/*/"),
    ],
)  # fmt: skip
def test_in_a_module(text: str, code: str, at: str) -> None:
    (first, *_) = findings(HEADER + text)
    assert pointed(first) == (code, at)


@pytest.mark.parametrize(
    "text, hint",
    [
        ("mov.u32 %r1, %r2\nret;", "write ';' after '%r2'"),
        ("ld.u32 %r1, [%rd1-4];", "write [%rd1+-4]"),
        ("mov.f32 %f1, 1.0f;", "write 1.0"),
        ("mov.u32 %r1, 5u;", "write 5U"),
        ("mov.u32 %r1, 08;", "a leading 0 makes a number octal"),
        (".reg .b32 x[3];", "registers have no arrays; x<4> declares x0 to x3"),
        (".reg .b31 x;", "did you mean '.b32'?"),
        (".reg .bf16 x;", "declare it as .b16"),
        (".shard .b32 x;", "did you mean '.shared'?"),
        (".branchtargets A;", "name: .branchtargets ...;"),
        (".loc 1 2 3;", ".loc has no ';'"),
    ],
)
def test_what_to_do(text: str, hint: str) -> None:
    assert in_body(text)[0].hint == hint


def test_every_error_of_a_text_is_found_and_what_is_right_is_not_touched() -> None:
    found = findings(
        HEADER
        + """.global .b33 g;
.global .b32 ok;
.entry k(.param .b33 x, .param .u32 fine, .param .b32 5) .maxtid 3
{
  .reg .b32 %r<4>;
  mov.u32 %r1, 08;
  mov.u32 %r1, %r2
  mov.u32 %r2, {%r1, ;
  { mov.b64 %r1, {%r1 %r2}; mov.u32 %r3, 5 }
  add.u32 %r1, %r2, [;
  add.u32 %r1, %r2, %r3;
L: ld.u32 %r1, [x
  ld.u32 %r1, [x];
}
.func f { ret; }
mov.u32 %r1, 5;
.entry g { ret }
"""
    )
    assert [(f.locations[0].line, f.code) for f in found] == [
        (4, "PTX107"), (6, "PTX107"), (6, "PTX103"), (6, "PTX106"), (9, "PTX101"), (10, "PTX102"), (11, "PTX103"),
        (12, "PTX103"), (12, "PTX102"), (13, "PTX103"), (15, "PTX103"), (19, "PTX103"), (20, "PTX102"),
    ]  # fmt: skip


def test_a_brace_too_many_is_one_error() -> None:
    found = findings(HEADER + ".entry k {\n{ ret; } }\nadd.u32 x, y, z;\n.reg .b32 x;\nret;\n}\n.entry g {\nret\n}")
    assert [(f.locations[0].line, f.code) for f in found] == [(6, "PTX103"), (11, "PTX102")]


@pytest.mark.parametrize("text", ["{" * 5000, "mov.u32 %r1, " + "(" * 5000, "mov.u32 %r1, " + "-" * 5000 + "(1);"])
def test_nested_too_deeply(text: str) -> None:
    assert in_body(text)[-1].message == "nested too deeply"


def test_the_error_says_it_all() -> None:
    with pytest.raises(PtxSyntaxError) as caught:
        parse(HEADER + ".entry k\n{\n\tmov.u32 %r1, %r2\n\tret;\n}", "k.ptx")
    assert str(caught.value) == (
        """k.ptx: 1 syntax error
error PTX102: missing ';' at the end of the statement
  k.ptx:6:18       mov.u32 %r1, %r2
  instead          write ';' after '%r2'"""
    )
    assert caught.value.diagnostics[0].locations == (Location("ptx", "k.ptx", 6, 18),)


def test_unknown_names_are_not_the_parsers_business() -> None:
    kernel = parse(HEADER + ".entry k { @%nope frobnicate.b99 %what, [who+4]; }").function("k")
    assert next(kernel.instructions()) == ir.Instruction(
        "frobnicate.b99",
        (ir.Symbol("%what"), ir.Address(ir.Symbol("who"), 4)),
        ir.Symbol("%nope"),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    "block, at",
    [
        ('.ir_name: "x" .sourceFileName: 1 .source_begin\ntext\n', ".source_begin"),  # no end
        ('.ir_name: "x" .sourceFileName: 1 .source_begin text\n.source_end\n', ".source_begin text"),
        ('.ir_name: "x" .sourceFileName: 1 .source_begin\nx .source_end\n', ".source_begin"),
        ('.ir_name: "x" .sourceFileName: 1', "}"),
        ('.ir_name : "x" .sourceFileName: 1 .source_begin\n.source_end\n', '.ir_name : "x"'),
        (".ir_name: x", "x"),
        ('.ir_name: "x" .sourceFileName: -1', "-1"),
        (".sourceFileName: 1", ".sourceFileName: 1"),
    ],
)
def test_the_text_of_an_intermediate_language(block: str, at: str) -> None:
    first = findings(f"{HEADER}.nv_intermediate_source_section {{\n.code_block {{\n{block}\n}}\n}}\n")[0]
    code, where = pointed(first)
    assert code == "PTX103"
    assert where.startswith(at)
