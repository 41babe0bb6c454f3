"""Modifiers in an order that assemblers take and the manual does not write: the same code as in the manual's order."""

from __future__ import annotations

from random import Random

import pytest

from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.program import compile_relocatable
from ptxgen.isa.examples import covering_names, examples
from ptxgen.isa.forms import all_forms, resolve_loosely
from ptxgen.isa.targets import VERSIONS
from ptxgen.text import parse
from ptxgen.verifier import verify
from tests.ptxgen.cpu.machine import HEADER, entry, run
from tools.certify.ours import our_verdicts
from tools.certify.positives import resolved_as
from tools.certify.verdicts import MODULE_TAIL, Place, module_head


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


def test_an_order_changes_neither_code_nor_findings() -> None:
    random, place = Random(7), Place(VERSIONS[-1], "sm_90a")
    disordered, ordered = [], []
    for form in random.sample(all_forms(), 500):
        name = covering_names(form)[-1]
        resolved = resolved_as(name, form)
        if resolved is None or "control" in form.effects or find(name) is None:
            continue
        operands = examples(name, resolved)[0].partition(" ")[2]
        opcode, *words = name.split(".")
        shuffled = ".".join([opcode, *random.sample(words, len(words))])
        candidates = resolve_loosely(shuffled)
        if shuffled != name and len(candidates) == 1 and candidates[0].name == name:
            disordered.append(f"{shuffled} {operands}")
            ordered.append(f"{name} {operands}")
    allowed = [at for at, said in enumerate(our_verdicts(ordered, place)) if said is None]
    assert len(allowed) > 40
    texts = [
        "\n".join([*module_head(place), *(lines[at] for at in allowed), *MODULE_TAIL])
        for lines in (disordered, ordered)
    ]
    found = [sorted(finding.code for finding in verify(text) if finding.code != "PTX208") for text in texts]
    assert found[0] == found[1]
    one, other = (compile_relocatable(parse(text)).kernels[0].code.text for text in texts)
    assert one == other


@pytest.mark.parametrize("op", ["cp.async.ca.shared.global", "cp.async.shared.global.ca"])
def test_a_copy_is_known_in_any_order(op: str) -> None:
    """A copy that nobody waits for, and that is not aligned."""
    text = HEADER + entry("k", f".shared .align 16 .b32 s[4]; {op} [s+4], [%in], 16; cp.async.commit_group;")
    assert {"PTX512", "PTX527"} <= {finding.code for finding in verify(text)}
