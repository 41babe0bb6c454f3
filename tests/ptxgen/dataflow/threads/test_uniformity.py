"""Which registers are the same in a CTA, in a warp, or for nobody."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from ptxgen.dataflow.bodies.body import Body
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.threads.uniformity import Level, Uniformity
from ptxgen.ir import Immediate, Register, Special, Symbol
from ptxgen.text import parse

REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n.shared .b32 s;\n"
SETUP = "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, %laneid;\n"


def uniformity(body: str, head: str = "") -> Uniformity:
    text = (
        f".version 8.6\n.target sm_100a\n.address_size 64\n.entry k(.param .u32 n)\n{head}\n"
        f"{{\n{REGISTERS}{SETUP}{body}\nret;\n}}\n"
    )
    module = parse(text)
    return body_of(module, "k").analysis(Uniformity)


def level(body: str, register: str, head: str = "") -> Level:
    """The level of a register at the end of a body."""
    found = uniformity(body, head)
    return found.register(number(found, register), len(found.body.instructions) - 1)


def number(found: Uniformity, register: str) -> int:
    return [r.name for r in found.body.registers].index(register)


C, W, L, T = Level.CTA, Level.WARP, Level.LANES, Level.THREAD


@pytest.mark.parametrize(
    "expected, body",
    [
        (L, "mov.u32 %r4, %tid.x;"),
        (T, "mov.u32 %r4, %laneid;"),
        (W, "mov.u32 %r4, %tid.y;"),
        (C, "mov.u32 %r4, %ctaid.x;"),
        (C, "mov.u32 %r4, %r2;"),
        (C, "ld.shared.u32 %r4, [s];"),  # one address, one value
        (T, "mul.wide.u32 %rd1, %r1, 4; ld.global.u32 %r4, [%rd1];"),
        (T, "atom.shared.add.u32 %r4, [s], 1;"),
        # the number of the warp
        (W, "shr.u32 %r4, %r1, 5;"),
        (W, "div.u32 %r4, %r1, 64;"),
        (W, "and.b32 %r4, %r1, -32;"),
        (W, "bfe.u32 %r4, %r1, 5, 5;"),
        (T, "shr.u32 %r4, %r1, 4;"),
        (L, "and.b32 %r4, %r1, 31;"),
        (L, "and.b32 %r4, %r1, 127;"),
        (T, "and.b32 %r4, %r1, 120;"),
        (L, "or.b32 %r4, %r1, 64;"),
        (T, "or.b32 %r4, %r1, 1;"),
        (L, "rem.u32 %r4, %r1, 128;"),
        (T, "rem.s32 %r4, %r1, 128;"),
        (T, "rem.u32 %r4, %r1, 48;"),
        (L, "bfe.u32 %r4, %r1, 0, 7;"),
        (T, "bfe.u32 %r4, %r1, 0, 3;"),
        (L, "rem.u32 %r4, %r1, 32;"),
        (
            W,
            "shr.s32 %r7, %r1, 31; shr.u32 %r5, %r7, 27; add.s32 %r6, %r1, %r5; shr.s32 %r4, %r6, 5;",
        ),  # signed tid / 32
        (W, "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r7, %r5, %r6, %r1; shr.u32 %r4, %r7, 5;"),
        (T, "mov.u32 %r5, %ctaid.x; mad.lo.u32 %r7, %r5, 100, %r1; shr.u32 %r4, %r7, 5;"),
        # the number of a thread in a CTA of several dimensions
        (L, "mov.u32 %r5, %tid.y; shl.b32 %r6, %r5, 5; add.s32 %r4, %r6, %r1;"),
        (T, "mov.u32 %r5, %tid.y; shl.b32 %r6, %r5, 4; add.s32 %r4, %r6, %r1;"),
        (T, "mov.u32 %r5, %tid.y; add.s32 %r4, %r5, %r1;"),
        (W, "mov.u32 %r5, %tid.y; mov.u32 %r6, %ntid.x; mad.lo.s32 %r7, %r5, %r6, %r1; shr.u32 %r4, %r7, 5;"),
        (L, "mov.u32 %r5, %tid.y; mad.lo.s32 %r4, %r5, 96, %r1;"),
        (T, "mov.u32 %r5, %tid.y; mov.u32 %r6, %ntid.y; mad.lo.s32 %r4, %r5, %r6, %r1;"),
        (T, "mov.u32 %r5, %tid.y; mad.lo.s32 %r4, %r5, %r1, %r1;"),
        (T, "add.u32 %r5, %r1, 1; shr.u32 %r4, %r5, 5;"),
        (W, "sub.u32 %r5, %r1, 32; shr.u32 %r4, %r5, 5;"),
        (T, "sub.u32 %r5, %r2, %r1; shr.u32 %r4, %r5, 5;"),
        # what a warp agrees on
        (W, "vote.sync.ballot.b32 %r4, %p1, -1;"),
        (W, "redux.sync.add.s32 %r4, %r3, -1;"),
        (C, "redux.sync.add.s32 %r4, %r2, -1;"),
        (W, "shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;"),
        (T, "shfl.sync.idx.b32 %r4, %r3, %r3, 31, -1;"),
        (T, "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;"),
        (W, "activemask.b32 %r4;"),
        (W, "elect.sync %r4|%p2, -1;"),
        # by control
        (T, "setp.eq.u32 %p1, %r3, 0; mov.u32 %r4, 0; @%p1 mov.u32 %r4, 1;"),
        (T, "setp.eq.u32 %p1, %r3, 0; mov.u32 %r4, 0; @%p1 bra A; mov.u32 %r4, 1; A:"),
        (T, "setp.eq.u32 %p1, %r3, 0; @%p1 bra A; mov.u32 %r4, 1; bra B; A: mov.u32 %r4, 2; B:"),
        (W, "setp.lt.u32 %p1, %r1, 64; mov.u32 %r4, 0; @%p1 bra A; mov.u32 %r4, 1; A:"),
        (C, "setp.eq.u32 %p1, %r2, 0; mov.u32 %r4, 0; @%p1 bra A; mov.u32 %r4, 1; A:"),
        (C, "mov.u32 %r4, 0; A: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r2; @%p1 bra A;"),
        (T, "mov.u32 %r4, 0; A: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra A;"),
    ],
)
def test_levels(expected: Level, body: str) -> None:
    assert level(f"setp.eq.u32 %p1, %r3, 5; {body}", "%r4") is expected


@pytest.mark.parametrize(
    "expected, comparison",
    [
        (W, "lt.u32 %p2, %r1, 32"),
        (W, "gt.u32 %p2, %r1, 31"),
        (W, "ge.s32 %p2, %r1, 96"),
        (T, "lt.u32 %p2, %r1, 33"),
        (T, "eq.u32 %p2, %r1, 0"),
        (T, "lt.u32 %p2, %r1, %r2"),
        (C, "lt.u32 %p2, %r2, 7"),
    ],
)
def test_a_warp_answers_together(expected: Level, comparison: str) -> None:
    assert level(f"setp.{comparison};", "%p2") is expected


def test_only_one_lane_is_elected() -> None:
    assert level("elect.sync _|%p2, -1;", "%p2") is T


def test_a_cta_of_ragged_rows_has_no_warps_by_x() -> None:
    assert level("shr.u32 %r4, %r1, 5;", "%r4", head=".reqntid 16, 16") is T
    assert level("shr.u32 %r4, %r1, 5;", "%r4", head=".reqntid 64, 4") is W


def test_a_register_is_what_was_last_written_to_it() -> None:
    assert level("mov.u32 %r4, %laneid; mov.u32 %r4, %r2;", "%r4") is C


def test_in_a_loop_that_lanes_leave_one_by_one_those_inside_agree() -> None:
    found = uniformity(
        "mov.u32 %r4, 0; A: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra A; mov.u32 %r5, %r4;"
    )
    counter, inside, behind = number(found, "%r4"), 4, 7
    assert found.register(counter, inside) is C
    assert found.register(counter, behind) is T


WAIT = "atom.shared.add.u32 %r5, [s], 1; setp.eq.u32 %p1, %r5, 0;"
ROUND = "add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r2;"


@pytest.mark.parametrize(
    "expected, loops",
    [
        (C, f"A: B: {WAIT} @%p1 bra B; {ROUND} @%p2 bra A;"),  # both begin in one block
        (C, f"A: {WAIT} @%p1 bra A; {ROUND} @%p2 bra A;"),
        (C, f"A: {WAIT} @!%p1 bra B; mov.u32 %r6, 1; bra A; B: {ROUND} @%p2 bra A;"),
        (T, f"A: {ROUND} {WAIT} @%p1 bra A; @%p2 bra A;"),  # the rounds of the wait are counted
        (T, f"A: {WAIT} @!%p1 bra B; add.u32 %r4, %r4, 1; bra A; B: {ROUND} @%p2 bra A;"),
    ],
)
def test_a_loop_that_waits_leaves_the_rounds_around_it_alone(expected: Level, loops: str) -> None:
    assert level(f"mov.u32 %r4, 0; {loops} mov.u32 %r8, 0;", "%r4") is expected


def test_the_reason_is_where_it_comes_from() -> None:
    found = uniformity("add.u32 %r4, %r3, 1; mul.lo.u32 %r5, %r4, %r2; setp.eq.u32 %p1, %r5, 0; @%p1 ret;")
    assert found.reason(number(found, "%p1"), 6) == "%laneid"
    found = uniformity("atom.shared.add.u32 %r4, [s], 1; setp.eq.u32 %p1, %r4, 0; @%p1 ret;")
    assert found.reason(number(found, "%p1"), 5) == "the result of atom.shared.add.u32"


THREADS = 96


@pytest.mark.parametrize("seed", range(60))
def test_what_is_said_to_be_the_same_is_the_same_in_a_run(seed: int) -> None:
    """Random jumps forwards, run for three warps: a register of the level CTA, WARP has one value there, or one a warp."""
    choose = random.Random(seed)
    lines = [f"mov.u32 %r{n}, {n};" for n in range(4, 8)]
    count = choose.randint(3, 8)
    for label in range(count):
        for _ in range(choose.randint(1, 3)):
            to, one, other = (choose.randrange(4, 8) for _ in range(3))
            guard = choose.choice(["", "", "@%p1 ", "@!%p2 "])
            source = choose.choice(["%r1", "%r2", str(choose.randrange(3)), f"%r{other}"])
            lines.append(f"{guard}{choose.choice(['add.u32', 'xor.b32'])} %r{to}, %r{one}, {source};")
        predicate, bound = choose.choice(["%p1", "%p2"]), choose.choice([0, 7, 32, 64])
        lines.append(f"setp.lt.u32 {predicate}, %r{choose.choice([1, 2, 4, 5, 6, 7])}, {bound};")
        if choose.random() < 0.8:
            lines.append(f"@{choose.choice(['%p1', '%p2', '!%p1'])} bra L{choose.randrange(label, count)};")
        lines.append(f"L{label}:")
    found = uniformity("\n".join(["setp.eq.u32 %p1, %r2, 5; setp.eq.u32 %p2, %r2, 6;", *lines, "mov.u32 %r8, 0;"]))
    body = found.body
    seen = [run(body, thread) for thread in range(THREADS)]
    for position in range(3, len(body.instructions)):
        for register in {number(found, f"%r{n}") for n in range(4, 8) if f"%r{n}" in {r.name for r in body.registers}}:
            values = [
                (t, trace[position][register]) for t, trace in enumerate(seen) if register in trace.get(position, {})
            ]
            said = found.register(register, position)
            if said is C:
                assert len({value for _, value in values}) <= 1, f"{body.registers[register]} at {position}"
            elif said is W:
                for warp in range(THREADS // 32):
                    assert len({value for t, value in values if t // 32 == warp}) <= 1


def run(body: Body, thread: int) -> dict[int, dict[int, int]]:
    """The registers before each instruction that a thread comes to."""
    values: dict[int, int] = {}
    trace = {}
    position = 0
    while position < len(body.instructions):
        instruction = body.instructions[position]
        trace[position] = dict(values)
        guard = body.guard(position)
        reads = instruction.operands[1:]
        if guard is None or bool(values[guard[0]]) is guard[1]:
            if instruction.op == "bra":
                target = instruction.operands[0]
                assert isinstance(target, Symbol)
                position = next(b.start for b in body.flow.blocks if target.name in b.labels)
                continue
            special = {"%tid.x": thread, "%laneid": thread % 32}
            inputs = [
                special[o.name] if isinstance(o, Special)
                else o.value if isinstance(o, Immediate)
                else values[body.number(o, position) or 0] if isinstance(o, Register)
                else 9
                for o in reads
            ]  # fmt: skip
            for register in body.writes[position]:
                values[register] = _OPERATIONS[instruction.opcode](*inputs)
        position += 1
    return trace


_OPERATIONS: dict[str, Callable[..., int]] = {
    "mov": lambda a: a,
    "ld": lambda a: a,
    "add": lambda a, b: a + b,
    "xor": lambda a, b: a ^ b,
    "setp": lambda a, b: int(a < b),
    "ret": lambda: 0,
}
