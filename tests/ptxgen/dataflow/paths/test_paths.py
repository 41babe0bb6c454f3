"""Walks over every path: which facts are remembered on the way, and which instructions one event may stand for."""

from __future__ import annotations

import pytest

from ptxgen.dataflow.bodies.body import Body
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.paths.path_walk import walk
from ptxgen.dataflow.paths.paths import PathEvent, Paths, stretches
from ptxgen.text import parse


def body(text: str) -> Body:
    return body_of(
        parse(
            ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n)\n"
            "{\n.reg .pred %p<9>; .reg .b32 %r<9>;\nld.param.u32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 0;\n"
            f"{text}\nret;\n}}\n"
        ),
        "k",
    )


TWICE = "@%p1 bra A; add.u32 %r2, %r1, 1; A: {between} @%p1 bra B; sub.u32 %r3, %r1, 1; B:"


@pytest.mark.parametrize(
    "between, outcomes",
    [
        ("mov.u32 %r4, 0;", {(), ("add", "sub")}),
        ("setp.eq.u32 %p1, %r4, 0;", {(), ("add",), ("sub",), ("add", "sub")}),  # the condition is another one
    ],
)
def test_a_condition_holds_until_it_is_written_anew(between: str, outcomes: set[tuple[str, ...]]) -> None:
    of = body(TWICE.format(between=between))
    events = [PathEvent(p, i.opcode) for p, i in enumerate(of.instructions) if i.opcode in ("add", "sub")]
    found: set[tuple[str, ...]] = set()
    assert walk(Paths(of), events, (), lambda s, event: (*s, event.kind), lambda s, position: found.add(s))
    assert found == outcomes


def test_a_block_is_stepped_through_once_a_state() -> None:
    of = body("setp.eq.u32 %p2, %r2, 0; @%p2 bra A; mov.u32 %r3, 1; A: mov.u32 %r4, 0; bar.sync 0;")
    barrier = PathEvent(next(p for p, i in enumerate(of.instructions) if i.opcode == "bar"), "barrier")
    seen: list[int] = []
    assert walk(Paths(of), [barrier], 0, lambda s, event: seen.append(s) or s + 1)
    assert seen == [0]


def test_conditions_that_are_written_anew_before_they_are_asked_again_are_not_remembered() -> None:
    tests = "".join(f"@%q{i} bra A{i}; add.u32 %r2, %r2, 1; A{i}:\n" for i in range(13))
    anew = "".join(f"ld.param.u32 %r3, [n]; setp.eq.u32 %q{i}, %r3, {i}; @%q{i} bra B{i}; B{i}:\n" for i in range(13))
    assert walk(Paths(body(f".reg .pred %q<13>;\n{tests}{anew}")), [], 0, lambda s, event: s)


def test_too_many_paths_are_given_up() -> None:
    """A branch asked again later is remembered: 13 of them have 8,192 outcomes."""
    flags = "".join(
        f"setp.eq.u32 %q{i}, %r1, {i + 1}; @%q{i} bra A{i}; add.u32 %r2, %r2, 1; A{i}:\n" for i in range(13)
    )
    again = "".join(f"@%q{i} bra B{i}; add.u32 %r3, %r3, 1; B{i}:\n" for i in range(13))
    paths = Paths(body(f".reg .pred %q<13>;\n{flags}{again}"))
    adds = [PathEvent(p, "add") for p, i in enumerate(paths.body.instructions) if i.opcode == "add"]
    for _ in range(2):  # the second knows at once
        before = paths.visits
        assert not walk(paths, adds, 0, lambda s, event: s)
        assert paths.visits - before == 4001 + 3 * len(paths.body.flow.blocks)
    assert walk(paths, [], 0, lambda s, event: s), "where nothing happens, it is all one which way control goes"


def test_stretches_end_at_events_guards_and_blocks() -> None:
    of = body(
        "mov.u32 %r2, 1; mov.u32 %r3, 2; bar.sync 0; mov.u32 %r4, 3; @%p1 mov.u32 %r5, 4; mov.u32 %r6, 5; A: mov.u32 %r7, 6;"
    )
    moves = {p: p for p, i in enumerate(of.instructions) if i.opcode == "mov"}
    event = PathEvent(next(p for p, i in enumerate(of.instructions) if i.opcode == "bar"), "barrier")
    assert stretches(of, moves, [event]) == [(2, [2, 3]), (5, [5]), (6, [6]), (7, [7]), (8, [8])]
    assert stretches(of, moves, [])[0] == (2, [2, 3, 5])
