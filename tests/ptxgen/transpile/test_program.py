"""PTX as a program of the builder, and the module that it builds: each feature of the language, and a dozen goldens."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ptxgen as px
from ptxgen.text import parse
from ptxgen.transpile import differences, rebuilt, transpile

GOLDEN = Path(__file__).resolve().parents[3] / "golden"
HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def entry(body: str, parameters: str = ".param .u64 p, .param .u32 n", items: str = "") -> str:
    return f"{HEAD}{items}\n.visible .entry f({parameters})\n{{\n{body}\n}}\n"


def written(text: str, **how: bool) -> str:
    """The program, which has been run: it builds the same instructions."""
    module = parse(text)
    program = transpile(module, **how)
    ast.parse(program)
    assert differences(module, rebuilt(program)) == []
    return program


REGISTERS = """
.reg .pred %p<9>;
.reg .b16 %h<9>;
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .f32 %f<9>;
.reg .f64 %d<9>;
"""

STATEMENTS = {
    "operators": "ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 3; mul.lo.u32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3;",
    "a constant that the builder would make cheaper": (
        "mul.lo.u32 %r1, %r2, 8; add.u32 %r3, %r1, 0; "
        "st.global.u32 [%rd1], %r3;"
    ),
    "contraction left to the assembler": "add.f32 %f1, %f2, %f3; add.rn.f32 %f4, %f1, %f2; st.global.f32 [%rd1], %f4;",
    "floats": (
        "mov.f32 %f1, 0f7F800000; mov.f32 %f2, 0fFFC00001; add.f64 %d1, %d2, 0d3FF0000000000000; "
        "mov.b32 %r1, 0f3F800000;"
    ),
    "vectors": "ld.global.v2.f32 {%f1, %f2}, [%rd1+8]; st.global.v4.f32 [%rd1], {%f1, %f2, 0f00000000, %f1};",
    "a vector with a sink": "ld.global.v2.u32 {_, %r1}, [%rd1]; st.global.u32 [%rd1], %r1;",
    "two results": "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3; @%p1 st.global.u32 [%rd1], %r1; @%p2 trap;",
    "guards": "setp.eq.u32 %p1, %r1, 0; @%p1 mov.u32 %r2, 1; @!%p1 mov.u32 %r2, 2; st.global.u32 [%rd1], %r2;",
    "a guard that changes": "setp.eq.u32 %p1, %r1, 0; @!%p1 trap; setp.eq.u32 %p1, %r1, 1; @!%p1 trap;",
    "special registers": (
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %laneid; mov.u64 %rd2, %clock64; "
        "mov.u32 %r4, %warpid; cvt.u64.u32 %rd3, %tid.y;"
    ),
    "a register that is never written": "add.u32 %r1, %r2, 1; st.global.u32 [%rd1], %r1;",
    "carries": "add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r1, 0; st.global.u32 [%rd1], %r4;",
    "halves": "mov.b32 {%h1, %h2}, %r1; add.f16 %h3, %h1, %h2; st.global.b16 [%rd1], %h3;",
    "names of Python": (
        ".reg .u32 class, print, k, f32; mov.u32 class, 1; add.u32 print, class, k; "
        "add.u32 f32, print, 1;"
    ),
    "a scope": (
        "{ .reg .u32 t; mov.u32 t, 1; L: add.u32 %r1, t, 1; } { .reg .u32 t; mov.u32 t, 2; "
        "L: add.u32 %r2, t, 1; }"
    ),
    "a vector register": (
        ".reg .v2 .f32 v; ld.global.v2.f32 v, [%rd1]; add.f32 %f1, v.x, v.y; "
        "st.global.f32 [%rd1], %f1;"
    ),
    "a byte register": ".reg .b8 b; ld.global.b8 b, [%rd1]; st.global.b8 [%rd1], b;",
    "video": "vadd.s32.u32.s32 %r1, %r2.b0, %r3; vmad.u32.u32.u32 %r4, %r1, %r2, -%r3; st.global.u32 [%rd1], %r4;",
    "modifiers as assemblers read them": "red.add.global.relaxed.gpu.f64 [%rd1], %d1;",
    "a loop that ends with its test": "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L;",
    "a loop without an end": (
        "L: st.global.u32 [%rd1], %r1; setp.eq.u32 %p1, %r1, 0; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; "
        "E:"
    ),
    "if and else": (
        "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r2, 1; bra.uni B; A: mov.u32 %r2, 2; "
        "B: st.global.u32 [%rd1], %r2;"
    ),
    "a value that leaves its body": "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r2, 1; A: add.u32 %r3, %r2, 1;",
    "an end that two share": "@%p1 bra E; @%p2 bra E; mov.u32 %r1, 1; E: st.global.u32 [%rd1], %r1;",
    "a loop with two ways in": "@%p1 bra M; L: add.u32 %r1, %r1, 1; M: setp.lt.u32 %p2, %r1, 9; @%p2 bra L;",
    "branches that cross": "@%p1 bra A; mov.u32 %r1, 1; @%p2 bra B; A: mov.u32 %r1, 2; B: st.global.u32 [%rd1], %r1;",
    "a uniform branch": "@%p1 bra.uni A; mov.u32 %r1, 1; A: st.global.u32 [%rd1], %r1;",
    "a table of branches": "t: .branchtargets A, B; brx.idx %r1, t; A: mov.u32 %r2, 1; B: st.global.u32 [%rd1], %r2;",
    "directives": '.pragma "nounroll"; .loc 1 2 3\n mov.u32 %r1, 1; // a remark\n',
    "variables": (
        ".shared .align 8 .b8 s[64]; .local .u32 l[4]; mov.u32 %r1, s; ld.shared.u32 %r2, [s+4]; "
        "st.local.u32 [l], %r2;"
    ),
    "barriers and shuffles": (
        "bar.sync 0; shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1; vote.sync.ballot.b32 %r3, %p1, -1; "
        "membar.gl;"
    ),
    "asynchronous copies": "cp.async.cg.shared.global [%r1], [%rd1], 16; cp.async.commit_group; cp.async.wait_group 0;",
    "a tensor's coordinates": (
        "c"
        "p.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];"
    ),
    "atomics": (
        "atom.global.add.u32 %r1, [%rd1], 1; atom.global.cas.b32 %r2, [%rd1], %r1, 5; "
        "red.global.add.u32 [%rd1], %r2;"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_body(name):
    items = '.file 1 "x.cu"' if ".loc" in STATEMENTS[name] else ""
    written(entry(f"{REGISTERS}\n{STATEMENTS[name]}\nret;", items=items))


MODULES = {
    "variables": """.visible .global .align 4 .u32 counter = 7;
