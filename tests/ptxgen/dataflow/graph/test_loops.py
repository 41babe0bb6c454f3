"""The natural loops of a graph, the inner ones first."""

from __future__ import annotations

import pytest

from ptxgen.dataflow.graph.cfg import ControlFlow
from ptxgen.dataflow.graph.loops import natural_loops
from ptxgen.text import parse


def loops_of(body: str) -> list[tuple[int, list[int], tuple[int, ...]]]:
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n"
        f"{{\n.reg .pred %p<4>; .reg .b32 %r<4>;\n{body}\n}}\n"
    )
    found = natural_loops(ControlFlow(parse(text).function("k")))
    return [(loop.head, sorted(loop.blocks), loop.latches) for loop in found]


@pytest.mark.parametrize(
    "body, expected",
    [
        ("@%p1 bra END; mov.b32 %r1, 0; END: ret;", []),
        ("AGAIN: @%p1 bra AGAIN; ret;", [(0, [0], (0,))]),
        ("OUT: mov.b32 %r1, 0; IN: @%p1 bra IN; @%p2 bra OUT; ret;", [(1, [1], (1,)), (0, [0, 1, 2], (2,))]),
        ("AGAIN: @%p1 bra AGAIN; @%p2 bra AGAIN; ret;", [(0, [0, 1], (0, 1))]),  # one head, two latches
        ("@%p1 bra B; A: mov.b32 %r1, 0; B: @%p2 bra A; ret;", []),  # entered in two places
        ("bra END; AGAIN: @%p1 bra AGAIN; END: ret;", []),  # not reached
    ],
)
def test_loops(body: str, expected: list[tuple[int, list[int], tuple[int, ...]]]) -> None:
    assert loops_of(body) == expected
