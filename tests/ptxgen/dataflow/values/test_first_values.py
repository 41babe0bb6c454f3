"""What registers hold when control first comes to a block, found without walking the paths there."""

from __future__ import annotations

import pytest

from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.values.constant_rules import Value
from ptxgen.dataflow.values.first_values import FirstValues
from ptxgen.text import parse


def first(text: str, label: str, register: str = "%r2") -> list[Value] | None:
    module = parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u32 n)\n{\n.reg .pred %p<4>; .reg .b32 %r<9>;\n"
        f"ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0;\n{text}\nret;\n}}\n"
    )
    body = body_of(module, "k")
    number = [each.name for each in body.registers].index(register)
    block = next(block.index for block in body.flow.blocks if label in block.labels)
    return FirstValues(body).at(number, block)


INNER = (
    "OUTER: @%p1 bra NEXT; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra L; {behind} NEXT: @%p1 bra OUTER;"
)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("mov.u32 %r2, 7; L: add.u32 %r2, %r2, 1; @%p1 bra L;", [7]),
        ("mov.u32 %r3, 3; add.u32 %r2, %r3, 4; L: @%p1 bra L; mov.u32 %r4, %r2;", [7]),
        ("mov.u32 %r2, 1; @%p1 bra L; mov.u32 %r2, 2; L: mov.u32 %r4, %r2;", [1, 2]),
        ("mov.u32 %r2, 1; @%p1 bra L; mov.u32 %r2, 1; L: mov.u32 %r4, %r2;", [1]),
        ("mov.u32 %r2, 1; @%p1 mov.u32 %r2, 2; L: mov.u32 %r4, %r2;", None),
        ("mov.u32 %r2, 1; K: add.u32 %r2, %r2, 1; @%p1 bra K; L: mov.u32 %r4, %r2;", None),
        ("mov.u32 %r2, 0;" + INNER.format(behind="mov.u32 %r2, 0;"), [0]),
        ("mov.u32 %r2, 0;" + INNER.format(behind=""), [0]),
    ],
)
def test_values(text: str, expected: list[Value] | None) -> None:
    found = first(text, "L")
    assert found is None if expected is None else sorted(found or ()) == expected  # type: ignore[type-var]


def test_what_nothing_writes_is_what_was_there_at_first() -> None:
    found = first("L: add.u32 %r3, %r2, 1; @%p1 bra L;", "L")
    assert found is not None
    assert found[0][0] == "start"  # type: ignore[index]