.const .align 8 .f64 table[2] = {0d3FF0000000000000, 0d4000000000000000};
.global .u64 pointers[2] = {generic(counter), counter+4};
.extern .shared .align 16 .b8 dynamic[];
.global .texref image;
.visible .entry f() { ret; }""",
    "functions": """.extern .func (.param .b32 r) outside(.param .b64 a);
.weak .func (.reg .f32 out) half(.reg .f32 %f1, .reg .u32 lambda) { mul.f32 out, %f1, 0f3F000000; ret; }
.func nothing() .noreturn { trap; }
.visible .entry f(.param .u64 p) { .reg .f32 %f<3>; .reg .u32 %r<3>; .reg .b64 %rd<2>;
mov.f32 %f1, 0f3F800000; mov.u32 %r1, 1; call.uni (%f2), half, (%f1, %r1); call nothing;
{ .param .b64 a; .param .b32 r; ld.param.u64 %rd1, [p]; st.param.b64 [a], %rd1; call.uni (r), outside, (a);
ld.param.b32 %r2, [r]; }
ret; }""",
    "an indirect call": """.func (.param .b32 r) g(.param .b32 a) { .reg .b32 %r1; ld.param.b32 %r1, [a];
st.param.b32 [r], %r1; ret; }
.global .u64 to[1] = {g};
.visible .entry f() { .reg .b64 %rd1; .reg .b32 %r1; ld.global.u64 %rd1, [to];
{ .param .b32 a; .param .b32 r; st.param.b32 [a], 4; q: .callprototype (.param .b32 _) _ (.param .b32 _);
call (r), %rd1, (a), q; ld.param.b32 %r1, [r]; } ret; }""",
    "several entries": """.visible .entry one(.param .u32 a) .maxntid 32, 2, 1 .minnctapersm 2 { ret; }
