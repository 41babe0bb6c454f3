"""Fixpoints over a control-flow graph: the solver, liveness, definitions and uses."""

from __future__ import annotations

from ptxgen.dataflow.graph.cfg import ControlFlow
from ptxgen.dataflow.graph.solver import DefUseChains, liveness, solve
from ptxgen.ir import Immediate, Not, Register
from ptxgen.text import parse


def flow_of(body: str) -> ControlFlow:
    text = f".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{{\n.reg .pred %p<4>; .reg .b32 %r<4>;\n{body}\n}}\n"
    return ControlFlow(parse(text).function("k"))


def effects(flow: ControlFlow) -> tuple[list[list[int]], list[list[int]]]:
    """What the instructions read and write, %r1 to %r3 being 1 to 3 and %p1 to %p3 being 5 to 7."""

    def number(register: Register) -> int:
        return int(register.name[-1]) + (4 if register.name.startswith("%p") else 0)

    reads, writes = [], []
    for instruction in flow.instructions:
        guard = instruction.pred.operand if isinstance(instruction.pred, Not) else instruction.pred
        registers = [o for o in instruction.operands if isinstance(o, (Register, Immediate))]
        reads.append([number(r) for r in (guard, *registers[1:]) if isinstance(r, Register)])
        writes.append([number(r) for r in registers[:1] if isinstance(r, Register)])
    return reads, writes


DIAMOND = (
    "mov.b32 %r1, 0; @%p1 bra THEN; mov.b32 %r1, 1; bra END; THEN: @%p2 mov.b32 %r1, 2; END: mov.b32 %r2, %r1; ret;"
)


def test_a_forward_problem() -> None:
    """The longest way to a block, in blocks; a block that nothing leads to has no answer."""
    flow = flow_of("@%p1 bra END; mov.b32 %r1, 0; END: ret; mov.b32 %r2, 0; ret;")
    assert solve(flow, lambda _, length: length + 1, max, 0) == [0, 1, 2, None]


def test_a_backward_problem() -> None:
    flow = flow_of("@%p1 bra END; mov.b32 %r1, 0; END: ret;")
    assert solve(flow, lambda _, length: length + 1, max, 0, forward=False) == [2, 1, 0]


def test_a_loop_runs_until_nothing_changes() -> None:
    flow = flow_of("A: @%p1 bra C; B: bra A; C: ret;")
    visited = solve(flow, lambda index, seen: seen | 1 << index, lambda one, other: one | other, 0)
    assert visited == [0b011, 0b011, 0b011]


def test_liveness() -> None:
    flow = flow_of(DIAMOND)
    live = liveness(flow, *effects(flow))
    assert [bits >> 1 & 1 for bits in live] == [1, 1, 1, 0]
    assert [bits >> 6 & 1 for bits in live] == [1, 0, 0, 0]


def test_a_guarded_write_does_not_end_a_life() -> None:
    flow = flow_of("bra A; A: @%p1 mov.b32 %r1, 0; mov.b32 %r2, %r1; ret;")
    assert liveness(flow, *effects(flow))[0] >> 1 & 1


def test_registers_live_around_a_loop_without_an_end() -> None:
    flow = flow_of("mov.b32 %r1, 0; AGAIN: mov.b32 %r2, %r1; bra AGAIN;")
    assert [bits >> 1 & 1 for bits in liveness(flow, *effects(flow))] == [1, 1]


def test_chains() -> None:
    flow = flow_of(DIAMOND)
    chains = DefUseChains(flow, *effects(flow))
    assert chains.definitions[1] == [0, 2, 4]
    assert chains.uses[1] == [5]
    assert chains.reaching(1, 5) == [0, 2, 4]  # the guarded one lets the first through
    assert chains.reaching(1, 2) == [0]
    assert chains.reaching(3, 5) == []


def test_a_write_reaches_itself_around_a_loop() -> None:
    flow = flow_of("mov.b32 %r1, 0; AGAIN: add.u32 %r1, %r1, 1; @%p1 bra AGAIN; ret;")
    assert DefUseChains(flow, *effects(flow)).reaching(1, 1) == [0, 1]
