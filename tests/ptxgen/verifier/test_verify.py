"""The verifier, a program a line: its errors are what an assembler refuses, its warnings what an assembler lets pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.errors import AssembleError, VerifyError
from ptxgen.text import parse
from ptxgen.verifier import assert_valid, minimum_version, verify
from tests import ptx

if TYPE_CHECKING:
    from collections.abc import Callable

REGISTERS = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n"
SETUP = "mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b64 %rd1, 0; mov.f32 %f1, 0f00000000; setp.eq.u32 %p1, %r1, 1;\n"


def program(body: str, *, before: str = "", version: str = "8.0", target: str = "sm_90a", head: str = "") -> str:
    return ptx.kernel(
        body,
        ".param .u64 a",
        registers=REGISTERS + SETUP,
        directives=head,
        before=before,
        version=version,
        target=target,
    )


F = ".func (.reg .u32 %o) f(.reg .u32 %i) { add.u32 %o, %i, 1; ret; }\n"

LEGAL = [
    "add.u32 %r1, %r1, %r2;",
    "add.f32 %f1, %f1, 0f3F800000;",
    "mov.u32 %r1, %tid.x;",
    "cvt.u64.u32 %rd1, %tid.x;",
    "ld.u8 %rd2, [%rd1];",
    "ld.global.v2.f32 {%f1, %f2}, [%rd1+8];",
    "ld.param.u64 %rd1, [a];",
    "mov.b64 %rd1, {%r1, %r2};",
    "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p1;",
    "@!%p1 bra END; END:",
    "{ .reg .f32 %r1; mov.f32 %r1, 0f00000000; }",
    "{ bra OUT; } OUT:",
    "selp.b32 %r1, 1, 0, %p1;",
    "shfl.sync.bfly.b32 %r1|%p1, %r1, 1, 31, -1;",
    "bar.sync %r1;",
    "wgmma.fence.sync.aligned;",
    "atom.global.add.u32 _, [%rd1], 1;",
]
BEFORE_LEGAL = [
    (F, "call (%r2), f, (%r1);"),
    (".shared .align 4 .b8 s[64];", "ld.shared.u32 %r1, [s+4];"),
    (".global .f32 g[2] = {0f3F800000, 0f3F800000};", "ld.global.f32 %f1, [g];"),
    (".const .b32 c = 7;", "ld.const.b32 %r1, [c];"),
    (".extern .shared .align 16 .b8 dyn[];", "mov.u32 %r1, dyn;"),
]

# (code, before, body)
ILLEGAL = [
    ("PTX200", "", "frob.u32 %r1, %r2;"),
    ("PTX201", "", "add.rn.u32 %r1, %r1, %r2;"),
    ("PTX202", "", "add.u32 %r1, %r2;"),
    ("PTX203", "", "add.u32 %r1, %r1, %f1;"),
    ("PTX203", "", "ld.u32 %r1, [%f1];"),
    ("PTX204", "", "add.u32 %r1, %tid.x, 1;"),
    ("PTX204", "", "add.f32 %f1, %f1, 1;"),
    ("PTX204", "", "mov.u32 %r1, 0f3F800000;"),
    ("PTX204", "", "ld.global.v2.f32 %f1, [%rd1];"),
    ("PTX205", "", "bar.sync 17;"),
    ("PTX204", "", "mov.u32 %r1, -%r2;"),
    ("PTX204", "", "ld.u32 %r1, [16];"),
    ("PTX206", "", "@%r1 ret;"),
    ("PTX207", "", "ld.global.u32 %r1, [a];"),
    ("PTX207", ".global .b32 g;", "ld.shared.u32 %r1, [g];"),
    ("PTX301", "", "add.u32 %r1, %r1, %r9;"),
    ("PTX301", "", "mov.u32 %r1, %nothing;"),
    ("PTX301", "", "ld.shared.u32 %r1, [nowhere];"),
    ("PTX302", "", ".reg .u32 %r1;"),
    ("PTX302", "", "L: L:"),
    ("PTX302", ".shared .b32 x; .shared .b32 x;", ""),
    ("PTX304", "", "bra NOWHERE;"),
    ("PTX304", "", "bra INSIDE; { INSIDE: }"),
    ("PTX306", F, "call (%r2), f, (%r1, %r1);"),
    ("PTX306", F, "call f, (%r1);"),
    ("PTX306", F, "call (%r2), f, (%f1);"),
    ("PTX307", "", "st.param.u64 [a], %rd1;"),
    ("PTX425", "", ".shared .align 3 .b8 s[16];"),
]


def errors(text: str) -> list[str]:
    return [d.code for d in verify(parse(text)) if d.is_error]


@pytest.mark.parametrize("body", LEGAL)
def test_legal(body: str, assembler: Callable[..., Any]) -> None:
    assert errors(program(body)) == []
    assert assembler(program(body)).cubin


@pytest.mark.parametrize("before, body", BEFORE_LEGAL)
def test_legal_with_declarations(before: str, body: str, assembler: Callable[..., Any]) -> None:
    assert errors(program(body, before=before)) == []
    assert assembler(program(body, before=before)).cubin


@pytest.mark.parametrize("code, before, body", ILLEGAL)
def test_illegal(code: str, before: str, body: str, assembler: Callable[..., Any]) -> None:
    text = program(body, before=before)
    assert errors(text) == [code]
    with pytest.raises(AssembleError):
        assembler(text)


@pytest.mark.parametrize(
    "code, version, target, body",
    [
        ("PTX412", "8.0", "sm_80", "wgmma.fence.sync.aligned;"),
        ("PTX412", "8.0", "sm_90", "wgmma.fence.sync.aligned;"),
        ("PTX411", "7.8", "sm_90", "elect.sync %r1|%p1, -1;"),
        ("PTX413", "8.0", "sm_90a", "shfl.bfly.b32 %r1, %r1, 1, 31;"),  # ended where shfl.sync began
        ("PTX424", "8.0", "sm_80", "mov.u32 %r1, %cluster_ctarank;"),
        ("PTX403", "7.0", "sm_90", ""),
        ("PTX411", "7.8", "sm_89", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f1;"),
        ("PTX421", "8.0", "sm_80", ".shared .b8 s[50000]; mov.u32 %r1, s; st.shared.u32 [%r1], %r2;"),
    ],
)
def test_too_new_for_its_header(code: str, version: str, target: str, body: str, assembler: Callable[..., Any]) -> None:
    text = program(body, version=version, target=target)
    expected = [code, "PTX412"] if code == "PTX411" and target == "sm_89" else [code]
    assert errors(text)[:1] == expected[:1]
    with pytest.raises(AssembleError):
        assembler(text)


@pytest.mark.parametrize(
    "code, head",
    [("PTX422", ".reqntid 0\n"), ("PTX422", ".maxntid 128\n.reqntid 128\n")],
)
def test_launch_bounds(code: str, head: str, assembler: Callable[..., Any]) -> None:
    text = program("", head=head)
    assert errors(text) == [code]
    with pytest.raises(AssembleError):
        assembler(text)


def test_cluster_directives_need_their_target(assembler: Callable[..., Any]) -> None:
    text = program("", head=".reqnctapercluster 2\n", target="sm_80")
    assert errors(text) == ["PTX412"]
    with pytest.raises(AssembleError):
        assembler(text)


def test_parameters_over_the_limit(assembler: Callable[..., Any]) -> None:
    text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .align 8 .b8 big[4400]) { ret; }\n"
    assert errors(text) == ["PTX423"]
    with pytest.raises(AssembleError):
        assembler(text)
    assert errors(text.replace("8.0", "8.1", 1)) == []
    assert assembler(text.replace("8.0", "8.1", 1)).cubin


# What an assembler lets pass


@pytest.mark.parametrize(
    "code, body",
    [
        ("PTX303", "add.u32 %r1, %r3, 1;"),
        ("PTX303", "@%p1 bra SKIP; mov.u32 %r3, 1; SKIP: add.u32 %r1, %r3, 1;"),
        ("PTX303", "@%p1 mov.u32 %r3, 1; @!%p1 add.u32 %r1, %r3, 1;"),
        ("PTX303", "@%p1 bra SKIP; mov.u32 %r3, 1; SKIP: @!%p1 bra END; add.u32 %r1, %r3, 1; END:"),
        ("PTX303", "@%p2 bra SKIP; mov.u32 %r3, 1; SKIP: mov.u32 %r3, 2;"),  # the guard itself
        ("PTX205", "lop3.b32 %r1, %r1, %r2, %r2, 511;"),
    ],
)
def test_warnings(code: str, body: str, assembler: Callable[..., Any]) -> None:
    text = program(body)
    findings = verify(parse(text))
    assert [(d.code, d.severity) for d in findings] == [(code, "warning")]
    assert assembler(text).cubin
    with pytest.raises(VerifyError):
        assert_valid(parse(text), strict=True)
    assert assert_valid(parse(text)) == findings


@pytest.mark.parametrize(
    "body",
    [
        "mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 9; @%p2 bra LOOP;",
        "@%p1 bra A; mov.u32 %r3, 1; bra B; A: mov.u32 %r3, 2; B: add.u32 %r1, %r3, 1;",
        "@%p1 mov.u32 %r3, 1; @%p1 add.u32 %r1, %r3, 1;",
        "@%p1 bra SKIP; mov.u32 %r3, 1; SKIP: @%p1 bra END; add.u32 %r1, %r3, 1; END:",  # the same predicate
        "@%p1 bra SKIP; mov.u32 %r3, 1; SKIP: @!%p1 add.u32 %r1, %r3, 1;",
        "mov.u32 %r3, 0; @%p1 mov.u32 %r3, 1; @!%p1 add.u32 %r1, %r3, 1;",
    ],
)
def test_written_on_every_path(body: str) -> None:
    assert verify(parse(program(body))) == []


# What a finding says


def test_a_finding_names_the_line_the_need_and_the_remedy() -> None:
    (finding,) = verify(parse(program("wgmma.fence.sync.aligned;", target="sm_90"), name="k.ptx"))
    text = str(finding)
    assert text.startswith("error PTX412: wgmma.fence.sync.aligned needs target sm_90a, this module is for sm_90")
    assert "k.ptx:11" in text
    assert "PTX 8.0 and sm_90a" in text
    assert 'target="sm_90a"' in text


def test_the_nearest_form_is_named() -> None:
    (finding,) = verify(parse(program("cvt.f32.s32.approx %f1, %r1;")))
    assert finding.hint is not None
    assert finding.hint.startswith("cvt")


def test_the_nearest_name_is_offered() -> None:
    (finding,) = verify(parse(program("ld.shared.u32 %r1, [tyle];", before=".shared .b32 tile;")))
    assert finding.hint == "tile"


def test_every_error_is_reported() -> None:
    with pytest.raises(VerifyError, match="3 errors") as caught:
        assert_valid(parse(program("add.u32 %r1, %r9, 1; bra NO; mov.u32 %f1, %r1;")))
    assert [d.code for d in caught.value.diagnostics] == ["PTX301", "PTX304", "PTX203"]


def test_an_unknown_target_is_one_finding() -> None:
    assert [d.code for d in verify(parse(program("", target="sm_91")))] == ["PTX402"]


@pytest.mark.parametrize(
    "target, body, version",
    [
        ("sm_75", "", (6, 3)),
        ("sm_80", "redux.sync.add.u32 %r1, %r1, -1;", (7, 0)),
        ("sm_90", "elect.sync %r1|%p1, -1;", (8, 0)),
        ("sm_89", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f1;", (8, 1)),
        ("sm_90", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f1;", (7, 8)),
        ("sm_120", "", (8, 7)),
    ],
)
def test_the_lowest_version_that_is_enough(target: str, body: str, version: tuple[int, int]) -> None:
    assert minimum_version(parse(program(body, target=target, version="9.0"))) == version


def test_files_and_the_text_of_an_intermediate_language() -> None:
    """Numbers of files are given once, and a .code_block names one that stands above it."""
    block = '.code_block { .ir_name: "x" .sourceFileName: 2 .source_begin\ntext\n.source_end\n}'
    section = f".nv_intermediate_source_section {{ {block} }}\n"

    def found(text: str, version: str = "9.4") -> list[tuple[str, str, int]]:
        head = f".version {version}\n.target sm_90\n.address_size 64\n"
        findings = verify(parse(f"{head}{text}.visible .entry k() {{ ret; }}\n"))
        return [(f.code, f.message, f.locations[0].line) for f in findings]

    assert found(f'.file 2 "a"\n{section}') == []
    assert found(f'{section}.file 2 "a"\n') == [("PTX301", ".sourceFileName: 2 names no file", 4)]
    assert found('.file 1 "a"\n.file 1 "a"\n') == [("PTX302", '.file 1 is "a" already', 5)]
    (finding,) = found(f'.file 2 "a"\n{section}', "9.3")
    assert finding[0] == "PTX411"
