"""Which instructions a pattern finds: by name, by operands, by the values that go from one to the next."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import ptxgen as px
from ptxgen.dataflow.patterns.operands import PatternError
from ptxgen.text import format_instruction, parse

GOLDEN = Path(__file__).resolve().parents[4] / "golden"

KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.file 1 "kernel.cu"
.global .f32 table[64];
.visible .entry k(.param .u64 x)
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .reg .f32 %f<9>;
    .reg .b64 %rd<3>;
    .loc 1 7 3
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mov.f32 %f8, 0f00000000;
loop:
    .loc 1 9 5
    ld.global.nc.v2.f32 {%f1, %f2}, [%rd2+16];
    ld.global.f32 %f3, [%rd2];
    mul.rn.f32 %f4, %f1, %f2;
    add.f32 %f5, %f4, %f3;
    mul.f32 %f6, %f5, 2.0;
    add.f32 %f8, %f8, %f6;
    add.s32 %r1, %r1, -1;
    setp.ne.s32 %p1|%p2, %r1, 0;
    @%p1 bra loop;
    @!%p2 st.global.f32 [table+4], %f8;
    bar.sync 0;
    ret;
}
"""


def found(pattern: str, **only: str) -> list[str]:
    """The opcodes and destinations of each match: "mul %f4 > add %f5"."""
    made = []
    for match in px.grep(parse(KERNEL), pattern, **only):
        made.append(" > ".join(" ".join(text.replace(",", "").rstrip(";").split()[:2]) for text in match.texts))
    return made


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("ld.global.f32", ["ld.global.f32 %f3"]),
        ("ld.global.*.f32", ["ld.global.nc.v2.f32 {%f1", "ld.global.f32 %f3"]),
        ("ld.*.v?.f32", ["ld.global.nc.v2.f32 {%f1"]),
        ("mul", ["mul.rn.f32 %f4", "mul.f32 %f6"]),
        ("mul.f32", ["mul.f32 %f6"]),
        ("mul.*.f32", ["mul.rn.f32 %f4", "mul.f32 %f6"]),
        ("ret|bar.sync", ["bar.sync 0"]),
        ("ret|bar", ["bar.sync 0", "ret"]),
        ("*.f32|s32 *,*,#", ["mul.f32 %f6", "add.s32 %r1", "setp.ne.s32 %p1|%p2"]),
        ("*.nc.*", ["ld.global.nc.v2.f32 {%f1"]),
        ("@*  *", ["@%p1 bra", "@!%p2 st.global.f32"]),
        ("@$p bra $L", []),
        ("@$p bra *", ["@%p1 bra"]),
        ("@!$p *", ["@!%p2 st.global.f32"]),
        ("@%p1 bra loop", ["@%p1 bra"]),
        ("mov.* $a,%tid.*", ["mov.u32 %r1"]),
        ("ld.* *,[$p]", ["ld.param.u64 %rd1", "ld.global.nc.v2.f32 {%f1", "ld.global.f32 %f3"]),
        ("ld.* *,[$p+0]", ["ld.param.u64 %rd1", "ld.global.f32 %f3"]),
        ("ld.* {*,*},[$p+0x10]", ["ld.global.nc.v2.f32 {%f1"]),
        ("ld.* {*},*", []),
        ("ld.* {*, ...},...", ["ld.global.nc.v2.f32 {%f1"]),
        ("st.* [table+4], *", ["@!%p2 st.global.f32"]),
        ("st.* [table-4], *", []),
        ("* $a,$a,*", ["add.f32 %f8", "add.s32 %r1"]),
        ("mul.f32 *,*,2.0", ["mul.f32 %f6"]),
        ("mul.f32 *,*,0f40000000", ["mul.f32 %f6"]),
        ("mul.f32 *,*,2", []),
        ("add.s32 *,*,-1", ["add.s32 %r1"]),
        ("setp.* $p|$q, ...", ["setp.ne.s32 %p1|%p2"]),
        ("mov.* *,#n", ["mov.f32 %f8"]),
        ("bar.sync 0; ret", ["bar.sync 0 > ret"]),
        ("fma", []),
    ],
)
def test_names_and_operands(pattern: str, expected: list[str]) -> None:
    assert found(pattern) == expected


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("mul.* $a,$b,$c; add.* $d,$a,$e", ["mul.rn.f32 %f4 > add.f32 %f5"]),
        ("mul.* $a,$b,$c; add.* $d,$e,$a", ["mul.f32 %f6 > add.f32 %f8"]),
        ("ld.* $v,*; add.* *,*,$v", ["ld.global.f32 %f3 > add.f32 %f5"]),
        ("ld.* {$v,*},*; mul.* *,$v,*", ["ld.global.nc.v2.f32 {%f1 > mul.rn.f32 %f4"]),
        # Through the loop: the sum begins as a constant, and is stored behind it.
        ("add.s32 $i,$i,#; setp.* *,$i,*", ["add.s32 %r1 > setp.ne.s32 %p1|%p2"]),
        ("mov.* $s,#; add.* *,$s,*; st.* *,$s", []),
        ("mov.* $s,#; add.* $s,$s,*; st.* *,$s", ["mov.f32 %f8 > add.f32 %f8 > @!%p2 st.global.f32"]),
        ("setp.* $p|*,...; @$p bra *", ["setp.ne.s32 %p1|%p2 > @%p1 bra"]),
        ("setp.* $p|*,...; @!$p *", []),
        ("setp.* *|$q,...; @!$q *", ["setp.ne.s32 %p1|%p2 > @!%p2 st.global.f32"]),
        # The same address, read twice; the next one below, where no name is shared.
        ("ld.global.* *,[$p]; ld.* *,[$p]", ["ld.global.nc.v2.f32 {%f1 > ld.global.f32 %f3"]),
        ("ld.global.*; mul", ["ld.global.nc.v2.f32 {%f1 > mul.rn.f32 %f4", "ld.global.f32 %f3 > mul.rn.f32 %f4"]),
        ("bar; mul", []),
        # Round the loop, to an instruction above.
        ("add.f32 $s,*,%f6; add.f32 *,%f8,$x", []),
        ("setp.* $p|*,...; @$p bra *; mul", []),
    ],
)
def test_values_that_go_from_one_instruction_to_the_next(pattern: str, expected: list[str]) -> None:
    assert found(pattern) == expected


