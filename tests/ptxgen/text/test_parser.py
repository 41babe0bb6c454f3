"""What PTX text means as ir: one line a construct. Everything that parses is also printed and parsed again."""

from __future__ import annotations

import pytest

from ptxgen import ir
from ptxgen.errors import Location, PtxSyntaxError
from ptxgen.isa.types import TYPES
from ptxgen.text import format_instruction, parse

B32, F32, F64, B64, PRED = TYPES["b32"], TYPES["f32"], TYPES["f64"], TYPES["b64"], TYPES["pred"]
HEADER = ".version 8.0\n.target sm_90a\n.address_size 64\n"
DECLARED = (
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>; .reg .v4 .f32 %v;"
    ".shared .b32 sm[64];"
)


def module(text: str, header: str = HEADER) -> ir.Module:
    """The module; what is printed from it must parse to the same."""
    parsed = parse(header + text)
    assert parse(str(parsed)) == parsed
    return parsed


def body(text: str) -> list[ir.Statement]:
    """The statements of a kernel that has declared some registers before them."""
    function = module(f".entry k(.param .u64 a) {{ {DECLARED}\n{text}\n}}").function("k")
    assert function.body is not None
    return function.body.statements[7:]


def operands(text: str) -> tuple[ir.Operand, ...]:
    (instruction,) = body(text)
    assert isinstance(instruction, ir.Instruction)
    return instruction.operands


def operand(text: str) -> ir.Operand:
    """The last operand of `op %r1, <text>;`."""
    return operands(f"op %r1, {text};")[1]


R1, R2, F1, P1, P2 = (
    ir.Register("%r1", B32),
    ir.Register("%r2", B32),
    ir.Register("%f1", F32),
    ir.Register("%p1", PRED),
    ir.Register("%p2", PRED),
)
RD1, V = ir.Register("%rd1", B64), ir.Register("%v", F32, 4)
A, SM = ir.Symbol("a"), ir.Symbol("sm")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("%r2", R2),
        ("%tid.x", ir.Special("%tid.x")),
        ("%tid .x", ir.Special("%tid.x")),
        ("%tid", ir.Special("%tid")),
        ("%laneid", ir.Special("%laneid")),
        ("%v.x", ir.Element(V, "x")),
        ("%v .x", ir.Element(V, "x")),
        ("%r2.b0", ir.Element(R2, "b0")),
        ("%r2.h10", ir.Element(R2, "h10")),
        ("a", A),
        ("sm", SM),
        ("sm+4", ir.Symbol("sm", 4)),
        ("sm+-4", ir.Symbol("sm", -4)),
        ("sm + 2*4", ir.Symbol("sm", 8)),
        ("unknown", ir.Symbol("unknown")),  # the verifier says that nobody declared it
        ("%r9", ir.Symbol("%r9")),  # %r<9> ends at %r8
        ("%undeclared", ir.Symbol("%undeclared")),
        ("%undeclared.x", ir.Symbol("%undeclared.x")),
        ("_", ir.Sink()),
        ("!%p1", ir.Not(P1)),
        ("! %p1", ir.Not(P1)),
        ("%p1|%p2", ir.Pair(P1, P2)),
        ("%p1 | _", ir.Pair(P1, ir.Sink())),
        ("_|%p1", ir.Pair(ir.Sink(), P1)),
        ("{%r1, %r2}|%p1", ir.Pair(ir.Vector((R1, R2)), P1)),
        ("{%r1,_}", ir.Vector((R1, ir.Sink()))),
        ("{1, -2}", ir.Vector((ir.Immediate(1), ir.Immediate(-2)))),
        ("{%v.x, sm}", ir.Vector((ir.Element(V, "x"), SM))),
        ("[%rd1]", ir.Address(RD1)),
        ("[%rd1+8]", ir.Address(RD1, 8)),
        ("[%rd1 + -8]", ir.Address(RD1, -8)),
        ("[%rd1+0x10U]", ir.Address(RD1, 16)),
        ("[%rd1+WARP_SZ*4]", ir.Address(RD1, 128)),
        ("[a]", ir.Address(A)),
        ("[a+8]", ir.Address(A, 8)),
        ("[12]", ir.Address(ir.Immediate(12))),
        ("[8+4]", ir.Address(ir.Immediate(12))),
        ("[-4]", ir.Address(ir.Immediate(-4))),
        ("sm[3]", ir.Address(SM, 12)),  # an element's place counts in bytes
        ("sm [1+1]", ir.Address(SM, 8)),
        ("[%rd1, {%r1, %r2}]", ir.Address(RD1, 0, (R1, R2))),
        ("[%rd1+64, {%r1}]", ir.Address(RD1, 64, (R1,))),
        ("[a, %r1]", ir.Address(A, 0, (R1,))),
        ("[a, {%r1, 4}]", ir.Address(A, 0, (R1, ir.Immediate(4)))),
        ("[a, sm, {%f1}]", ir.Address(A, 0, (SM, ir.Vector((F1,))))),
    ],
)
def test_operand(text: str, expected: ir.Operand) -> None:
    assert operand(text) == expected


