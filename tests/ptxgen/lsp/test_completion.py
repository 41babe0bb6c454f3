"""What an editor proposes."""

from __future__ import annotations

import pytest

from ptxgen.lsp.answers.completion import completion
from ptxgen.lsp.answers.signature import signatures
from tests.ptxgen.lsp.kit import HEAD, SAXPY, at, body, opened


def proposed(line: str, *, target: str = "sm_90a") -> list[str]:
    """What is proposed at the cursor in a line of a kernel."""
    before = ("mov.u32 %r0, 0;", "mov.u64 %rd0, 0;", "mov.f32 %f0, 0f00000000;", "setp.eq.u32 %p0, %r0, 0;")
    return [item.label for item in completion(*opened(body(*before, line).replace("sm_90a", target)))]


@pytest.mark.parametrize(
    "line, first",
    [
        ("mbarrier.▮", ["init", "inval", "expect_tx"]),
        ("wgmma.▮", ["fence", "commit_group", "wait_group", "mma_async"]),
        ("wgmma.mma_async.▮", ["sync", "sp"]),
        ("wgmma.fence.sync.al▮", ["aligned"]),
        ("cp.async.bulk.tensor.2d.▮", ["shared::cta", "shared::cluster", "global"]),
        ("setp.▮", ["eq", "ne"]),
        ("@▮", ["%p0", "%p1"]),
        ("@!▮", ["%p0"]),
        (".reg .p▮", [".pred"]),
        ("bra ▮", []),
        ("wgmma.wait_group.sync.aligned ▮", ["0", "1", "2"]),
    ],
)
def test_the_next_words(line: str, first: list[str]) -> None:
    assert proposed(line)[: len(first)] == first


@pytest.mark.parametrize(
    "line, target, there, absent",
    [
        ("wgmma.▮", "sm_80", [], ["fence"]),
        ("▮", "sm_80", ["mma", "add"], ["wgmma", "tcgen05"]),
        ("▮", "sm_100a", ["tcgen05"], ["wgmma"]),
        ("ld.shared▮", "sm_80", ["shared"], []),
        ("cp.async.▮", "sm_80", ["ca", "cg", "commit_group"], ["bulk"]),
        ("cvt.rn.▮", "sm_75", ["f16"], ["bf16x2", "tf32"]),
        ("mov.u32 %r1, %clu▮", "sm_80", ["%laneid"], ["%cluster_ctarank"]),
    ],
)
def test_only_what_the_target_has(line: str, target: str, there: list[str], absent: list[str]) -> None:
    found = proposed(line, target=target)
    assert set(there) <= set(found)
    assert not set(absent) & set(found)


@pytest.mark.parametrize(
    "line, there, absent",
    [
        ("add.f32 ▮", ["%f0", "%r0"], ["%rd0", "%p0"]),
        ("add.s32 %r1, ▮", ["%r1", "%r0"], ["%f0"]),
        ("add.f64 %f1, %rd▮", ["%rd0"], ["%r0", "%f0"]),
        ("ld.global.f32 %f1, [▮", ["%rd0"], ["%f1", "%r0", "out"]),
        ("ld.param.u64 %rd1, [▮", ["out"], ["%f1"]),
        ("ld.shared.v2.f32 {%f1, ▮", ["%f0"], ["%p0"]),
        ("mov.u32 %r1, ▮", ["%tid.x", "%laneid", "%r0"], ["%clock64", "%f0", "_"]),
        ("mov.u64 %rd1, ▮", ["%clock64", "%rd0"], ["%r0"]),
        ("setp.lt.f32 %p1, ▮", ["%f0"], ["%p0", "%rd0"]),
        ("selp.f32 %f1, %f2, %f3, ▮", ["%p0"], ["%f0"]),
        ("call ▮", [], ["%f0"]),
    ],
)  # fmt: skip
def test_operands_that_fit(line: str, there: list[str], absent: list[str]) -> None:
    found = proposed(line)
    assert set(there) <= set(found), found
    assert not set(absent) & set(found), found


