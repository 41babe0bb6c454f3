"""How ir looks as PTX text: one line a case."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ptxgen import ir
from ptxgen.isa.types import TYPES
from ptxgen.text import format_instruction, format_operand, print_module, print_with_lines

F32, B32, U64, PRED = TYPES["f32"], TYPES["b32"], TYPES["u64"], TYPES["pred"]
R1, R2, RD1, F1, P1 = (
    ir.Register("%r1", B32),
    ir.Register("%r2", B32),
    ir.Register("%rd1", U64),
    ir.Register("%f1", F32),
    ir.Register("%p1", PRED),
)
X = ir.Symbol("x")


@pytest.mark.parametrize(
    "operand, text",
    [
        (R1, "%r1"),
        (ir.Special("%tid.x"), "%tid.x"),
        (ir.Element(ir.Register("v", F32, 4), "x"), "v.x"),
        (ir.Immediate(-7), "-7"),
        (ir.Immediate(2**64 - 1), "18446744073709551615"),
        (ir.float_immediate(1.0, "f32"), "0f3F800000"),
        (ir.float_immediate(1.0, "f64"), "0d3FF0000000000000"),
        (ir.float_immediate(float("-inf"), "f32"), "0fFF800000"),
        (ir.Immediate(0x7FC00001, "f32"), "0f7FC00001"),  # a NaN keeps its payload
        (ir.Symbol("x", 4), "x+4"),
        (ir.Symbol("x", -4), "x+-4"),
        (ir.Address(RD1), "[%rd1]"),
        (ir.Address(RD1, 8), "[%rd1+8]"),
        (ir.Address(RD1, zero=True), "[%rd1+0]"),
        (ir.Symbol("name", zero=True), "name+0"),
        (ir.Address(X, -8), "[x+-8]"),
        (ir.Address(ir.Immediate(12)), "[12]"),
        (ir.Address(RD1, 0, (R1, R2)), "[%rd1, {%r1, %r2}]"),
        (ir.Address(X, 0, (ir.Symbol("s"), ir.Vector((F1,)))), "[x, s, {%f1}]"),
        (ir.Vector((R1, ir.Sink(), ir.Immediate(3))), "{%r1, _, 3}"),
        (ir.Arguments((R1, X)), "(%r1, x)"),
        (ir.Arguments(()), "()"),
        (ir.Pair(P1, ir.Sink()), "%p1|_"),
        (ir.Not(P1), "!%p1"),
    ],
)
def test_operand(operand: ir.Operand, text: str) -> None:
    assert format_operand(operand) == text


@pytest.mark.parametrize(
    "instruction, text",
    [
        (ir.Instruction("ret"), "ret;"),
        (ir.Instruction("add.s32", (R1, R2, ir.Immediate(1))), "add.s32 %r1, %r2, 1;"),
        (ir.Instruction("bra", (ir.Symbol("L"),), P1), "@%p1 bra L;"),
        (ir.Instruction("bra", (ir.Symbol("L"),), ir.Not(P1)), "@!%p1 bra L;"),
    ],
)
def test_instruction(instruction: ir.Instruction, text: str) -> None:
    assert format_instruction(instruction) == text


def statement(item: ir.Statement | ir.ModuleItem) -> str:
    """The text of one module item behind the header, or of one statement of a body."""
    lines = str(ir.Module((8, 0), "sm_80", [item])).split("\n")  # type: ignore[list-item]
    return "\n".join(lines[4:-1])


@pytest.mark.parametrize(
    "item, text",
    [
        (ir.RegisterDeclaration(F32, ("%f",), 10), ".reg .f32 %f<10>;"),
        (ir.RegisterDeclaration(F32, ("a", "b")), ".reg .f32 a, b;"),
        (ir.RegisterDeclaration(F32, ("a",), vector=4), ".reg .v4 .f32 a;"),
        (ir.Variable("global", B32, "x"), ".global .b32 x;"),
        (ir.Variable("global", B32, "x", align=8, vector=2), ".global .align 8 .v2 .b32 x;"),
        (ir.Variable("shared", TYPES["b8"], "x", shape=(4, 2)), ".shared .b8 x[4][2];"),
        (ir.Variable("shared", TYPES["b8"], "x", shape=(None,), linkage="extern"), ".extern .shared .b8 x[];"),
        (ir.Variable("global", B32, "x", attributes=("managed",)), ".global .attribute(.managed) .b32 x;"),
        (ir.Variable("const", B32, "x", init=ir.Immediate(5)), ".const .b32 x = 5;"),
        (ir.Variable("global", B32, "x", shape=(2,), init=(ir.Immediate(1), X)), ".global .b32 x[2] = {1, x};"),
        (ir.Variable("global", U64, "p", init=ir.Generic(ir.Symbol("x", 4))), ".global .u64 p = generic(x)+4;"),
        (ir.Variable("global", TYPES["u8"], "p", init=(ir.Masked(0xFF00, X),)), ".global .u8 p = {0xFF00(x)};"),
        (
            ir.Variable("global", TYPES["samplerref"], "s", init=((ir.Symbol("filter_mode"), ir.Symbol("nearest")),)),
            ".global .samplerref s = {filter_mode = nearest};",
        ),
        (ir.Comment("why"), "// why"),
        (ir.Comment(""), "//"),
        (ir.Comment("a\nb"), "/* a\nb */"),
        (ir.Comment("a\n*/"), "// a\n// */"),
        (ir.Pragma(("nounroll", "x")), '.pragma "nounroll", "x";'),
        (ir.LineDirective(1, 2, 3), ".loc 1 2 3"),
        (
            ir.LineDirective(1, 2, 3, "function_name f, inlined_at 1 4 5"),
            ".loc 1 2 3, function_name f, inlined_at 1 4 5",
        ),
        (ir.FileDirective(1, "a.cu"), '.file 1 "a.cu"'),
        (ir.FileDirective(1, "a.cu", 2, 3), '.file 1 "a.cu", 2, 3'),
        (ir.Alias("f", "g"), ".alias f, g;"),
        (ir.BranchTargets("t", ("A", "B")), "t: .branchtargets A, B;"),
        (ir.CallTargets("t", ("f", "g")), "t: .calltargets f, g;"),
        (ir.CallPrototype("t"), "t: .callprototype _;"),
        (
            ir.CallPrototype("t", (ir.Variable("param", B32, "_"),), (ir.Variable("param", U64, "_"),)),
            "t: .callprototype (.param .b32 _) _ (.param .u64 _);",
        ),
        (ir.CallPrototype("t", directives=(ir.Directive("noreturn"),)), "t: .callprototype _ .noreturn;"),
        (
            ir.IntermediateSource((ir.CodeBlock("tile ir", 2, ("  a", "")),)),
            '.nv_intermediate_source_section {\n\t.code_block {\n\t\t.ir_name: "tile ir"\n\t\t.sourceFileName: 2\n'
            "\t\t.source_begin\n  a\n\n\t\t.source_end\n\t}\n}",
        ),
        (ir.Section("debug_str", ("a:", ".b8 1, 2")), ".section .debug_str\n{\n\ta:\n\t.b8 1, 2\n}"),
    ],
)
def test_statement(item: ir.Statement | ir.ModuleItem, text: str) -> None:
    assert statement(item) == text


def test_a_kernel() -> None:
    kernel = ir.Function(
        "k",
        is_entry=True,
        linkage="visible",
        parameters=(
            ir.Variable("param", U64, "x", pointer=("global", 16)),
            ir.Variable("param", U64, "y", pointer=("", None)),
            ir.Variable("param", TYPES["b8"], "s", shape=(12,), align=4),
        ),
        directives=(ir.Directive("maxntid", (256, 1, 1)), ir.Directive("pragma", ("nounroll",))),
        body=ir.Block(
            [
                ir.Label("L"),
                ir.Block([ir.Label("M"), ir.Instruction("ret")]),
                ir.Instruction("bra", (ir.Symbol("L"),)),
            ]
        ),
    )
    assert str(ir.Module((8, 0), "sm_90a", [kernel], target_options=("debug",))) == (
        """.version 8.0