def test_an_array_element_of_mov_is_its_address() -> None:
    assert operands("mov.u32 %r1, sm[3];") == (R1, ir.Symbol("sm", 12))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("ret;", ()),
        ("bar.sync 0;", (ir.Immediate(0),)),
        ("ld.global.v2.f32 {%f1, %f1}, [%rd1+8];", (ir.Vector((F1, F1)), ir.Address(RD1, 8))),
        ("cp.bulk [%rd1, {%r1}], [a];", (ir.Address(RD1, 0, (R1,)), ir.Address(A))),
        ("call f;", (ir.Symbol("f"),)),
        ("call.uni f, ();", (ir.Symbol("f"), ir.Arguments(()))),
        ("call (%r1), f, (%r2, 5, sm, _);", (
            ir.Arguments((R1,)), ir.Symbol("f"), ir.Arguments((R2, ir.Immediate(5), SM, ir.Sink())),
        )),
        ("call (%r1), %rd1, (%r2), proto;", (ir.Arguments((R1,)), RD1, ir.Arguments((R2,)), ir.Symbol("proto"))),
        ("call %rd1, proto;", (RD1, ir.Symbol("proto"))),
        ("call.uni\nexit,\n(%r1);", (ir.Symbol("exit"), ir.Arguments((R1,)))),
        ("call (), f, ((1+2));", (ir.Arguments(()), ir.Symbol("f"), ir.Arguments((ir.Immediate(3),)))),
    ],
)  # fmt: skip
def test_operands(text: str, expected: tuple[ir.Operand, ...]) -> None:
    assert operands(text) == expected


@pytest.mark.parametrize(
    "text, printed",
    [
        ("@%p1 bra L;", "@%p1 bra L;"),
        ("@!%p1 bra L;", "@!%p1 bra L;"),
        ("@ ! %p1 bra L;", "@!%p1 bra L;"),
        ("@unknown exit;", "@unknown exit;"),
        ("ld .global .u32 %r1, [a];", "ld.global.u32 %r1, [a];"),
        ("tex .1d.v4.s32.s32 %r1, [a, {%r1}];", "tex.1d.v4.s32.s32 %r1, [a, {%r1}];"),
        ("ld.shared::cta.b32 %r1,[sm];", "ld.shared::cta.b32 %r1, [sm];"),
        ("mov.u32\n  %r1 ,\n  /* here */ 5\n;", "mov.u32 %r1, 5;"),
        ("sin.approx.f32%f1,%f1;", "sin.approx.f32 %f1, %f1;"),
        ("mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, 32;"),
        ("mov.u64 %rd1, 0xFFFFFFFFFFFFFFFF;", "mov.u64 %rd1, 18446744073709551615;"),
        ("mov.s64 %rd1, -9223372036854775808;", "mov.s64 %rd1, -9223372036854775808;"),
    ],
)
def test_instruction(text: str, printed: str) -> None:
    found = body(text)[-1]
    assert isinstance(found, ir.Instruction)
    assert format_instruction(found) == printed


def test_opcodes_are_no_keywords() -> None:
    label, jump, declared, add = body("ret: bra ret; .reg .b32 add; add.u32 add, add, add;")
    register = ir.Register("add", B32)
    assert (label, jump) == (ir.Label("ret"), ir.Instruction("bra", (ir.Symbol("ret"),)))
    assert declared == ir.RegisterDeclaration(B32, ("add",))
    assert add == ir.Instruction("add.u32", (register, register, register))


