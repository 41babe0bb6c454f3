"""Verdicts where paths are too many to be walked: what no way breaks where conditions are forgotten, no path breaks."""

from __future__ import annotations

from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.paths.path_walk import walk
from ptxgen.dataflow.paths.paths import PathEvent, Paths
from ptxgen.text import parse
from ptxgen.verifier.protocols.report import Verdicts

COUNT = 13
"""Conditions that are asked twice: 8,192 paths."""


def paths(end: str, begin: str = "") -> Paths:
    """A body that asks for many conditions, then for them again; `begin` comes before, `end` behind."""
    first = "".join(
        f"setp.eq.u32 %q{i}, %r1, {i + 1}; @%q{i} bra A{i}; add.u32 %r2, %r2, 1; A{i}:\n" for i in range(COUNT)
    )
    again = "".join(f"@%q{i} bra B{i}; add.u32 %r3, %r3, 1; B{i}:\n" for i in range(COUNT))
    module = parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u32 n)\n{\n.reg .pred %q<14>; .reg .b32 %r<9>;\n"
        f"ld.param.u32 %r1, [n];\n{begin}{first}{again}{end}ret;\n}}\n"
    )
    return Paths(body_of(module, "k"))


def events(of: Paths, **kinds: bool) -> list[PathEvent]:
    """The instructions of these opcodes; those that are true settle a debt."""
    instructions = enumerate(of.body.instructions)
    return [PathEvent(p, i.opcode, settles=kinds[i.opcode]) for p, i in instructions if i.opcode in kinds]


def keep(verdicts: Verdicts) -> object:
    def step(state: int, event: PathEvent) -> int:
        if event.kind == "sub":
            verdicts.mark("owed", event.position, state > 0)
        if event.kind == "xor":
            verdicts.mark("idle", event.position, state == 0)
        return 0 if event.kind == "mul" else 1 if event.kind == "add" else state

    return step


def walked(end: str, begin: str = "", *, always: str = "", **kinds: bool) -> tuple[bool, Verdicts]:
    of, verdicts = paths(end, begin), Verdicts(always)
    return verdicts.walk(of, events(of, add=False, **kinds), 0, keep(verdicts)), verdicts  # type: ignore[arg-type]


def test_a_rule_that_no_way_breaks_is_kept() -> None:
    of = paths("mul.lo.u32 %r2, %r2, 2; sub.u32 %r4, %r2, 1;")
    assert not walk(of, events(of, add=False, mul=True, sub=False), 0, lambda state, event: state), "they are too many"
    done, verdicts = walked("mul.lo.u32 %r2, %r2, 2; sub.u32 %r4, %r2, 1;", mul=True, sub=False)
    assert done
    assert verdicts.ever("owed") == []


def test_a_rule_that_some_way_breaks_is_not_judged() -> None:
    done, _ = walked("sub.u32 %r4, %r2, 1;", sub=False)
    assert not done


def test_a_debt_that_a_known_condition_skips_is_not_settled() -> None:
    """%q0 is known where it is asked: who goes around the multiplication there does not come to it."""
    done, _ = walked("@%q0 bra C; mul.lo.u32 %r2, %r2, 2; C: sub.u32 %r4, %r2, 1;", mul=True, sub=False)
    assert not done


def test_a_condition_that_nothing_is_known_of_is_believed() -> None:
    """As on the paths themselves, where an `if` without else skips what settles a debt."""
    end = "setp.eq.u32 %q13, %r2, 9; @%q13 bra C; mul.lo.u32 %r2, %r2, 2; C: sub.u32 %r4, %r2, 1;"
    done, verdicts = walked(end, mul=True, sub=False)
    assert done
    assert verdicts.ever("owed") == []


def test_a_rule_that_one_path_may_break_is_kept_by_another() -> None:
    begin = "setp.eq.u32 %q13, %r1, 99; @%q13 bra C; add.u32 %r2, %r2, 1; C: xor.b32 %r4, %r2, 1;"
    done, verdicts = walked("", begin, always="idle", xor=False)
    assert done, "the first path that keeps it is enough"
    assert verdicts.always("idle") == []
