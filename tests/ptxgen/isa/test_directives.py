"""Directives: the rows, the assembler's word on each, and what the verifier says about them."""

from __future__ import annotations

import pytest

from ptxgen.isa.directives import LANGUAGES, directive, directives, head_directives, pragma_string, pragma_strings
from ptxgen.text import parse
from ptxgen.verifier import minimum_version, verify
from tools.certify.directives import certify_directives
from tools.certify.verdicts import Tool


def test_every_directive_is_as_the_assembler_has_it(tool: Tool) -> None:
    result = certify_directives(tool, everywhere=False)
    assert result.unexplained == []
    assert result.questions > 3 * len(directives())


def test_a_wrong_row_is_found(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.certify import directives as certifier

    row = directive(".abi_preserve")
    assert row is not None
    wrong = row._replace(since=row.since._replace(version=(8, 8)))
    monkeypatch.setattr(certifier, "directives", lambda: (wrong,))
    assert any(".abi_preserve" in text for text in certify_directives(tool).unexplained)


def test_names_are_unique_and_rows_are_whole() -> None:
    names = [row.name for row in directives()]
    assert len(names) == len(set(names))
    assert all(row.purpose and row.syntax and row.group and row.places for row in directives())
    assert all(row.section or not row.listed for row in directives())


def test_what_may_stand_in_the_head_of_a_function() -> None:
    assert set(head_directives()) == {
        ".maxnreg", ".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".noreturn", ".pragma", ".abi_preserve",
        ".abi_preserve_control", ".minperctamemory", ".local_maxnreg", ".reqnctapercluster", ".explicitcluster",
        ".maxclusterrank", ".blocksareclusters", ".language",
    }  # fmt: skip


def test_pragma_strings() -> None:
    assert set(pragma_strings()) == {
        "nounroll",
        "used_bytes_mask",
        "enable_smem_spilling",
        "frequency",
        "mma_throughput",
    }
    row = pragma_string("frequency 32")
    assert row is not None
    assert row.since.version == (9, 0)
    assert pragma_string("unroll") is None


def kernel(head: str = "", body: str = "", before: str = "", version: str = "9.4", target: str = "sm_90a") -> str:
    return f".version {version}\n.target {target}\n.address_size 64\n{before}\n.visible .entry k() {head} {{ {body} ret; }}\n"


def function(head: str, results: str = "") -> str:
    return f".version 9.4\n.target sm_90a\n.address_size 64\n.visible .func {results} f() {head} {{ ret; }}\n"


# (code, severity, program)
FINDINGS = [
    # where it exists
    ("PTX412", "error", kernel(".reqnctapercluster 2", target="sm_80")),
    ("PTX411", "error", kernel(".local_maxnreg 32", version="8.7")),
    ("PTX413", "error", kernel(".maxntid 32 .maxnctapersm 2")),
    ("PTX411", "error", kernel(body='.pragma "frequency 2";', version="8.8")),
    ("PTX411", "error", kernel(before=".global .b32 g; .global .u8 b = 0xFF(g);", version="7.0", target="sm_80")),
    ("PTX412", "error", kernel(before=".global .attribute(.unified(1, 2)) .b32 g;", target="sm_80")),
    ("PTX411", "error", kernel(body=".reg .b128 q;", version="8.2")),
    ("PTX411", "error", kernel(before=".section .debug_str { a: .b8 0 }", version="6.5", target="sm_75")),
    # where it stands
    ("PTX106", "error", kernel(".noreturn")),
    ("PTX106", "error", function(".maxntid 32")),
    ("PTX106", "error", function(".abi_preserve 8 .noreturn")),
    ("PTX106", "error", kernel(before=".shared .attribute(.managed) .b32 s;")),
    ("PTX106", "error", kernel(before=".common .shared .b32 s;")),
    ("PTX106", "error", kernel(before='.pragma "frequency 2";')),
    # its arguments
    ("PTX422", "error", kernel(".maxntid 0")),
    ("PTX422", "error", kernel(".maxnreg 0")),
    ("PTX422", "error", function(".abi_preserve 256")),
    ("PTX422", "error", kernel('.language "klingon"')),
    ("PTX422", "error", kernel(".language 11")),
    ("PTX422", "error", kernel(body='.pragma "frequency";')),
    ("PTX422", "error", kernel(before='.pragma "unrol";')),
    ("PTX422", "warning", kernel(body='.pragma "unrol";')),
    ("PTX422", "warning", kernel(".maxntid 2048")),
    ("PTX422", "warning", kernel(".maxnreg 300")),
    ("PTX422", "warning", kernel(".reqnctapercluster 4, 8")),
    ("PTX422", "warning", kernel(".maxclusterrank 0")),
    # its company
    ("PTX422", "error", kernel(".maxntid 32 .reqntid 32")),
    ("PTX422", "error", kernel(".reqnctapercluster 2 .maxclusterrank 2")),
    ("PTX422", "error", kernel(".blocksareclusters")),
    ("PTX422", "error", function(".noreturn", "(.param .b32 r)").replace("{ ret", "{ st.param.b32 [r], 0; ret")),
    ("PTX422", "error", kernel(before=".global .samplerref s;")),
    ("PTX422", "error", kernel(target="sm_90a, texmode_unified, texmode_independent")),
    ("PTX422", "error", kernel(target="sm_90a, debug")),
    ("PTX402", "error", kernel(target="sm_90a, textmode_unified")),
    ("PTX412", "error", kernel(target="sm_90a, map_f64_to_f32")),
]


@pytest.mark.parametrize("code, severity, text", FINDINGS)
def test_what_the_verifier_says(code: str, severity: str, text: str) -> None:
    assert [(f.code, f.severity) for f in verify(parse(text))] == [(code, severity)]


@pytest.mark.parametrize(
    "text, version",
    [
        (kernel(".maxntid 256"), (8, 0)),
        (kernel(".maxntid 256", target="sm_75"), (6, 3)),
        (function(".noreturn").replace("sm_90a", "sm_75"), (6, 4)),
        (kernel(".reqnctapercluster 2", target="sm_90"), (7, 8)),
        (kernel(".reqntid 32 .reqnctapercluster 2 .blocksareclusters"), (9, 0)),
        (kernel(".minperctamemory 64", target="sm_80"), (9, 4)),
        (kernel('.language "ptx"'), (9, 2)),
        (kernel(body='.pragma "used_bytes_mask 0xf";'), (8, 3)),
        (kernel(before='.global .b32 g; .global .u8 b = 0xFF(g);', target="sm_75"), (7, 1)),
        (kernel(body=".reg .b128 q;"), (8, 3)),
        (kernel(before='.file 1 "a"', body=".loc 1 2 3\n.loc_intermediate 1 2 3\n"), (9, 4)),
    ],
)  # fmt: skip
def test_the_lowest_version_that_is_enough(text: str, version: tuple[int, int]) -> None:
    assert minimum_version(parse(text)) == version


@pytest.mark.parametrize(
    "text",
    [
        kernel('.language "ptx", "cuda c++", 7'),
        kernel(before='.file 1 "a"', body=".loc 1 2 3\n.loc_intermediate 1 2 3\n"),
        kernel(".maxnreg 64 .maxntid 16, 16 .minnctapersm 2"),
    ],
)
def test_they_are_printed_as_they_were_read(text: str) -> None:
    module = parse(text)
    assert parse(str(module)) == module
    assert verify(module) == []


def test_languages_are_numbered() -> None:
    assert LANGUAGES["ptx"] == 3
    assert max(LANGUAGES.values()) == 10