def test_a_name_may_stand_for_several_registers() -> None:
    """The sums of a matrix product, which are read and written in place."""
    sums, a, b = "{%f1, %f2, %f3, %f4}", "{%r1, %r2}", "{%r3}"
    mma = "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"
    other = sums.replace("%f4", "%f5")
    body = f"{mma} {sums}, {a}, {b}, {sums};\n{mma} {other}, {a}, {b}, {sums};\nmov.f32 %f2, 0f00000000;\n"
    module = parse(
        ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .f32 %f<9>; .reg .b32 %r<9>;\n"
        f"{body}{mma} {other}, {a}, {b}, {sums};\nst.global.f32 [%r1], %f5; }}\n"
    )
    assert len(list(px.grep(module, "mma $c,*,*,$c"))) == 1
    (match,) = px.grep(module, "mma $c,*,*,$c; mma *,*,*,$c")
    assert match.texts[1].startswith(f"{mma} {other}"), "the last one reads %f2, which was written again"
    assert match.bindings == {"$c": sums}
    assert len(list(px.grep(module, "mma {*,*,*,$x},...; st.* *,$x"))) == 1


def test_what_the_table_says() -> None:
    assert found("*", effect="barrier") == ["bar.sync 0"]
    assert found("*", effect="writes") == ["@!%p2 st.global.f32"]
    assert len(found("*", effect="memory")) == 4
    assert found("*", kind="copy") == ["cvta.to.global.u64 %rd2", "mov.u32 %r1", "mov.f32 %f8"]
    assert found("ld", space="param") == ["ld.param.u64 %rd1"]
    assert found("*", space="global", kind="load") == ["ld.global.nc.v2.f32 {%f1", "ld.global.f32 %f3"]
    assert found("*", space="generic") == []


