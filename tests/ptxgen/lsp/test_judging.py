"""Findings and hints with their places, in each language."""

from __future__ import annotations

import pytest

from ptxgen.lsp.background.judge import BackgroundJudge
from ptxgen.lsp.background.judging import Job, Judge
from ptxgen.lsp.document import Document
from ptxgen.text import parse
from tests.ptxgen.lsp.kit import HEAD, SAXPY, body, judged


def found(text: str, name: str = "test.ptx", **options: object) -> list[tuple[str, str]]:
    """(code, the text that is marked) of each finding."""
    return [(each.code, text[each.span.start : each.span.end]) for each in judged(text, name, **options).findings]


def test_a_legal_program_has_no_findings() -> None:
    assert found(SAXPY) == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "line, code, marked",
    [
        ("add.f32 %f1, %f2, %f3", "PTX102", "3"),
        ("add.f32 %f1, , %f3;", "PTX103", ","),
        ("add.f33 %f1, %f2, %f3;", "PTX201", "add.f33 %f1, %f2, %f3"),
        ("ad.f32 %f1, %f2, %f3;", "PTX200", "ad.f32 %f1, %f2, %f3"),
        ("add.f32 %f1, %rd2, %f3;", "PTX203", "add.f32 %f1, %rd2, %f3"),
        ("bra nowhere;", "PTX304", "bra nowhere"),
        ("mov.u32 %r99, 0;", "PTX301", "mov.u32 %r99, 0"),
        (".reg .f31 %q;", "PTX107", ".f31"),
    ],
)
def test_what_is_marked(line: str, code: str, marked: str, end: str) -> None:
    assert (code, marked) in found(body(line).replace("\n", end))


def test_the_first_character_of_a_broken_text_and_the_last() -> None:
    assert {code for code, _ in found("")} == {"PTX105"}
    assert found("x")[0][0] == "PTX105"
    assert [code for code, _ in found(SAXPY[: SAXPY.index("done:")])] == ["PTX104"]


def test_templates_are_judged_where_they_are_written() -> None:
    text = "{# ptxgen: parameter n: int(1..4) = 2 #}\n" + body(
        "{% for i in range(n) %}", "ad.u32 %r{{ i }}, %r1, 1;", "{% endfor %}"
    )
    report = judged(text, "t.ptx.j2")
    assert [(each.code, text[each.span.start : each.span.end]) for each in report.findings] == [
        ("PTX200", "ad.u32 %r{{ i }}, %r1, 1;")
    ]
    assert report.findings[0].message.endswith("(2 times)")
    assert [place[2] for place in report.findings[0].places] == ["ad.u32 %r0, %r1, 1;"]


def test_parameters_of_templates() -> None:
    text = "{# ptxgen: parameter op: choice(add, sub) #}\n" + body("{{ op }}.u32 %r1, %r2, 1;")
    assert found(text, "t.ptx.j2")[0][0] == "PTX153"
    assert [code for code, _ in found(text, "t.ptx.j2", parameters={"op": "add"})] == ["PTX303"]


@pytest.mark.parametrize(
    "template, code",
    [
        ("{% if %}", "PTX151"),
        ("{{ x }}", "PTX153"),
        ("{{", "PTX151"),
        ("{% for i in range(10**9) %}{% endfor %}", "PTX15"),
    ],
)
def test_templates_that_do_not_render(template: str, code: str) -> None:
    assert found(template, "t.ptx.j2")[0][0].startswith(code[:5])


def test_python() -> None:
    text = f'import ptxgen as px\npx.parse("""\n{body("ad.u32 %r1, %r1, 1;")}""")\nk.ptx["ld.globl.f32"](a, b)\n'
    assert found(text, "a.py") == [("PTX200", "ad.u32 %r1, %r1, 1"), ("PTX201", "ld.globl.f32")]


@pytest.mark.parametrize(
    "asm, code",
    [
        ('asm volatile("ad.u32 %0, %1, 1;" : "=r"(x) : "r"(y));', "PTX200"),
        ('asm volatile("add.f32 %0, %1, %1;" : "=f"(x) : "l"(y));', "PTX203"),
        ('asm volatile("add.u32 %0, %9, 1;" : "=r"(x) : "r"(y));', "PTX301"),
        ('asm volatile("add.u32 %0, %1, 1" : "=r"(x) : "r"(y));', "PTX102"),
    ],
)
def test_asm_statements(asm: str, code: str) -> None:
    assert [each[0] for each in found(f"void f() {{ {asm} }}", "a.cu")] == [code]