.target sm_90a, debug
.address_size 64

.visible .entry k(
	.param .u64 .ptr .global .align 16 x,
	.param .u64 .ptr y,
	.param .align 4 .b8 s[12]
)
.maxntid 256, 1, 1
.pragma "nounroll";
{
L:
	{
	M:
		ret;
	}
	bra L;
}
"""
    )


def test_functions_and_declarations() -> None:
    result, argument = ir.Variable("reg", B32, "r"), ir.Variable("reg", B32, "a")
    declared = ir.Function("f", is_entry=False, results=(result,), parameters=(argument,), linkage="extern")
    bare = ir.Function("g", is_entry=False, attributes=("unified(1, 2)",), directives=(ir.Directive("noreturn"),))
    assert statement(declared) == ".extern .func (.reg .b32 r) f(\n\t.reg .b32 a\n);"
    assert statement(bare) == ".func .attribute(.unified(1, 2)) g()\n.noreturn;"


def test_items_of_one_kind_stand_together_and_a_comment_with_what_follows_it() -> None:
    a, b = ir.Variable("global", B32, "a"), ir.Variable("global", B32, "b")
    module = ir.Module((8, 0), "sm_80", [a, b, ir.Comment("about f"), ir.Function("f", is_entry=True)])
    assert str(module).split("\n")[3:] == [
        "", ".global .b32 a;", ".global .b32 b;", "", "// about f", ".entry f();", "",
    ]  # fmt: skip


def test_every_line_knows_its_item() -> None:
    comment, inner = ir.Comment("two\nlines"), ir.Block([ir.Instruction("exit")])
    ret = ir.Instruction("ret")
    kernel = ir.Function("k", is_entry=True, body=ir.Block([comment, inner, ret]))
    variable = ir.Variable("global", B32, "g")
    text, items = print_with_lines(module := ir.Module((8, 0), "sm_80", [variable, kernel]))
    assert text == print_module(module)
    assert items == [
        None, None, None, None, variable, None, kernel, kernel, comment, comment, inner, inner.statements[0], inner, ret,
        kernel,
    ]  # fmt: skip
    assert len(items) == text.count("\n")


def test_a_version_without_address_sizes() -> None:
    assert str(ir.Module((1, 4), "sm_13", [])) == ".version 1.4\n.target sm_13\n"


def test_what_is_not_ir_is_refused() -> None:
    with pytest.raises(TypeError, match="not an operand: 3"):
        format_operand(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not a statement: 'nop'"):
        str(ir.Module((8, 0), "sm_80", ["nop"]))  # type: ignore[list-item]


def test_the_printer_is_light() -> None:
    """Printing needs neither the parser nor Jinja."""
    code = (
        "import sys, ptxgen.text; print([m for m in ('jinja2', 'ptxgen.text.parser', 'difflib') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"
