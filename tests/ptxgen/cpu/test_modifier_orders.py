"""Modifiers in an order that assemblers take and the manual does not write: the same code as in the manual's order."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ptxgen.cpu.program import compile_relocatable
from ptxgen.dataflow.matching.operands import manual_name, match
from ptxgen.errors import UnsupportedError
from ptxgen.strategies.instruction import instructions
from ptxgen.text import parse
from ptxgen.verifier import verify
from tests.ptxgen.cpu.machine import HEADER, entry, run


@pytest.mark.parametrize(
    "body, expected",
    [
        ("mov.f32 %f0, 0f3F800000; atom.global.gpu.acq_rel.add.f32 %f1, [%out], %f0;", [0x42000000] + 31 * [0]),
        ("mov.u32 %r1, %t; atom.max.acquire.gpu.s32 %r2, [%out], %r1;", [31] + 31 * [0]),
        ("setp.lt.u32 %p1, %t, 3; vote.ballot.sync.b32 %r1, %p1, -1; st.global.u32 [%o], %r1;", 32 * [7]),
        ("setp.u32.lt %p1, %t, 2; selp.b32 %r1, 1, 0, %p1; st.u32.global [%o], %r1;", [1, 1] + 30 * [0]),
        ("sub.u32.cc %r1, 3, 5; subc.u32 %r2, 0, 0; st.global.u32 [%o], %r2;", 32 * [0xFFFFFFFF]),
    ],
)
def test_orders_that_compilers_and_authors_write(body: str, expected: list[int]) -> None:
    assert run(body).u32 == expected


def _code(text: str) -> list[str] | None:
    try:
        return [kernel.code.text for kernel in compile_relocatable(parse(text)).kernels]
    except UnsupportedError:
        return None


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_an_order_changes_neither_code_nor_findings(data: st.DataObject) -> None:
    drawn = data.draw(instructions(target="sm_90a"))
    opcode, *words = drawn.instruction.op.split(".")
    name = ".".join([opcode, *data.draw(st.permutations(words))])
    found = match(name, drawn.instruction.operands)
    assume(name != drawn.instruction.op and found.resolved is not None and found.mismatch is None)
    manual = manual_name(name, drawn.instruction.operands)
    assume(manual != name)
    texts = [drawn.text.replace(drawn.instruction.op, spelt, 1) for spelt in (name, manual)]
    disordered, ordered = ([finding.code for finding in verify(text)] for text in texts)
    assert sorted(disordered) == sorted([*ordered, "PTX208"])
    assert _code(texts[0]) == _code(texts[1])


@pytest.mark.parametrize("op", ["cp.async.ca.shared.global", "cp.async.shared.global.ca"])
def test_a_copy_is_known_in_any_order(op: str) -> None:
    """A copy that nobody waits for, and that is not aligned."""
    text = HEADER + entry("k", f".shared .align 16 .b32 s[4]; {op} [s+4], [%in], 16; cp.async.commit_group;")
    assert {"PTX512", "PTX527"} <= {finding.code for finding in verify(text)}
