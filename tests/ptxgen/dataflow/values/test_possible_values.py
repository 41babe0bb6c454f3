"""What a register may hold on whatever path: the stages of a ring, and what is made of them."""

from __future__ import annotations

import pytest

from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.values.constant_rules import Pointer, Value
from ptxgen.dataflow.values.possible_values import PossibleValues
from ptxgen.text import parse

WRAP = "add.u32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 3; @!%p1 bra NEXT; mov.u32 %r1, 0; NEXT:"
SELECTED = "add.u32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 3; selp.u32 %r1, 0, %r3, %p1;"


def possible(turn: str, address: str = "%r2", *, made: str = "") -> frozenset[Value] | None:
    """What the address of the access in a loop may be, whose stage %r1 turns in these lines."""
    module = parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u32 n)\n{\n"
        ".shared .b64 ring[4]; .reg .pred %p<4>; .reg .b32 %r<9>;\nld.param.u32 %r7, [n]; mov.u32 %r1, 0; mov.u32 %r5, 0;\n"
        f"LOOP: mov.u32 %r4, ring; mad.lo.u32 %r2, %r1, 8, %r4;\n{made}\nst.shared.u32 [{address}], %r7;\n{turn}\n"
        "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r7; @%p2 bra LOOP; ret;\n}\n"
    )
    body = body_of(module, "k")
    position = next(p for p in body.memory if body.instructions[p].opcode == "st")
    return PossibleValues(body).of(body.instructions[position].operands[0], position)


def at(*offsets: int) -> frozenset[Value]:
    return frozenset(Pointer("ring", offset) for offset in offsets)


@pytest.mark.parametrize("turn", [WRAP, SELECTED])
def test_the_stages_of_a_ring(turn: str) -> None:
    assert possible(turn, "%r2+4") == at(4, 12, 20)


def test_what_does_not_depend_on_the_loop_is_one_value() -> None:
    assert possible(WRAP, "ring+8") == at(8)
    assert possible("", "%r2") == at(0)


@pytest.mark.parametrize(
    "turn",
    [
        "add.u32 %r1, %r1, 1;",  # it never wraps
        "ld.shared.u32 %r1, [ring];",
        "xor.b32 %r1, %r1, %r7;",
    ],
)
def test_what_has_many_values_or_unknown_ones_is_not_known(turn: str) -> None:
    assert possible(turn) is None


def test_what_is_made_in_too_many_steps_is_not_known() -> None:
    names = [f"%c{index}" for index in range(3000)]
    chain = "".join(f"add.u32 {name}, {before}, 0; " for before, name in zip(["%r2", *names], names))
    assert possible(WRAP, names[-1], made=f".reg .b32 %c<3000>; {chain}") is None
    assert possible(WRAP, names[9], made=f".reg .b32 %c<3000>; {chain}") == at(0, 8, 16)
