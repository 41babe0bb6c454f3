"""The table against an assembler: every form is accepted at its stated minimum, and refused one PTX version below it.

One planted error makes a batch of verdicts cheap: the assembler reports every other error of the module with its line, and
generates no code.
"""

from __future__ import annotations

import importlib.util
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.check import match
from ptxgen.errors import AssembleError
from ptxgen.ir import Immediate, Instruction
from ptxgen.isa.forms import Resolved, all_forms, forms_of, resolve
from ptxgen.isa.notation import Form, parse_chapter
from ptxgen.isa.targets import TARGETS, VERSIONS, Target
from ptxgen.text.printer import format_instruction

if TYPE_CHECKING:
    from collections.abc import Callable

_spec = importlib.util.spec_from_file_location("isa_examples", Path(__file__).with_name("examples.py"))
assert _spec is not None
assert _spec.loader is not None
examples = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(examples)

ASSEMBLED = [target for target in TARGETS.values() if target.sm >= 75]
Case = tuple[Instruction, Any, tuple[int, int], Target]


def lowest(resolved: Any) -> tuple[tuple[int, int], Target] | None:
    """The lowest PTX version, and a target that has the form then."""
    best = None
    for target in ASSEMBLED:
        versions = [[a.version for a in choices if target.provides(a.sm, a.suffix)] for choices in resolved.since]
        if all(versions):
            needed = max([target.since, (6, 3), *map(min, versions)])
            if best is None or needed < best[0]:
                best = (needed, target)
    return best


def needs(resolved: Resolved, target: Target) -> tuple[int, int]:
    return max(
        [(1, 0), *(min(a.version for a in c if target.provides(a.sm, a.suffix)) for c in resolved.since)]
    )  # fmt: skip


def cases(forms: tuple[Form, ...]) -> list[Case]:
    found = []
    for form in forms:
        for instruction, resolved in examples.instructions(form):
            place = lowest(resolved)
            if place is not None and "::func" not in instruction.op:  # param::func is for device functions only
                found.append((instruction, resolved, *place))
    return found


def refused(assembler: Callable[..., Any], lines: list[str], version: tuple[int, int], target: str) -> dict[int, str]:
    """Which lines the assembler refuses, with its words."""
    head = [f".version {version[0]}.{version[1]}", f".target {target}", ".address_size 64", ".visible .entry k() {"]
    head += examples.declarations(version)
    text = "\n".join([*head, *lines, "planted.u32 %u32_1;", "DONE: ret;", "}"])
    with pytest.raises(AssembleError) as caught:
        assembler(text)
    found = {}
    for message in caught.value.diagnostics:
        for place in message.locations:
            index = place.line - 1 - len(head)
            if 0 <= index < len(lines):
                found[index] = message.message
            elif index < 0:
                pytest.fail(f"line {place.line}: {message.message}")
    return found


def test_every_form_is_accepted_at_its_stated_minimum(assembler: Callable[..., Any]) -> None:
    found = cases(all_forms())
    assert len(found) > 2000
    problems = []
    for (version, target), group in groupby(
        sorted(found, key=lambda c: (c[2], c[3].name)), lambda c: (c[2], c[3].name)
    ):
        lines = [format_instruction(c[0]).strip() for c in group]
        problems += [
            f"{lines[i]} ({version}, {target}): {why}" for i, why in refused(assembler, lines, version, target).items()
        ]
    assert problems == []


def test_every_form_is_refused_one_version_below(assembler: Callable[..., Any]) -> None:
    below = []
    for instruction, resolved, _, target in cases(all_forms()):
        needed = needs(resolved, target)
        earlier = max((v for v in VERSIONS if v < needed), default=None)
        if earlier is not None and earlier >= max(target.since, (6, 3)):
            below.append((earlier, target.name, format_instruction(instruction).strip()))
    problems = []
    for (version, target_name), group in groupby(sorted(below), lambda row: row[:2]):
        lines = [row[2] for row in group]
        answers = refused(assembler, lines, version, target_name)
        problems += [f"{line} ({version}, {target_name})" for i, line in enumerate(lines) if i not in answers]
    assert below
    assert problems == []


def test_a_planted_wrong_row_is_caught(assembler: Callable[..., Any]) -> None:
    (form,) = parse_chapter("popc.type   d:u64, a   ; type = b32")
    popc = Instruction("popc.b32", tuple(examples.operand(o, i, "") for i, o in enumerate(_resolve(form))))
    assert refused(assembler, [format_instruction(popc).strip()], (7, 0), "sm_80")


def _resolve(form: Form) -> Any:
    from ptxgen.isa.forms import _operand_type

    bindings = form.bind(["b32"]) or {}
    return [_operand_type(form, spec, bindings, form.type_of(bindings)) for spec in form.operands]


@pytest.mark.parametrize("form", all_forms(), ids=lambda form: form.syntax)
def test_examples_match_their_own_form(form: Form) -> None:
    for instruction, _ in examples.instructions(form):
        found = match(instruction.op, instruction.operands)
        assert found.mismatch is None, found


@pytest.mark.parametrize(
    "op",
    [
        "add.rn.u32",
        "add.sat.u32",
        "mul.u32",
        "ld.v3.f32",
        "ld.shared.v4.f64",
        "setp.lt.b32",
        "cvt.f32.s32.rn",
        "shfl.bfly.b32",
        "atom.global.add.s64",
        "bar.sync.aligned",
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


@pytest.mark.parametrize(
    "row",
    ["add.type d, a, b ; color = ; since nine", "add.type d, a! ; type = u32", "add.type d, a ; sometimes"],
)
def test_a_line_that_is_not_in_the_notation_is_named(row: str) -> None:
    with pytest.raises(ValueError, match=r"bad|unpack|invalid"):
        parse_chapter(row)


def test_opcodes_know_their_forms() -> None:
    assert {form.opcode for form in forms_of("add")} == {"add"}
    assert forms_of("nothing") == ()
    assert Immediate(1) == Immediate(1)