@pytest.mark.parametrize(
    "text, expected",
    [
        (".reg .b32 x;", [ir.RegisterDeclaration(B32, ("x",))]),
        (".reg.b32 x, y;", [ir.RegisterDeclaration(B32, ("x", "y"))]),
        (".reg .f32 x<4>;", [ir.RegisterDeclaration(F32, ("x",), 4)]),
        (".reg .f32 x<0x10>, y<16>;", [ir.RegisterDeclaration(F32, ("x", "y"), 16)]),
        (".reg .v2 .f32 x<4>;", [ir.RegisterDeclaration(F32, ("x",), 4, 2)]),
        (
            ".reg .f32 x, y<4>, z;",
            [
                ir.RegisterDeclaration(F32, ("x",)),
                ir.RegisterDeclaration(F32, ("y",), 4),
                ir.RegisterDeclaration(F32, ("z",)),
            ],
        ),
        (".shared .align 16 .b32 x;", [ir.Variable("shared", B32, "x", align=16)]),
        (".align 16 .shared .b32 x;", [ir.Variable("shared", B32, "x", align=16)]),
        (".shared .b32 x, y[4];", [ir.Variable("shared", B32, "x"), ir.Variable("shared", B32, "y", shape=(4,))]),
        (".local .b32 x<2>;", [ir.Variable("local", B32, "x0"), ir.Variable("local", B32, "x1")]),
        (".param .v4 .f32 x;", [ir.Variable("param", F32, "x", vector=4)]),
        (".local .b32 x[2][WARP_SZ];", [ir.Variable("local", B32, "x", shape=(2, 32))]),
        ("L: ret;", [ir.Label("L"), ir.Instruction("ret")]),
        ("L : $M: ret;", [ir.Label("L"), ir.Label("$M"), ir.Instruction("ret")]),
        ("L:", [ir.Label("L")]),
        ("{ ret; }", [ir.Block([ir.Instruction("ret")])]),
        ("{ { } }", [ir.Block([ir.Block([])])]),
        ('.pragma "a", "b";', [ir.Pragma(("a", "b"))]),
        (".loc 1 2 3 ret;", [ir.LineDirective(1, 2, 3), ir.Instruction("ret")]),
        (
            ".loc 1 2 3, function_name f+0x4, inlined_at 1 4 5",
            [ir.LineDirective(1, 2, 3, "function_name f+4, inlined_at 1 4 5")],
        ),
        (
            ".loc 1 2 3, function_name .debug_str+16, inlined_at 1 4 5",
            [ir.LineDirective(1, 2, 3, "function_name .debug_str+16, inlined_at 1 4 5")],
        ),
        ("t: .branchtargets A, B;", [ir.BranchTargets("t", ("A", "B"))]),
        ("t: .branchtargets A, N<3>;", [ir.BranchTargets("t", ("A", "N0", "N1", "N2"))]),
        ("t: .calltargets f, g;", [ir.CallTargets("t", ("f", "g"))]),
        ("t: .callprototype _;", [ir.CallPrototype("t")]),
        ("t: .callprototype () _ ();", [ir.CallPrototype("t")]),
        ("t: .callprototype _ .noreturn;", [ir.CallPrototype("t", directives=(ir.Directive("noreturn"),))]),
        (
            "t: .callprototype (.param .b32 _) _ (.reg .b32 _, .param .align 8 .b8 _[12]);",
            [
                ir.CallPrototype(
                    "t",
                    (ir.Variable("param", B32, "_"),),
                    (ir.Variable("reg", B32, "_"), ir.Variable("param", TYPES["b8"], "_", shape=(12,), align=8)),
                )
            ],
        ),
    ],
)
def test_statement(text: str, expected: list[ir.Statement]) -> None:
    assert body(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        (".global .b32 x;", ir.Variable("global", B32, "x")),
        (".visible .const .align 8 .f64 x = 1.5;",
         ir.Variable("const", F64, "x", align=8, linkage="visible", init=ir.float_immediate(1.5, "f64"))),
        (".extern .shared .align 16 .b8 x[];",
         ir.Variable("shared", TYPES["b8"], "x", shape=(None,), align=16, linkage="extern")),
        (".common .global .b32 x;", ir.Variable("global", B32, "x", linkage="common")),
        (".weak .global .b32 x;", ir.Variable("global", B32, "x", linkage="weak")),
        (".global .b32 x[] = {1, 2+3, WARP_SZ};",
         ir.Variable("global", B32, "x", shape=(None,), init=(ir.Immediate(1), ir.Immediate(5), ir.Immediate(32)))),
        (".global .b32 x[2][1] = {{1}, {2}};",
         ir.Variable("global", B32, "x", shape=(2, 1), init=((ir.Immediate(1),), (ir.Immediate(2),)))),
        (".global .b32 x[2] = {};", ir.Variable("global", B32, "x", shape=(2,), init=())),
        (".global .f32 x = 0f3F800000;", ir.Variable("global", F32, "x", init=ir.Immediate(0x3F800000, "f32"))),
        (".global .b64 x = y;", ir.Variable("global", B64, "x", init=ir.Symbol("y"))),
        (".global .b64 x = y+-4;", ir.Variable("global", B64, "x", init=ir.Symbol("y", -4))),
        (".global .b64 x = generic(y);", ir.Variable("global", B64, "x", init=ir.Generic(ir.Symbol("y")))),
        (".global .b64 x = generic(y)+4;", ir.Variable("global", B64, "x", init=ir.Generic(ir.Symbol("y", 4)))),
        (".global .u8 x[2] = {0xff(y), 0xFF00(y+4)};",
         ir.Variable("global", TYPES["u8"], "x", shape=(2,),
                     init=(ir.Masked(0xFF, ir.Symbol("y")), ir.Masked(0xFF00, ir.Symbol("y", 4))))),
        (".global .attribute(.managed, .unified(1, 2)) .b32 x;",
         ir.Variable("global", B32, "x", attributes=("managed", "unified(1, 2)"))),
        (".global .texref x;", ir.Variable("global", TYPES["texref"], "x")),
        (".global .samplerref x = {filter_mode = nearest, force_unnormalized_coords = 1};",
         ir.Variable("global", TYPES["samplerref"], "x", init=(
             (ir.Symbol("filter_mode"), ir.Symbol("nearest")),
             (ir.Symbol("force_unnormalized_coords"), ir.Immediate(1))))),
        ('.pragma "nounroll";', ir.Pragma(("nounroll",))),
        ('.file 1 "a b.cu"', ir.FileDirective(1, "a b.cu")),
        ('.file 1 "a.cu", 123, 456', ir.FileDirective(1, "a.cu", 123, 456)),
        (".alias f, g;", ir.Alias("f", "g")),
        (".section .debug_str { .b8 1, -2 }", ir.Section("debug_str", (".b8 1, -2",))),
        (".section .debug_info\n{\na:\n.b8 0x1 // one\n\n.b32 a-b\n.b64 .debug_loc+0x4\n}",
         ir.Section("debug_info", ("a:", ".b8 0x1 // one", ".b32 a-b", ".b64 .debug_loc+0x4"))),
        (".nv_intermediate_source_section { }", ir.IntermediateSource(())),
        ('.nv_intermediate_source_section {\n.code_block { .ir_name: "a b" .sourceFileName: 0x2 .source_begin \n'
         '  x { } /* "y\n.source_begin\n\n .source_end2\n\t.source_end \n}\n'
         '.code_block { .ir_name: "" .sourceFileName:\n1 .source_begin\n.source_end\n} }',
         ir.IntermediateSource((
             ir.CodeBlock("a b", 2, ('  x { } /* "y', ".source_begin", "", " .source_end2")), ir.CodeBlock("", 1, ())))),
        (".entry k;", ir.Function("k", is_entry=True)),
        (".visible .entry k() {}", ir.Function("k", is_entry=True, linkage="visible", body=ir.Block([]))),
        (".func f .noreturn;", ir.Function("f", is_entry=False, directives=(ir.Directive("noreturn"),))),
        (".func () f();", ir.Function("f", is_entry=False)),
        (".func .attribute(.unified(1,2)) f;", ir.Function("f", is_entry=False, attributes=("unified(1, 2)",))),
        (".entry k .maxntid 16, 16, 4 .minnctapersm 2 .explicitcluster .pragma \"x\"; {}", ir.Function(
            "k", is_entry=True, body=ir.Block([]), directives=(
                ir.Directive("maxntid", (16, 16, 4)), ir.Directive("minnctapersm", (2,)),
                ir.Directive("explicitcluster"), ir.Directive("pragma", ("x",))))),
        (".entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr b, .param .align 8 .b8 c[12]) {}",
         ir.Function("k", is_entry=True, body=ir.Block([]), parameters=(
             ir.Variable("param", TYPES["u64"], "a", pointer=("global", 16)),
             ir.Variable("param", TYPES["u64"], "b", pointer=("", None)),
             ir.Variable("param", TYPES["b8"], "c", shape=(12,), align=8)))),
    ],
)  # fmt: skip
def test_item(text: str, expected: ir.ModuleItem) -> None:
    assert module(text).items == [expected]


