"""What the threads of a warp or a CTA compute, relative to each other: read off, and compared with a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.threads.thread_integers import ThreadIntegers, both, without
from ptxgen.dataflow.threads.thread_values import ThreadValues
from ptxgen.text import parse
from tests import ptx

HEAD = (
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[1024];\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"
)
LANES = tuple(range(32))


def program(body: str, directives: str = "") -> str:
    parameters = ".param .u64 .ptr .global .align 16 out, .param .u32 n"
    return ptx.kernel(body, parameters, registers=HEAD, directives=directives, target="sm_90")


def thread_integers(body: str, directives: str = "", count: int = 32) -> ThreadIntegers | None:
    """The value stored by the last instruction of the body."""
    found = body_of(parse(program(body + "\nst.global.u32 [%rd1], %r9;", directives)), "k")
    last = len(found.instructions) - 2
    return ThreadValues(found, count).of(found.instructions[last].operands[1], last)


def test_threads_are_taken_together() -> None:
    assert both(b"\1\1\0\0", b"\1\0\1\0") == b"\1\0\0\0"
    assert without(b"\1\1\0\0", b"\1\0\1\0") == b"\0\1\0\0"


def parts(body: str, directives: str = "", count: int = 32) -> tuple[int, ...] | None:
    found = thread_integers(body, directives, count)
    return None if found is None else found.parts


EXACT: dict[str, Any] = {
    "mov.u32 %r9, %laneid;": LANES,
    "mov.u32 %r9, 7;": (7,) * 32,
    "and.b32 %r9, %r2, 31;": LANES,
    "and.b32 %r9, %r2, 3; shl.b32 %r9, %r9, 4;": tuple(lane % 4 * 16 for lane in LANES),
    "rem.u32 %r9, %r2, 8;": tuple(lane % 8 for lane in LANES),
    "bfe.u32 %r9, %r2, 2, 3;": tuple(lane >> 2 & 7 for lane in LANES),
    "mov.u32 %r9, %lanemask_lt;": tuple((1 << lane) - 1 for lane in LANES),
    "mov.u32 %r9, %laneid; xor.b32 %r9, %r9, 5; not.b32 %r9, %r9; and.b32 %r9, %r9, 255;": tuple(
        ~(lane ^ 5) & 255 for lane in LANES
    ),
    "mov.u32 %r5, %laneid; setp.lt.u32 %p1, %r5, 4; selp.b32 %r9, 1, 0, %p1;": (1,) * 4 + (0,) * 28,
    "mov.u32 %r5, %laneid; sub.u32 %r5, %r5, 1; shr.u32 %r9, %r5, 28;": (15,) + (0,) * 31,
    "mov.u32 %r5, %laneid; sub.s32 %r5, %r5, 1; min.s32 %r9, %r5, 3;": tuple(min(lane - 1, 3) for lane in LANES),
    "sub.u32 %r5, %r2, %r2; add.u32 %r9, %r5, 2;": (2,) * 32,
    "setp.eq.u32 %p1, %r2, %r2; selp.b32 %r9, 3, 4, %p1;": (3,) * 32,
}


@pytest.mark.parametrize("body, expected", EXACT.items())
def test_what_is_known_to_the_last_bit(body: str, expected: tuple[int, ...]) -> None:
    found = thread_integers(body)
    assert found is not None
    assert (found.exact, found.parts) == (True, expected)


BASED: dict[
    str, tuple[tuple[int, ...], int]
] = {  # body: numbers relative to each other, what the rest is a multiple of
    "mad.lo.u32 %r9, %r3, %r4, %r2;": (LANES, 32),
    "mad.lo.u32 %r5, %r3, %r4, %r2; shl.b32 %r9, %r5, 2;": (tuple(4 * lane for lane in LANES), 128),
    "shr.u32 %r9, %r2, 2;": (tuple(lane >> 2 for lane in LANES), 8),
    "shr.u32 %r9, %r2, 5;": ((0,) * 32, 1),
    "and.b32 %r9, %r2, -4;": (tuple(lane & -4 for lane in LANES), 32),
    "div.u32 %r9, %r2, 4;": (tuple(lane // 4 for lane in LANES), 8),
    "mul.lo.u32 %r5, %r1, %r1; add.u32 %r5, %r5, %r2; sub.u32 %r9, %r5, 3;": (tuple(lane - 3 for lane in LANES), 1),
    "xor.b32 %r9, %r2, 3;": (tuple(lane ^ 3 for lane in LANES), 32),
    "ld.global.u32 %r5, [%rd1]; mad.lo.u32 %r9, %r5, 8, %r2;": (LANES, 8),
    "mov.u32 %r9, %r2; LOOP: add.u32 %r9, %r9, 64; setp.lt.u32 %p1, %r9, %r1; @%p1 bra LOOP;": (LANES, 32),
}


@pytest.mark.parametrize("body, expected", BASED.items())
def test_what_is_known_but_for_a_common_part(body: str, expected: tuple[tuple[int, ...], int]) -> None:
    found = thread_integers(body) if "LOOP" not in body else thread_integers_in_loop(body)
    assert found is not None
    relative = tuple(part - found.parts[0] + expected[0][0] for part in found.parts)
    assert (found.exact, relative, found.step) == (False, *expected)


def thread_integers_in_loop(body: str) -> ThreadIntegers | None:
    """Of %r9 where the loop's condition reads it: behind the loop its rounds differ."""
    found = body_of(parse(program(body)), "k")
    position = next(p for p, i in enumerate(found.instructions) if i.op.startswith("setp"))
    return ThreadValues(found).of(found.instructions[position].operands[1], position)