@pytest.mark.parametrize(
    "asm",
    [
        'asm volatile("wgmma.wait_group.sync.aligned %0;\\n" ::"n"(N) : "memory");',
        'asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" :: "r"(a), "l"(b), "n"(sizeof(T)));',
        'asm("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p mov.b32 %0, 1; }" : "=r"(x) : "r"(y));',
        'asm("mov.u32 %0, %%clusterid.x;\\n" : "=r"(x) : );',
        'asm volatile("tcgen05.wait::ld.sync.aligned;");',
        'asm volatile("bar.sync %0, %1;" :: "r"(a), "r"(b));',
        'asm("");',
    ],
)
def test_legal_asm_statements_have_no_findings(asm: str) -> None:
    assert found(f"void f() {{ {asm} }}", "a.cu") == []


def hints(text: str, kind: str) -> list[tuple[str, str]]:
    lines = Document("a.ptx", text, "ptx").lines
    return [
        (text[slice(*lines.span(lines.line(hint.offset)))].strip(), hint.text)
        for hint in judged(text).hints if hint.kind == kind
    ]  # fmt: skip


def test_hints_of_what_raises_the_minimum() -> None:
    text = body(
        ".shared .b64 bar;", "add.u32 %r1, %r1, 1;", "mbarrier.init.shared.b64 [bar], 1;", "wgmma.fence.sync.aligned;"
    )
    assert hints(text, "needs") == [
        ("mbarrier.init.shared.b64 [bar], 1;", "PTX 7.0, sm_80"), ("wgmma.fence.sync.aligned;", "PTX 8.0, sm_90a"),
    ]  # fmt: skip


def test_hints_of_live_registers() -> None:
    assert hints(SAXPY, "live") == [("mad.wide.u32 %rd4, %r2, 4, %rd3;", "5 registers live, the most")]


def test_hints_of_bank_conflicts() -> None:
    text = body(
        ".shared .align 4 .b8 tile[8192];", "mov.u32 %r1, %tid.x;", "shl.b32 %r2, %r1, 7;", "mov.u32 %r3, tile;",
        "add.u32 %r4, %r3, %r2;", "ld.shared.f32 %f1, [%r4];",
    ).replace("k(.param .u64 out)", "k(.param .u64 out) .reqntid 64")  # fmt: skip
    assert hints(text, "banks") == [("ld.shared.f32 %f1, [%r4];", "32 wavefronts, not 1")]


def test_only_what_changed_is_read_again() -> None:
    judge = Judge()
    first = Job("a.ptx", SAXPY, "ptx", 1)
    assert judge.syntax(first).parsed
    broken = first._replace(text=SAXPY.replace("ret;", "ret"), version=2)
    assert [each.code for each in judge.syntax(broken).findings] == ["PTX102"]
    assert judge.formatted(broken) is None
    assert judge.all(first).findings == ()
    assert parse(judge.formatted(first)) == parse(SAXPY)


def test_advice_comes_where_it_is_wanted() -> None:
    text = body("mov.u32 %r1, 0;")
    assert found(text) == []
    assert ("PTX601", "mov.u32 %r1, 0") in found(text, style=True)


def test_the_worker_answers_is_broken_off_and_survives_its_death() -> None:
    judge = BackgroundJudge()
    job = Job("a.ptx", SAXPY, "ptx", 3)
    try:
        assert judge.ask("all", job).version == 3
        judge.cancel()  # of nothing
        long = Job("b.ptx", HEAD + "".join(f".global .b32 v{n};\n" for n in range(60_000)), "ptx", 1)
        import threading

        timer = threading.Timer(0.2, judge.cancel)
        timer.start()
        assert judge.ask("all", long) is None
        timer.join()
        assert judge.ask("syntax", job).parsed
        judge._worker.process.kill()
        judge._worker.process.wait()
        assert judge.ask("all", job).version == 3
    finally:
        judge.close()