@pytest.mark.parametrize(
    "header, version, target, options, address_size",
    [
        (".version 8.0\n.target sm_90a\n.address_size 64", (8, 0), "sm_90a", (), 64),
        (".version 7.8 .target sm_80, texmode_independent, debug .address_size 32",
         (7, 8), "sm_80", ("texmode_independent", "debug"), 32),
        (".version 8.0\n.target sm_90", (8, 0), "sm_90", (), 64),
        (".version 8.0\n.target sm_90\n.target sm_80", (8, 0), "sm_90", ("sm_80",), 64),
        ("// a comment\n/* another */ .version 8.0 // third\n.target sm_90", (8, 0), "sm_90", (), 64),
    ],
)  # fmt: skip
def test_header(
    header: str, version: tuple[int, int], target: str, options: tuple[str, ...], address_size: int
) -> None:
    found = module("", header + "\n")
    assert (found.version, found.target, found.target_options, found.address_size) == (
        version, target, options, address_size,
    )  # fmt: skip


# Names and scopes.


def test_an_inner_scope_hides_and_the_outer_name_comes_back() -> None:
    text = """.reg .b32 x<4>; mov.b32 x1, 1;
              { .reg .f32 x<2>; mov.f32 x1, 0f00000000; mov.b32 x3, 1; { .reg .f64 x1; mov.f64 x1, 1.0; } mov.f32 x1, x0; }
              mov.b32 x1, x3;"""
    kernel = module(f".entry k {{ {text} }}").function("k")
    assert [ir_type(i) for i in kernel.instructions()] == ["b32", "f32", "b32", "f64", "f32", "b32"]


