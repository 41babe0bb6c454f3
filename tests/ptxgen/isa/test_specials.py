"""Special registers: the rows, and the assembler's word on each: type, version, target, and that none is written."""

from __future__ import annotations

import re

import pytest

from ptxgen.isa.specials import SPECIALS, special
from ptxgen.isa.types import TYPES
from ptxgen.text import parse
from ptxgen.verifier import minimum_version, verify
from tools.certify.specials import certify_specials
from tools.certify.verdicts import Tool

# One of each family; `tools/certify_isa.py` asks about all.
ONE_A_FAMILY = tuple(n for n in SPECIALS if not re.search(r"\.[yzwrgba]$|%envreg[1-9]|%pm[1235-7]", n) or n == "%tid.r")


def test_every_special_register_is_as_the_assembler_has_it(tool: Tool) -> None:
    result = certify_specials(tool, ONE_A_FAMILY, everywhere=False)
    assert result.unexplained == []
    assert result.questions > 9 * len(ONE_A_FAMILY)


def test_a_wrong_row_is_found(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxgen.dataflow.matching.operands._cache", {})  # what is matched by the wrong row is forgotten
    row = SPECIALS["%clock64"]
    monkeypatch.setattr(row, "type", TYPES["u32"])
    assert any("%clock64" in text for text in certify_specials(tool, ("%clock64",)).unexplained)


def test_the_components_of_a_vector() -> None:
    for name in ("%tid", "%clusterid"):
        assert {f"{name}.{axis}" for axis in "xyzwrgba"} <= set(SPECIALS)
        assert name not in SPECIALS


def test_families_of_numbered_registers() -> None:
    assert special("%envreg31") is not None
    assert special("%envreg32") is None
    assert (SPECIALS["%pm3"].since, SPECIALS["%pm4"].since) == ((1, 3), (3, 0))
    assert SPECIALS["%pm7_64"].type is TYPES["u64"]


@pytest.mark.parametrize(
    "name, type_, wider, answer",
    [
        ("%tid.x", "u32", False, True),
        ("%tid.x", "u16", False, True),  # as code of PTX 1 has it
        ("%laneid", "u16", False, False),
        ("%laneid", "u16", True, True),  # cvt takes a part
        ("%laneid", "f32", False, False),
        ("%gridid", "u32", False, True),
        ("%clock64", "u32", False, False),
        ("%is_explicit_cluster", "pred", False, True),
    ],
)
def test_which_type_reads_it(name: str, type_: str, wider: bool, answer: bool) -> None:
    assert SPECIALS[name].reads_as(TYPES[type_], wider=wider) is answer


def module(body: str, version: str = "9.4", target: str = "sm_90a", head: str = "") -> str:
    registers = ".reg .b16 %h<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .f32 %f<2>;"
    return f".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {head} {{ {registers} {body} ret; }}\n"


@pytest.mark.parametrize(
    "code, body, head",
    [
        (None, "mov.u16 %h1, %tid.x;", ""),
        (None, "cvt.u32.u16 %r1, %tid.x;", ""),
        (None, "mov.u32 %r1, %tid.r;", ""),
        (None, "mov.u64 %rd1, %perctamemoryoffset;", ".minperctamemory 64"),
        ("PTX424", "mov.u64 %rd1, %perctamemoryoffset;", ""),
        ("PTX203", "mov.u16 %h1, %laneid;", ""),
        ("PTX203", "mov.f32 %f1, %laneid;", ""),
        ("PTX204", "cvt.rn.f32.u32 %f1, %laneid;", ""),
        ("PTX203", "mov.u32 %r1, %clock64;", ""),
        ("PTX204", "mov.u32 %tid.x, %r1;", ""),
    ],
)
def test_the_verifier_reads_the_rows(code: str | None, body: str, head: str) -> None:
    assert [f.code for f in verify(parse(module(body, head=head))) if f.is_error] == ([code] if code else [])


def test_the_lowest_version_that_is_enough() -> None:
    assert minimum_version(parse(module("mov.u32 %r1, %aggr_smem_size;", target="sm_90"))) == (8, 1)
