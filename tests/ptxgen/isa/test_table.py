"""The table against an assembler: every form accepted at its stated minimum, refused one PTX version and one target below it.

All forms and all their modifiers, one at a time: each on the first target that has it, and a sample on every other target that
the assembler knows. `tools/certify_isa.py` asks all of them on all targets, and about every combination of modifiers and
illegal instructions too.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from ptxgen.dataflow.matching.operands import match
from ptxgen.isa.examples import covering_names, every_name, examples
from ptxgen.isa.forms import all_forms, forms_of, opcodes, resolve
from ptxgen.isa.notation import parse_chapter
from ptxgen.text import parse
from tools.certify.known import explain
from tools.certify.positives import Question, questions, resolved_as
from tools.certify.verdicts import MODULE_TAIL, Place, Tool, module_head

if TYPE_CHECKING:
    from ptxgen.ir import Instruction
    from ptxgen.isa.notation import Form


def differences(tool: Tool, asked: list[Question]) -> list[str]:
    jobs: dict[Place, list[Question]] = defaultdict(list)
    for question in asked:
        jobs[question.place].append(question)
    answers = tool.many({place: [q.text for q in each] for place, each in jobs.items()})
    return [
        f"{q.text} on {q.place}: {answer or 'accepted'}"
        for place, each in jobs.items()
        for q, answer in zip(each, answers[place])
        if (answer is None) is not q.legal and explain(q.text, answer) is None
    ]


def test_every_form_at_its_minimum_and_below(tool: Tool) -> None:
    asked = list(questions(tool, keep=0, elsewhere=0.1))
    assert {q.form for q in asked} == set(all_forms())
    assert {q.place.target for q in asked} == {target.name for target in tool.targets}
    assert differences(tool, asked) == []


def test_a_planted_wrong_row_is_caught(tool: Tool) -> None:
    place = Place((7, 0), "sm_80")
    (form,) = parse_chapter("popc.type   d:u64, a   ; type = b32")
    wrong_type = Question("popc.b32 %u64_1, %r2;", place, True, form)
    too_early = Question("mbarrier.inval.b64 [%rd1];", Place((6, 5), "sm_80"), True, form)
    too_late = Question("fence.sc.gpu;", place, False, form)
    right = Question("popc.b32 %u32_1, %r2;", place, True, form)
    assert len(differences(tool, [wrong_type, too_late, right])) == 2
    with pytest.raises(RuntimeError, match=r"line 2 is refused: .*sm_80"):
        differences(tool, [too_early])  # sm_80 came with 7.0: the batch itself is wrong


def instructions(texts: list[str]) -> list[Instruction]:
    module = parse("\n".join([*module_head(Place((9, 0), "sm_100a")), *texts, *MODULE_TAIL]))
    return list(module.functions[-1].instructions())[: len(texts)]


@pytest.mark.parametrize("opcode", opcodes())
def test_examples_are_read_back_as_their_own_form(opcode: str) -> None:
    for form in forms_of(opcode):
        for name in covering_names(form):
            resolved = resolved_as(name, form)
            assert resolved is not None
            texts = examples(name, resolved)
            for text, instruction in zip(texts, instructions(texts)):
                found = match(instruction.op, instruction.operands)
                assert found.mismatch is None, (text, found.mismatch)
                assert found.resolved is not None


@pytest.mark.parametrize(
    "op",
    [
        "add.rn.u32",
        "add.sat.u16",
        "mul.u32",
        "ld.v3.f32",
        "ld.shared.v4.f64",
        "ld.shared.L2::128B.b32",
        "setp.lt.b32",
        "shfl.bfly.b64",
        "atom.global.add.s64",
        "bar.sync.aligned",
        "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
        "frobnicate.f32",
    ],
)
def test_illegal_names_resolve_to_nothing(op: str) -> None:
    assert resolve(op) == ()


def test_sets_carry_where_a_modifier_exists() -> None:
    (cluster,) = resolve("fence.acq_rel.cluster")
    assert [str(a) for group in cluster.since for a in group] == [
        "PTX 6.0 and sm_70 or newer",
        "PTX 7.8 and sm_90 or newer",
    ]


def test_alternatives_of_availability() -> None:
    (fp8,) = resolve("cvt.rn.satfinite.e4m3x2.f32")
    assert [(a.version, a.sm) for a in fp8.since[0]] == [((7, 8), 90), ((8, 1), 89)]


def test_a_form_may_have_ended() -> None:
    (shuffle,) = resolve("shfl.bfly.b32")
    assert shuffle.form.until is not None
    assert (shuffle.form.until.version, shuffle.form.until.sm) == ((6, 3), 70)


def test_operands_follow_modifiers() -> None:
    names = [[entry.spec.name for entry in form.operands] for form in resolve("ld.global.L2::cache_hint.u32")]
    assert names == [["d", "a", "policy"]]
    (copy,) = resolve("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes")
    target, tensor, barrier, offsets = copy.operands
    assert (target.space, tensor.space, barrier.space) == ("shared::cluster", "", "shared")
    assert len(tensor.parts) == 4
    assert offsets.lanes == 2


def test_rules_exclude_modifiers_together() -> None:
    (form,) = parse_chapter(
        ".near = shared local\nld{.space}{.hint} d, [a] ; space = global shared ; never hint with near"
    )
    assert list(every_name(form)) == ["ld", "ld.hint", "ld.global", "ld.global.hint", "ld.shared"]


@pytest.mark.parametrize(
    "row",
    [
        "add.type d, a, b ; color = ; since nine",
        "add.type d, a& ; type = u32",
        "add.type d, a ; type = u32 ; lets d fly",
        "add.type d, a ; sometimes",
        "add.type d, [a+b]",
        "ADD d",
    ],
)
def test_a_line_that_is_not_in_the_notation_is_named(row: str) -> None:
    with pytest.raises(ValueError, match=r"bad|unpack|invalid"):
        parse_chapter(row)


def test_opcodes_know_their_forms() -> None:
    assert {form.opcode for form in forms_of("add")} == {"add"}
    assert forms_of("nothing") == ()


def test_no_row_is_written_twice() -> None:
    seen: dict[tuple[object, ...], Form] = {}
    for form in all_forms():
        key = (form.syntax, form.operands, str([s.choices for s in form.segments]), form.since)
        assert key not in seen, form
        seen[key] = form
