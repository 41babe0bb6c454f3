"""Single instructions, drawn from the table: every one verifies, is printed and parsed to itself, and assembles."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

import ptxgen as px
from ptxgen.assembler import AssemblerCrashed, assemble_many
from ptxgen.isa.forms import chapters, forms_of
from ptxgen.strategies import instructions
from ptxgen.text import print_module
from tools.certify.known import explain
from tools.certify.verdicts import find_tool

TARGETS = ("sm_75", "sm_90a", "sm_100a", "sm_107a")
LACKING = {
    "wgmma": ("sm_75", "sm_100a", "sm_107a"),
    "tcgen05": ("sm_75", "sm_90a"),
    "tcgen05_mma": ("sm_75", "sm_90a"),
    "fabric": ("sm_75", "sm_90a"),
    "sparse": ("sm_75", "sm_90a", "sm_100a"),
}


def targets_of(chapter: str) -> list[str]:
    return [target for target in TARGETS if target not in LACKING.get(chapter, ())]


@pytest.mark.parametrize("chapter, target", [(c, t) for c in chapters() for t in targets_of(c)])
def test_drawn_instructions_are_legal_and_survive_their_text(chapter, target):
    @settings(max_examples=25)
    @given(drawn=instructions(target=target, chapter=chapter))
    def check(drawn):
        assert [str(finding) for finding in px.verify(drawn.module) if finding.is_error] == []
        text = drawn.text
        assert px.parse(text) == drawn.module
        assert print_module(px.parse(text)) == text

    check()


def test_drawn_instructions_assemble(assembler):
    drawn = {}
    tool = find_tool()
    assert tool is not None

    @settings(max_examples=250)
    @given(found=instructions(target="sm_90a"))
    def collect(found):
        assume(found.module.version <= tool.versions[-1])  # an older one knows nothing newer
        drawn[found.text] = found.instruction

    collect()
    refused = []
    for text, result in zip(drawn, assemble_many(list(drawn))):
        if hasattr(result, "cubin") or isinstance(result, AssemblerCrashed):
            continue  # a crash is the assembler's own: docs/isa-certification.md
        op = drawn[text].op
        line = next(line[line.index(op) :] for line in text.splitlines() if op in line)
        if explain(line, str(result)) is None:
            refused.append(f"{line}: {result}")
    assert refused == []


def test_one_opcode_or_one_chapter():
    @settings(max_examples=20)
    @given(drawn=instructions(opcode="shfl", target="sm_80"))
    def check(drawn):
        assert drawn.instruction.opcode == "shfl"
        assert drawn.form.form in forms_of("shfl")

    check()
    with pytest.raises(ValueError, match="sm_80 has no instruction in chapter wgmma"):
        instructions(chapter="wgmma", target="sm_80")