def ir_type(instruction: ir.Instruction) -> str:
    (register, *_) = instruction.operands
    assert isinstance(register, ir.Register)
    return register.type.name


def test_a_variable_may_hide_a_register_and_a_register_a_variable() -> None:
    outer, block, after = body("mov.b32 %r1, sm; { .shared .b32 %r1; .reg .b32 sm; mov.b32 sm, %r1; } mov.b32 %r1, sm;")
    assert isinstance(block, ir.Block)
    assert outer == after == ir.Instruction("mov.b32", (R1, SM))
    assert block.statements[2] == ir.Instruction("mov.b32", (ir.Register("sm", B32), ir.Symbol("%r1")))


def test_a_register_is_known_from_its_declaration_on() -> None:
    early, _, late = body("mov.b32 %r1, later; .reg .b32 later; mov.b32 %r1, later;")
    assert early == ir.Instruction("mov.b32", (R1, ir.Symbol("later")))
    assert late == ir.Instruction("mov.b32", (R1, ir.Register("later", B32)))


def test_registers_end_with_their_function() -> None:
    found = module(".func f { .reg .b32 x; mov.b32 x, 1; } .func g { mov.b32 x, 1; }")
    first, second = (next(function.instructions()).operands[0] for function in found.functions)
    assert (first, second) == (ir.Register("x", B32), ir.Symbol("x"))


def test_register_parameters_are_registers() -> None:
    function = module(".func (.reg .b32 r) f(.reg .pred p, .reg .b32 x) { @p mov.b32 r, x; ret; }").function("f")
    move = next(function.instructions())
    register = ir.Register("r", B32)
    assert move == ir.Instruction("mov.b32", (register, ir.Register("x", B32)), ir.Register("p", PRED))


