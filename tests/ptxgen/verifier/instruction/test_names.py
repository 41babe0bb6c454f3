"""Names and labels: declared before they are used, and visible where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.errors import AssembleError
from ptxgen.text import parse
from ptxgen.verifier import verify
from tests.ptxgen.verifier.instruction.programs import found, illegal, legal, program

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("branch", ["bra k;", "bra T;", "brx.idx %r1, L;", "brx.idx %r1, U;"])
def test_branches_go_to_labels_and_tables(branch: str, assembler: Callable[..., Any]) -> None:
    table = "U: .branchtargets NOWHERE;" if "U" in branch else ""
    illegal("PTX304", program(f"{table} T: .branchtargets L; {branch} L:"), assembler)


@pytest.mark.parametrize(
    "text",
    [
        program("ld.shared.u32 %r1, [s];") + ".shared .b32 s;\n",
        program("mov.u64 %rd1, g;") + ".global .b32 g;\n",
        program("call g;") + ".func g() { ret; }\n",
        program("ld.shared.u32 %r1, [s]; .shared .b32 s;"),
        program("brx.idx %r1, T; T: .branchtargets E; E:"),
        program("mov.u64 %rd1, g; call %rd1, P; P: .callprototype _ ();", ".func g() { ret; }"),
        program("", ".global .u64 p = q;\n.global .u32 q;"),
        program("", ".global .u64 p[2] = {0, g};\n.func g() { ret; }"),
    ],
)
def test_names_are_declared_before_they_are_used(text: str, assembler: Callable[..., Any]) -> None:
    assert found(text)[0] in ("error PTX301", "error PTX304", "error PTX306")
    with pytest.raises(AssembleError):
        assembler(text)


@pytest.mark.parametrize(
    "text",
    [
        program("call g;", ".func g();") + ".func g() { ret; }\n",
        program("{ mov.u32 %r1, 1; .reg .f32 %r1; mov.f32 %r1, 0f00000000; }"),  # hidden only from there
        program("", ".global .u32 q;\n.global .u64 p = q;"),
        program("bra END; END:"),
    ],
)
def test_declared_in_time(text: str, assembler: Callable[..., Any]) -> None:
    legal(text, assembler)


@pytest.mark.parametrize("name", ["%q2", "%q20", "%q21", "%q2_1"])
def test_a_range_whose_name_ends_in_a_digit_names_nothing(name: str, assembler: Callable[..., Any]) -> None:
    text = program(f".reg .b32 %q2<4>; mov.b32 {name}, 0;")
    illegal("PTX301", text, assembler)
    (finding,) = verify(parse(text))
    assert name == "%q2_1" or finding.hint == ".reg .b32 %q2_<4>;"
    legal(text.replace("%q2<", "%q2_<").replace(f"{name},", "%q2_1,"), assembler)


def test_what_is_declared_too_late_is_said_to_be() -> None:
    (finding,) = verify(parse(program("mov.u64 %rd1, g;") + ".global .b32 g;\n"))
    assert finding.message == "g is declared behind its use"


def test_the_order_of_modifiers_is_style() -> None:
    """Compilers print modifiers that assemblers take in any order; whoever writes PTX may ask about it."""
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
        "ld.param.u64 %rd1, [p];\natom.global.gpu.acq_rel.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
    )
    assert [finding.code for finding in verify(parse(text))] == []
    assert "PTX208" in {finding.code for finding in verify(parse(text), style=True)}