def test_what_a_match_has() -> None:
    (match,) = px.grep(parse(KERNEL, name="k.ptx"), "ld.global.f32 $v,[$p]; add.f32 $d,*,$v")
    assert match.function == "k"
    assert match.bindings == {"$p": "%rd2", "$v": "%f3", "$d": "%f5"}
    assert match.texts == ("ld.global.f32 %f3, [%rd2];", "add.f32 %f5, %f4, %f3;")
    assert [str(place) for place in match.places[0]] == ["k.ptx:21:5", "kernel.cu:9:5"]


@px.kernel
def scaled(k: px.Builder, n: px.u32, x: px.ptr[px.f32]):
    i = k.global_id.x
    with k.if_(i < n):
        x[i] = x[i] * 2.0 + 1.0


def test_a_kernel_is_asked_in_a_test() -> None:
    (match,) = px.grep(scaled.module(target="sm_80"), "mul.*.f32 $a,*,2.0; add.*.f32 *,$a,1.0")
    assert [place.file for place in match.places[0]] == [__file__]
    assert not list(px.grep(scaled, "*", space="local"))
    assert len(list(px.grep(str(scaled.module(target="sm_80")), "ret"))) == 1
    with pytest.raises(px.PtxError, match="grep of int, which is not a module"):
        px.grep(3, "ret")


@pytest.mark.parametrize(
    "pattern, complaint",
    [
        ("", "has no instruction"),
        (" ; ", "has no instruction"),
        ("ld.global [%rd1", r"']' is missing"),
        ("ld.global %rd1]", r"']' closes nothing"),
        ("ld.global $a,,$b", "an operand is missing"),
        ("ld..f32", "'' is no opcode or modifier"),
        ("ld.f32! $a", "'f32!' is no opcode or modifier"),
        ("add $a, ..., $b", "'...' is no operand"),
        ("add $a $b", r"'\$a \$b' is no operand"),
        ("add #A", "#A is no constant"),
        ("add 1x", "'1x' is no number"),
        ("ld *,[$p+q]", "'q' is no offset"),
        ("ld " + "[" * 1000 + "]" * 1000, "is nested too deeply"),
    ],
)
def test_what_is_no_pattern(pattern: str, complaint: str) -> None:
    with pytest.raises(PatternError, match=f"(?s)^pattern .*{complaint}"):
        px.grep(parse(KERNEL), pattern)


@pytest.mark.parametrize("word", ["effect", "kind", "space"])
def test_words_that_there_are_not(word: str) -> None:
    with pytest.raises(PatternError, match="'colour' is none of "):
        px.grep(parse(KERNEL), "*", **{word: "colour"})


def test_each_instruction_of_the_goldens_is_a_pattern_that_finds_it() -> None:
    """Of every opcode and shape of operands that the library emits."""
    draw = Random(0)
    tried: set[str] = set()
    for file in draw.sample(sorted(GOLDEN.rglob("*.ptx")), 25):
        module = parse(file.read_text(), name=file.name)
        for function in module.functions:
            for each in function.instructions():
                if each.op not in tried:
                    tried.add(each.op)
                    pattern = format_instruction(each)
                    assert any(each is m.instructions[0] for m in px.grep(module, pattern)), (file, pattern)
    assert len(tried) > 100


def test_who_reads_a_value_is_found_by_going_back_to_its_last_write() -> None:
    """Straight code at random, beside a search that goes back line by line."""
    draw = Random(1)
    for _ in range(30):
        lines = [tuple(draw.randrange(6) for _ in range(3)) for _ in range(20)]
        body = "".join(f"add.s32 %r{d}, %r{a}, %r{b};\n" for d, a, b in lines)
        module = parse(
            f".version 7.0\n.target sm_80\n.address_size 64\n.entry k() {{ .reg .s32 %r<6>;\n{body}ret; }}", "k"
        )
        wanted = {
            (writer, reader)
            for reader, (_, read, _) in enumerate(lines)
            for writer in [max((at for at in range(reader) if lines[at][0] == read), default=None)]
            if writer is not None
        }
        instructions = list(module.functions[0].instructions())
        at = {id(each): n for n, each in enumerate(instructions)}
        got = [tuple(at[id(each)] for each in m.instructions) for m in px.grep(module, "add $v,*,*; add *,$v,*")]
        assert len(got) == len(set(got))
        assert set(got) == wanted