UNKNOWN = [
    "mul.lo.u32 %r9, %r2, %r1;",  # a stride that comes with the launch
    "mul.hi.u32 %r9, %r2, 3;",
    "rem.u32 %r9, %r2, 7;",
    "shl.b32 %r9, %r2, %r1;",
    "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd2, %rd1; ld.global.u32 %r9, [%rd2];",
    "setp.lt.u32 %p1, %r2, %r1; selp.b32 %r9, %r2, 0, %p1;",
    "mov.u32 %r9, 0; setp.lt.u32 %p1, %r2, %r1; @%p1 mov.u32 %r9, 1;",
    "mov.u32 %r9, 0; setp.lt.u32 %p1, %r2, %r1; @%p1 bra X; mov.u32 %r9, 1; X:",
    "mov.u32 %r9, %r2; LOOP: add.u32 %r9, %r9, 64; setp.lt.u32 %p1, %r9, %r1; @%p1 bra LOOP;",  # lanes leave at different rounds
]


@pytest.mark.parametrize("body", UNKNOWN)
def test_what_is_not_known(body: str) -> None:
    assert thread_integers(body) is None


def test_a_choice_that_all_threads_make_alike_is_followed() -> None:
    found = thread_integers(
        "mov.u32 %r9, 16; setp.lt.u32 %p1, %r1, 5; @%p1 bra X; mov.u32 %r9, 32; X: add.u32 %r9, %r9, %r2;"
    )
    assert found is not None
    assert (found.parts, found.step) == (LANES, 16)


@pytest.mark.parametrize(
    "directives, axis, expected",
    [
        (".reqntid 16, 16", "x", (True, tuple(t % 16 for t in LANES))),
        (".reqntid 16, 16", "y", (False, tuple(t // 16 for t in LANES))),
        (".reqntid 64, 4", "x", (False, LANES)),
        (".reqntid 64, 4", "y", (False, (0,) * 32)),
        (".reqntid 4, 4, 4", "z", (False, tuple(t // 16 for t in LANES))),
        (".reqntid 4, 4, 2", "z", (True, tuple(t // 16 for t in LANES))),
        (".reqntid 8", "x", (True, tuple(range(8)))),
        (".reqntid 24, 4", "x", None),
        (".maxntid 256", "y", (True, (0,) * 32)),
        ("", "y", (False, (0,) * 32)),
    ],
)
def test_thread_indices_of_stated_shapes(
    directives: str, axis: str, expected: tuple[bool, tuple[int, ...]] | None
) -> None:
    found = thread_integers(f"mov.u32 %r9, %tid.{axis};", directives)
    assert (None if found is None else (found.exact, found.parts)) == expected


def test_a_whole_cta() -> None:
    assert parts("mov.u32 %r9, %r2;", count=64) == tuple(range(64))
    assert parts("mov.u32 %r9, %tid.y;", count=64) is None  # nothing says how the CTA is shaped
    assert parts("mov.u32 %r9, %tid.y;", ".reqntid 16, 4", 256) == tuple(t // 16 for t in range(64))
    assert parts("mov.u32 %r9, %ntid.x;", ".reqntid 48", 64) == (48,) * 48


@pytest.mark.parametrize("body", [*EXACT, *(body for body in BASED if "LOOP" not in body)])
def test_a_run_says_the_same(body: str, device_name: str) -> None:
    """Each thread of two CTAs stores the value: within a warp it must differ from its first lane's as the analysis says."""
    store = "mad.lo.u32 %r10, %r3, %r4, %r2; mul.wide.u32 %rd2, %r10, 4; add.s64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r9;"
    dev = px.device(device_name)
    out = dev.zeros(192, px.u32)
    dev.load(parse(program(f"{body}\n{store}")))["k"].launch(2, 96, (out, 5))
    found = thread_integers(body)
    assert found is not None
    warps = out.numpy().reshape(-1, 32).astype(np.int64)
    relative = np.array(found.parts) - found.parts[0]
    assert ((warps - warps[:, :1] - relative) % 2**32 == 0).all()
    rest = (warps[:, 0] - found.parts[0]) % 2**32
    assert (rest % found.step == 0).all()
