"""The verifier's work grows with the length of a body, not with its square: counted in calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

_WORK = "add.u32 %r3, %r3, %r2; xor.b32 %r4, %r4, %r3; add.u32 %r5, %r3, %r4;\n"


def _skipped(n: int, inside: str) -> str:
    return f"setp.lt.u32 %p{n}, %r4, {n};\n@%p{n} bra L{n};\n{_WORK}{inside}L{n}:\n"


SHAPES: dict[str, Callable[[int], str]] = {
    "barriers behind branches": lambda n: _skipped(n, "") + "bar.sync 0;\n",
    "barriers in branches": lambda n: _skipped(n, "bar.sync 0;\n"),
    "shuffles in branches": lambda n: _skipped(n, "shfl.sync.idx.b32 %r10, %r3, 0, 31, -1;\n"),
    "barriers in loops": lambda n: f"L{n}:\n{_WORK}bar.sync 0;\nsetp.lt.u32 %p{n}, %r1, {n};\n@%p{n} bra L{n};\n",
    "a barrier on both sides": lambda n: (
        f"setp.lt.u32 %p{n}, %r1, {n};\n@%p{n} bra L{n};\n{_WORK}bar.sync 0;\nbra M{n};\nL{n}:\nbar.sync 0;\nM{n}:\n"
    ),
    "a warp on each side": lambda n: (
        f"setp.eq.u32 %p{n}, %r6, {n % 4};\n@%p{n} bra L{n};\n{_WORK}bar.sync 0;\nbra M{n};\nL{n}:\nbar.sync 0;\nM{n}:\n"
    ),
    "the same registers on both sides": lambda n: (
        f"setp.lt.u32 %p{n}, %r1, {n};\n@%p{n} bra L{n};\n{_WORK}bra M{n};\nL{n}:\nadd.u32 %r4, %r4, %r1;\nM{n}:\n"
        f"setp.ne.u32 %p0, %r4, 0;\n@%p0 bra N{n};\nbar.sync 0;\nN{n}:\n"
    ),
    "jumps to one end": lambda n: f"setp.eq.u32 %p{n}, %r1, {n};\n@%p{n} bra END;\n{_WORK}bar.sync 0;\n",
    "returns": lambda n: f"setp.eq.u32 %p{n}, %r1, {n};\n@%p{n} ret;\n{_WORK}bar.sync 0;\n",
    "jumps of some threads": lambda n: f"setp.eq.u32 %p{n}, %r4, {n};\n@%p{n} bra END;\n{_WORK}bar.sync 0;\n",
    "returns of some threads": lambda n: f"setp.eq.u32 %p{n}, %r4, {n};\n@%p{n} ret;\n{_WORK}bar.sync 0;\n",
}


def calls(shape: str, count: int) -> int:
    """How many calls the verifier makes for a kernel with so many of a shape."""
    body = "".join(SHAPES[shape](n) for n in range(1, count + 1))
    module = parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n)\n{\n"
        f".reg .pred %p<{count + 1}>; .reg .b32 %r<12>; .reg .b64 %rd<2>;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
        f"shr.u32 %r6, %r2, 5;\n{body}END:\nst.global.u32 [%rd1], %r4;\nret;\n}}\n"
    )
    made = 0

    def count_calls(frame: object, event: str, argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    verify(module)  # what is read once
    before = sys.getprofile()
    sys.setprofile(count_calls)
    try:
        verify(module)
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_the_body_is_about_four_times_the_work(shape: str) -> None:
    assert calls(shape, 160) < 5 * calls(shape, 40)