.entry two(.param .align 8 .b8 whole[24]) .reqntid 64 .maxnreg 40 { .reg .b64 %rd1; ld.param.b64 %rd1, [whole+8]; ret; }
.visible .entry three(.param .u64 .ptr .global .align 16 x) .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }""",
    "an alias": """.visible .func real() { ret; }
.visible .func other();
.alias other, real;
.visible .entry f() { call other; ret; }""",
    "a recursion": """.func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; .reg .pred %p1;
ld.param.b32 %r1, [a]; setp.eq.s32 %p1, %r1, 0;
@%p1 bra E; { .param .b32 b; .param .b32 s; st.param.b32 [b], %r1; call (s), f, (b); ld.param.b32 %r2, [s];
} E: st.param.b32 [r], %r2; ret; }""",
    "comments": """// about f
// in two lines
.visible .entry f() { // inside
ret; }""",
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module(name):
    written(f"{HEAD}{MODULES[name]}\n")


GOLDENS = [
    "gemm/bf16.thin.sm_90a.ptx",
    "bias/gelu.bf16.lanes-32.sm_80.ptx",
    "dequantise/e4m3.group-128.f32.f32.sm_90a.ptx",
    "egraph_pairs/count.sm_75.ptx",
    "embedding_backward/keys.s32.sm_75.ptx",
    "gemm_f32/parts.any.sm_90a.ptx",
    "hash_keys/u64+u16+u32.sm_75.ptx",
    "kv_cache/bf16.d-128.sm_75.ptx",
    "masks/and.sm_75.ptx",
    "permute_shifted/b16.sm_80.ptx",
    "saxpy/bf16.sm_75.ptx",
    "shortlist/bf16.threads-256.sm_75.ptx",
]


@pytest.mark.parametrize("path", GOLDENS)
def test_a_golden(path):
    written((GOLDEN / path).read_text())


# ---- how it reads ----------------------------------------------------------------------------------------------------


def test_a_kernel_reads_as_one_that_a_person_wrote():
    program = written((GOLDEN / "saxpy/f32.sm_75.ptx").read_text())
    assert "@px.kernel(max_threads=256)" in program
    assert "def saxpy(k: px.Builder, n: u64, a: f32, x: px.ptr[px.vec[f32, 4]], y:" in program
    assert "    with k.if_(p1), k.do_while():\n" in program
    assert "        f18 = k.fma(a, f2, f10)\n" in program
    assert "        rd10 += rd9\n" in program
    assert "$L_loop" not in program


def test_labels_stay_where_several_go_to_one():
    program = written(entry(f"{REGISTERS} {STATEMENTS['an end that two share']} ret;"))
    assert 'with k.if_(Not(p1), end="E"):' in program
    assert 'with k.if_(Not(p2), end="E"):' in program
    assert 'k.place("E")' in program


def test_what_is_not_raisable_keeps_its_labels():
    program = written(entry(f"{REGISTERS} {STATEMENTS['a loop with two ways in']} ret;"))
    assert 'k.ptx.bra("L", pred=p2)' in program
    assert 'k.place("L")' in program


def test_comments_stay():
    assert "# about f\n# in two lines\n@px" in written(f"{HEAD}{MODULES['comments']}\n")


def test_the_original_stands_above_on_request():
    program = written(entry(f"{REGISTERS} add.u32 %r2, %r1, 3; st.global.u32 [%rd1], %r2; ret;"), original=True)
    assert "    # add.u32 %r2, %r1, 3;\n    r2 = r1 + 3\n" in program


def test_lines_are_left_out_and_that_is_said():
    text = entry(f"{REGISTERS} .loc 1 2 3\n mov.u32 %r1, 1; .loc 1 3 1\n ret;", items='.file 1 "x.cu"')
    assert "Left out, as they make no machine code: .file, .loc x2." in written(text)
    kept = written(text, keep_lines=True)
    assert 'k.directive(".loc 1 2 3")' in kept
    assert ".file 1" in kept
    assert "Left out" not in kept


DEBUG = """.version 8.0
.target sm_90a, debug
.address_size 64
.visible .entry f(.param .u64 a) {
.reg .b64 %rd<3>;
$L__begin:
.loc 1 1 1
ld.param.u64 %rd2, [a+0];
st.global.u64 [%rd2+0], %rd1;
ret;
}
.file 1 "x.cu"
.section .debug_info { .b64 $L__begin }
"""


def test_a_debug_build_keeps_its_lines_and_the_names_of_its_registers():
    program = written(DEBUG)
    assert 'rd = k.registers(b64, "%rd", 3)' in program
    again = str(rebuilt(program))
    for line in (
        "ld.param.u64 %rd2, [a+0];",
        ".loc 1 1 1",
        ".section .debug_info",
        "$L__begin:",
        ".target sm_90a, debug",
    ):
        assert line in again


# ---- what Python must bear -------------------------------------------------------------------------------------------


def test_a_long_body_becomes_several_functions():
    adds = "\n".join(f"add.u32 %r{i + 1}, %r{i}, %r{max(0, i - 1)};" for i in range(900))
    program = written(entry(f".reg .b32 %r<901>; .reg .b64 %rd<2>; {adds} st.global.u32 [%rd1], %r900; ret;"))
    functions = [node for node in ast.parse(program).body if isinstance(node, ast.FunctionDef)]
    assert [node.name for node in functions][:2] == ["f_part_1", "f_part_1_"]
    assert all(len(node.body) < 300 for node in functions)


def test_a_deep_body_becomes_several_functions():
    """Python nests no more than 20 `with`."""
    depth = 40
    opens = "\n".join(f"setp.eq.u32 %p{i}, %r1, {i}; @%p{i} bra E{i}; st.global.u32 [%rd1], %r1;" for i in range(depth))
    closes = "\n".join(f"E{i}: add.u32 %r1, %r1, {i + 1};" for i in reversed(range(depth)))
    written(entry(f".reg .pred %p<{depth}>; .reg .b32 %r<2>; .reg .b64 %rd<2>; {opens} {closes} ret;"))


def test_the_same_text_gives_the_same_program():
    text = (GOLDEN / "saxpy/f32.sm_75.ptx").read_text()
    assert transpile(text) == transpile(text)


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_text_that_does_not_parse_is_an_error_with_its_line():
    with pytest.raises(px.PtxSyntaxError, match=r"x\.ptx:5"):
        transpile(f"{HEAD}.visible .entry f() {{\n mov.u32 %r1 1; }}", name="x.ptx")


def test_an_illegal_instruction_is_an_error_with_its_line():
    with pytest.raises(px.VerifyError, match=r"PTX201[^\0]*x.ptx:7"):
        transpile(entry(".reg .u32 a; add.u33 a, a, 1; ret;"), name="x.ptx")


def test_a_difference_is_told():
    one, other = (parse(entry(f"{REGISTERS} add.u32 %r1, %r2, {n}; ret;")) for n in (1, 2))
    assert differences(one, other) == ["add.u32 %0:32.1, %1:32.1, 1;  became  add.u32 %0:32.1, %1:32.1, 2;"]
    jumps = [parse(entry(f"{REGISTERS} @%p1 bra {label}; A: trap; B: ret;")) for label in "AB"]
    assert len(differences(*jumps)) == 1