def test_a_prefix_that_ends_in_a_digit_declares_nothing() -> None:
    """As ptxas has it: all digits at the end of a name are the number."""
    *_, instruction = body(".reg .f32 f1_2<3>, f1_<23>; mov.f32 f1_22, f1_23;")
    assert isinstance(instruction, ir.Instruction)
    assert instruction.operands == (ir.Register("f1_22", F32), ir.Symbol("f1_23"))
    *_, instruction = body(".reg .f32 f1_2<3>; mov.f32 f1_22, f1_21;")
    assert isinstance(instruction, ir.Instruction)
    assert instruction.operands == (ir.Symbol("f1_22"), ir.Symbol("f1_21"))


def test_zeros_before_a_register_s_number_mean_nothing() -> None:
    moves = [
        each.operands
        for each in body(".reg .f32 q<3>, q03; mov.f32 q02, q2; mov.f32 q0, q00; mov.f32 q03, q04;")
        if isinstance(each, ir.Instruction)
    ]
    Q0, Q2 = ir.Register("q0", F32), ir.Register("q2", F32)
    assert moves == [(Q2, Q2), (Q0, Q0), (ir.Register("q03", F32), ir.Symbol("q04"))]


# Comments.


def test_comments_stand_before_what_they_are_about() -> None:
    text = """// generated
.version 8.0
.target sm_80 // header
.address_size 64
.global .b32 x; // behind x
.entry k( // first
  .param .u64 a
) // last
{ // open
  // own line
  mov.u32 %r1, 1; // behind mov
  { ret; } // behind block
  /* two
     lines */
  ret; //
} // end
"""
    found = parse(text)
    assert str(found).replace("\t", "  ") == """.version 8.0
.target sm_80
.address_size 64

// generated
// header
// behind x
.global .b32 x;

// first
// last
.entry k(
  .param .u64 a
)
{
  // open
  // own line
  // behind mov
  mov.u32 %r1, 1;
  {
    ret;
  }
  // behind block
  /* two
     lines */
  //
  ret;
}

// end
"""  # fmt: skip
    assert parse(str(found)) == found


def test_a_comment_is_no_comment_inside_a_string() -> None:
    assert module('.file 1 "http://x/*y*/"').items == [ir.FileDirective(1, "http://x/*y*/")]


# Sources.


def test_every_statement_knows_its_place() -> None:
    found = parse(HEADER + ".entry k\n{\n  .reg .b32 x;\n  @x mov.b32\n    x, 1; ret;\n}", "k.ptx")
    kernel = found.function("k")
    assert kernel.body is not None
    declared, move, ret = kernel.body.statements
    assert found.name == "k.ptx"
    assert ir.resolve(kernel.source) == (Location("ptx", "k.ptx", 4, 1),)
    assert ir.resolve(declared.source) == (Location("ptx", "k.ptx", 6, 3),)
    assert ir.resolve(move.source) == (Location("ptx", "k.ptx", 7, 3),)
    assert ir.resolve(ret.source) == (Location("ptx", "k.ptx", 8, 11),)
    assert ir.resolve(move.source)[0].excerpt() == "@x mov.b32"


def test_windows_line_ends() -> None:
    text = HEADER + "// note\n/* a\n b */\n.entry k\n{\n  ret; // why\n}\n"
    assert parse(text.replace("\n", "\r\n")) == parse(text)


def test_a_negated_operand_of_vmad() -> None:
    found = operands("vmad.s32.s32.s32 %r1, %r2.h0, -%r3.b1, -%r4;")
    assert found[2:] == (
        ir.Negated(ir.Element(ir.Register("%r3", B32), "b1")),
        ir.Negated(ir.Register("%r4", B32)),
    )


@pytest.mark.parametrize(
    "then", ["", ".global .b32 x;", ".visible .entry k()\n{\n\tret;\n}", ".func g\n.func h;", '.file 1 "a.cu"']
)
def test_a_prototype_of_a_function_needs_no_semicolon(then: str) -> None:
    """Compilers before CUDA 4 wrote none, and assemblers take them; of a kernel they do not."""
    head = ".version 8.0\n.target sm_80\n.address_size 64\n"
    prototype = ".extern .func (.param .b32 r) vprintf (.param .b64 a)"
    assert parse(f"{head}{prototype}\n{then}") == parse(f"{head}{prototype};\n{then.replace('.func g', '.func g;')}")
    with pytest.raises(PtxSyntaxError):
        parse(f"{head}.visible .entry j(.param .b32 x)\n{then}")
