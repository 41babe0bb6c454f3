"""The control-flow graph of a body, dominators both ways, and what decides whether a block runs."""

from __future__ import annotations

import random

import pytest

from ptxgen.dataflow.graph.cfg import ControlFlow
from ptxgen.ir import Block, Function
from ptxgen.text import parse

REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<4>;\n"


def flow_of(body: str) -> ControlFlow:
    text = f".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{{\n{REGISTERS}{body}\n}}\n"
    return ControlFlow(parse(text).function("k"))


def successors(flow: ControlFlow) -> list[list[int]]:
    return [block.successors for block in flow.blocks]


DIAMOND = "@%p1 bra THEN; mov.b32 %r1, 1; bra END; THEN: mov.b32 %r1, 2; END: ret;"
LOOP = "mov.b32 %r1, 0; AGAIN: add.u32 %r1, %r1, 1; @%p1 bra AGAIN; ret;"


@pytest.mark.parametrize(
    "body, expected",
    [
        ("ret;", [[]]),
        ("", [[]]),
        ("@%p1 ret; ret;", [[1], []]),
        ("@%p1 mov.b32 %r1, 0; ret;", [[]]),  # any other guarded instruction stays inside its block
        (DIAMOND, [[1, 2], [3], [3], []]),
        (LOOP, [[1], [2, 1], []]),
        ("@%p1 bra NEXT; NEXT: ret;", [[1], []]),  # two ways to one block are one edge
        ("bra NOWHERE;", [[]]),
        ("T: .branchtargets A, B; brx.idx %r1, T; A: ret; B: ret;", [[1, 2], [], []]),
        ("{ L: @%p1 bra L; } { L: @%p2 bra L; } ret;", [[1, 0], [2, 1], []]),  # labels belong to their { }
    ],
)
def test_edges(body: str, expected: list[list[int]]) -> None:
    assert successors(flow_of(body)) == expected


def test_a_declaration_is_one_empty_block() -> None:
    flow = ControlFlow(Function("f", is_entry=False))
    assert successors(flow) == [[]]
    assert successors(ControlFlow(Function("f", is_entry=True, body=Block()))) == [[]]


@pytest.mark.parametrize(
    "body, falls_off",
    [("ret;", False), ("", True), ("mov.b32 %r1, 0;", True), ("@%p1 ret;", True), ("ret; END:", False), (LOOP, False)],
)
def test_the_end_of_the_text_is_not_the_end_of_control(body: str, falls_off: bool) -> None:
    assert flow_of(body).falls_off is falls_off


def test_positions_find_their_block() -> None:
    flow = flow_of("@%p1 bra A; A: B: mov.b32 %r1, 0; C: ret;")
    assert [flow.block_at(position).labels for position in range(3)] == [[], ["A", "B"], ["C"]]


def test_a_diamond() -> None:
    flow = flow_of(DIAMOND)
    assert flow.dominators == [0, 0, 0, 0]
    assert flow.post_dominators == [3, 3, 3, flow.exit, flow.exit]
    assert [flow.chosen(each) for each in flow.controllers] == [[], [(0, 1)], [(0, 2)], []]
    assert flow.frontiers == [[], [3], [3], []]
    assert flow.repeated == 0


def test_a_loop_decides_over_itself() -> None:
    flow = flow_of(LOOP)
    assert [flow.chosen(each) for each in flow.controllers] == [[], [(1, 1)], []]
    assert flow.chosen(flow.repeated) == [(1, 1)]
    assert flow.frontiers == [[], [1], []]


def test_code_behind_a_conditional_exit_depends_on_it() -> None:
    flow = flow_of("@%p1 ret; mov.b32 %r1, 0; ret;")
    assert flow.chosen(flow.controllers[1]) == [(0, 1)]
    assert flow.branches_of(flow.controllers[1]) == [0]


def test_a_loop_without_an_end_counts_as_left_at_its_last_block() -> None:
    flow = flow_of("AGAIN: mov.b32 %r1, 0; NEXT: bra AGAIN;")
    assert flow.ends == (1,)
    assert flow.post_dominates(1, 0)


def test_unreachable_blocks_have_no_dominator() -> None:
    flow = flow_of("ret; mov.b32 %r1, 0; ret;")
    assert flow.reachable == {0}
    assert flow.dominators[1] == flow.post_dominators[1] == -1


@pytest.mark.parametrize("seed", range(40))
def test_dominators_agree_with_their_definition(seed: int) -> None:
    """Block a dominates b when b cannot be reached once a is taken out of the graph."""
    choose = random.Random(seed)
    count = choose.randint(2, 9)
    body = "".join(f"B{i}: @%p1 bra B{choose.randrange(count)};" for i in range(count)) + "ret;"
    flow = flow_of(body)
    for block in flow.reachable:
        for other in flow.reachable:
            assert flow.dominates(block, other) == (other not in _reached(flow, 0, without=block))
            ends = [end for end in flow.ends if end in _reached(flow, other, without=block)]
            assert flow.post_dominates(block, other) == (not ends)


def _reached(flow: ControlFlow, start: int, without: int) -> set[int]:
    found = {start} - {without}
    work = list(found)
    while work:
        for successor in flow.blocks[work.pop()].successors:
            if successor not in found and successor != without:
                found.add(successor)
                work.append(successor)
    return found
