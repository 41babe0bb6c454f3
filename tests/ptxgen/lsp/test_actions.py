"""Edits that mend findings: each case is a text before and after."""

from __future__ import annotations

import pytest

from ptxgen.lsp.answers.actions import actions
from ptxgen.lsp.document import Document
from ptxgen.lsp.languages import language_of
from ptxgen.lsp.model.positions import Span
from tests.ptxgen.lsp.kit import HEAD, applied, body, judged


def mended(text: str, title: str, name: str = "test.ptx") -> str:
    """The text after the action with that title."""
    document = Document(name, text, language_of(name))
    found = actions(document, judged(text, name, style=True).findings, Span(0, len(text)))
    chosen = next((each for each in found if each.title == title), None)
    assert chosen is not None, [each.title for each in found]
    return applied(text, list(chosen.edits))


@pytest.mark.parametrize(
    "before, title, after",
    [
        ("add.f32 %f1, %f2, %f3", "Write ';'", "add.f32 %f1, %f2, %f3;"),
        (".rg .b32 x;", "Change to .reg", ".reg .b32 x;"),
        (".reg .f31 x;", "Change to .f32", ".reg .f32 x;"),
        ("ld.globl.f32 %f1, [%rd1];", "Change to ld.global.f32", "ld.global.f32 %f1, [%rd1];"),
        ("ad.f32 %f1, %f2, %f3;", "Change to add.f32", "add.f32 %f1, %f2, %f3;"),
        ("add.ftz.rn.f32 %f1, %f2, %f3;", "Change to add.rn.ftz.f32", "add.rn.ftz.f32 %f1, %f2, %f3;"),
        ("bra edn; end:", "Change to end", "bra end; end:"),
        ("mov.u32 %r1, %laneidd;", "Change to %laneid", "mov.u32 %r1, %laneid;"),
        ("add.u32 cout, %r1, %r2;", "Declare .reg .u32 cout", "add.u32 cout, %r1, %r2;"),
        ("@flag bra end; end:", "Declare .reg .pred flag", "@flag bra end; end:"),
        ("mov.u32 %r1, 0;\nret;\n", "Delete it", "ret;\n"),
    ],
)
def test_what_instead_says_is_done(before: str, title: str, after: str) -> None:
    assert after in mended(body(before), title)


def test_a_family_grows() -> None:
    assert ".reg .b32 %r<21>;" in mended(body("mov.u32 %r20, 0;"), "Declare %r<21>")


def test_a_declared_register_stands_in_the_body() -> None:
    assert (
        mended(body("add.u32 cout, %r1, %r2;"), "Declare .reg .u32 cout").count(
            "{\n\t.reg .u32 cout;\n.reg .pred %p<4>;"
        )
        == 1
    )


@pytest.mark.parametrize(
    "head, line, title, after",
    [
        (".version 8.0\n.target sm_90a", "wgmma.fence.sync.aligned;", "", ""),
        (".version 7.8\n.target sm_80", "wgmma.fence.sync.aligned;", "Raise to .version 8.0 and .target sm_90a",
         ".version 8.0\n.target sm_90a"),
        (".version 8.0\n.target sm_90", "wgmma.fence.sync.aligned;", "Raise to .target sm_90a", ".version 8.0\n.target sm_90a"),
        (".version 7.0\n.target sm_90a", "ret;", "Raise to .version 8.0", ".version 8.0\n.target sm_90a"),
        (".version 8.0\n.target sm_90", "ld.global.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1];",
         "Raise to .version 8.8 and .target sm_100", ".version 8.8\n.target sm_100"),
        (".version 7.0\n.target sm_80", "mov.u32 %r1, %clusterid.x;", "Raise to .version 7.8 and .target sm_90",
         ".version 7.8\n.target sm_90"),
    ],
)  # fmt: skip
def test_version_and_target_rise(head: str, line: str, title: str, after: str) -> None:
    text = body(line).replace(".version 8.0\n.target sm_90a", head)
    if title:
        assert mended(text, title).startswith(after)
    else:
        assert not [each for each in judged(text).findings if each.severity == "error"]


def test_a_missing_wait_is_put_before_the_read() -> None:
    op = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16"
    text = body(
        "wgmma.fence.sync.aligned;", f"{op} {{%f0, %f1, %f2, %f3}}, %rd1, %rd2, 0, 1, 1, 0, 0;",
        "wgmma.commit_group.sync.aligned;", "st.global.f32 [%rd3], %f0;",
    )  # fmt: skip
    new = mended(text, "Insert wgmma.wait_group.sync.aligned 0; before it")
    assert "wgmma.wait_group.sync.aligned 0;\nst.global.f32" in new


def test_in_other_languages() -> None:
    assert mended('k.ptx["ld.globl.f32"]', "Change to ld.global.f32", "a.py") == 'k.ptx["ld.global.f32"]'
    asm = 'asm("ad.u32 %0, %1, 1;" : "=r"(x) : "r"(y));'
    assert mended(asm, "Change to add.u32", "a.cu") == asm.replace("ad.u32", "add.u32")


def test_only_findings_in_the_span_are_offered_for() -> None:
    text = body("ad.u32 %r1, %r2, 1;", "ad.u32 %r2, %r2, 1;")
    document = Document("a.ptx", text, "ptx")
    second = text.index("ad.u32 %r2")
    assert len(actions(document, judged(text).findings, Span(second, second))) == 1
    assert HEAD in text