def test_near_registers_come_first_then_the_next_free_one() -> None:
    found = [item.label for item in completion(*opened(body("mov.u32 %r5, 0;", "mov.u32 %r3, 0;", "add.u32 %r▮")))]
    assert found[:3] == ["%r3", "%r5", "%r6"]


def test_labels_and_functions() -> None:
    text = f"{HEAD}.func f();\n.entry k()\n{{\nL1: bra ▮;\nL2: ret;\n}}\n"
    assert [item.label for item in completion(*opened(text))] == ["L1", "L2"]
    assert [item.label for item in completion(*opened(text.replace("bra", "call")))] == ["f"]


@pytest.mark.parametrize(
    "text, there",
    [
        (".▮", [".version", ".target", ".visible", ".entry"]),
        (".version ▮", ["9.0", "8.0"]),
        (".target sm▮", ["sm_90a", "sm_100f"]),
        (".target sm_90, ▮", ["debug"]),
        (HEAD + ".visible ▮", [".entry", ".func"]),
        (HEAD + ".visible .▮", [".entry", ".func"]),
        (HEAD + ".visible .entry k(▮", [".param"]),
        (HEAD + ".visible .entry k(.param .▮", [".u64"]),
        (HEAD + ".visible .entry k(.param .u64 .▮", [".ptr"]),
        (HEAD + ".visible .entry k() .▮", [".maxntid", ".reqntid"]),
        (HEAD + ".shared .▮", [".align", ".b8"]),
    ],
)
def test_directives(text: str, there: list[str]) -> None:
    found = [item.label for item in completion(*opened(text))]
    assert set(there) <= set(found), found


def test_a_line_without_its_semicolon_does_not_swallow_the_next() -> None:
    text = body("add.u32 %r1, %r2, %r3", "ld.▮", "add.u32 %r1, %r2, %r3;")
    assert "global" in [item.label for item in completion(*opened(text))]
    assert "%f1" in [item.label for item in completion(*opened(body("add.f32 %f1,", "▮")))]


def test_the_word_before_the_cursor_is_replaced() -> None:
    document, position = opened(body("ld.global.nc.▮"))
    assert {document.text[i.span.start : i.span.end] for i in completion(document, position)} == {""}
    document, position = opened(body("ld.glo▮"))
    assert {document.text[i.span.start : i.span.end] for i in completion(document, position)} == {"glo"}


@pytest.mark.parametrize("here", ["// y = ▮a", "a x + y▮"])
def test_nothing_in_comments(here: str) -> None:
    assert completion(*at(SAXPY, here)) == []


@pytest.mark.parametrize(
    "name, text, label",
    [
        ("a.py", 'k.ptx["ld.▮"]', "global"),
        ("a.cu", 'asm("cvt.rn.▮" : "=r"(x));', "bf16x2"),
        ("a.cu", 'asm("add.f32 ▮;" : "=f"(x) : "f"(y), "r"(z));', "%1"),
        ("a.ptx.j2", ".target sm_80\n.entry k() { add.▮ }", "f32"),
    ],
)
def test_in_other_languages(name: str, text: str, label: str) -> None:
    assert label in [item.label for item in completion(*opened(text, name))]


@pytest.mark.parametrize(
    "line, label, operand",
    [
        ("fma.rn.f32 ▮", "fma.rn.f32 d, a, b, c", 0),
        ("fma.rn.f32 %f1, %f2,▮", "fma.rn.f32 d, a, b, c", 2),
        ("ld.global.v4.f32 {%f1, %f2,▮", "ld.global.v4.f32 {d...}, [a]", 0),
        ("st.global.f32 [%rd1], ▮", "st.global.f32 [a], b", 1),
    ],
)
def test_signatures(line: str, label: str, operand: int) -> None:
    found = signatures(*opened(body(line)))
    assert found is not None
    assert (found.found[found.active].label, found.operand) == (label, operand)
    start, end, words = found.found[found.active].operands[operand]
    assert label[start:end] in ("a", "b", "c", "d", "{d...}", "[a]")
    assert words.startswith(("in", "out"))


def test_no_signature_outside_of_an_instruction() -> None:
    assert signatures(*opened(body("ld.▮"))) is None
    assert signatures(*opened(body(".reg .b32 ▮"))) is None
