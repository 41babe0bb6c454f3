"""What an editor says of the word under the cursor."""

from __future__ import annotations

import pytest

from ptxgen.lsp.answers.hover import hover
from tests.ptxgen.lsp.kit import SAXPY, at, body

MMA = body(
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, "
    "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7};"
)


def said(text: str, here: str, name: str = "test.ptx") -> str:
    found = hover(*at(text, here, name))
    return "" if found is None else found.text


@pytest.mark.parametrize(
    "here, words",
    [
        ("ld▮.global.f32 %f2", ["ld.global.f32 d, \\[a\\]", "| out | register | .f32 |", "sm\\_80", "reads memory"]),
        ("ld.glob▮al.f32", ["`.global` is one of `.ss`; the others: `.const` `.local`"]),
        ("fma.r▮n", ["`.rn` is one of `.rnd`"]),
        (
            "%r▮2, %r1",
            [".reg .b32 %r<5>", "declared in line 9", "| 14 | mov.u32 %r2, %tid.x |", "| 15 | setp.ge.u32 %p1"],
        ),
        ("%f3▮;\n\tst", ["**written**", "**read**"]),
        ("%ti▮d", ["special register, manual 10.1", "the thread in its CTA"]),
        ("do▮ne;", ["done:", "label, declared in line 25", "1 use"]),
        ("[▮n]", [".param .u32 n", "parameter, declared in line 6"]),
        ("sm▮_80", ["PTX 7.0", "163 KiB"]),
        (".targ▮et", ["the architecture that the module is for"]),
        (".b▮32", ["untyped bits"]),
        ("sa▮xpy", [".entry saxpy", "0 uses"]),
    ],
)
def test_a_page_of_each_kind(here: str, words: list[str]) -> None:
    text = said(SAXPY, here)
    for word in words:
        assert word.replace("\\[", "[").replace("\\]", "]") in text.replace("\\[", "[").replace("\\]", "]"), text


@pytest.mark.parametrize("here", ["// y = a ▮x", "\n\n▮//", "ret;\n▮}"])
def test_nothing_is_said_of_nothing(here: str) -> None:
    assert said(SAXPY, here) == ""


def test_what_a_fragment_holds() -> None:
    text = said(MMA, "mma▮.sync")
    assert "**a**: 16 x 16 of .bf16, 4 registers of 32 lanes" in text
    assert "T1   r0 (0,2..3)  r1 (8,2..3)  r2 (0,10..11)  r3 (8,10..11)" in text
    assert "matrix of 16 x 16" in said(MMA, "%r▮1, %r2")
    assert "| lane 5 | (9,2..3) |" in said(MMA, "%r▮1, %r2")
    assert "| lane 5 | (1,2) |" in said(MMA, "%f▮0")


def test_only_the_form_that_takes_the_operands_is_shown() -> None:
    op = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16"
    smem = said(body(f"{op} {{%f0, %f1, %f2, %f3}}, %rd1, %rd2, 1, 1, 1, 0, 0;"), "wg▮mma")
    regs = said(body(f"{op} {{%f0, %f1, %f2, %f3}}, {{%r0, %r1, %r2, %r3}}, %rd2, 1, 1, 1, 0;"), "wg▮mma")
    assert "trans_a" in smem
    assert "trans_a" not in regs


def test_an_illegal_instruction_says_why() -> None:
    text = said(body("add.f32 %f1, %rd1, %f2;"), "add▮.f32")
    assert "Not legal as it stands: %rd1 (.b64); expected: a .f32 or .b32 register" in text
    assert "near it are" in said(body("ad.f32 %f1, %f1, %f2;"), "ad▮.f32")


@pytest.mark.parametrize(
    "number, value",
    [("0f3F800000", "1.0 of .f32"), ("0d4000000000000000", "2.0 of .f64"), ("0xff", "255, 0xff"), ("0b101", "5, 0x5")],
)
def test_numbers_written_in_bits(number: str, value: str) -> None:
    assert value in said(body(f"mov.b32 %r1, {number};"), f"{number[:3]}▮{number[3:]}")


def test_in_other_languages() -> None:
    asm = 'asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p));'
    assert "reads memory" in said(asm, "ld▮.global", "a.cu")
    assert "an operand of the asm statement" in said(asm, "%▮1", "a.cu")
    assert "generic address" not in said('k.ptx["ld.global.f32"]', "ld▮", "a.py")
    assert "reads memory" in said('k.ptx["ld.global.f32"]', "ld▮", "a.py")
    assert ".reg .b32 %r<...>" in said(".reg .b32 %r<{{ n }}>;\n{{ x }}\nmov.u32 %r1, 0;", "%r▮1", "a.ptx.j2")
    assert said("{{ ld }}", "l▮d", "a.ptx.j2") == ""
