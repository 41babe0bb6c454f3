"""Functions that call themselves: the call stack, and steps over and out of them."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import u32

pytestmark = pytest.mark.cpu_only

FIBONACCI = """
.version 7.0
.target sm_80
.address_size 64
.func (.param .b32 r) fib(.param .b32 n)
{
	.reg .b32 %r<8>;
	.reg .pred %p<2>;
	ld.param.b32 %r1, [n];
	setp.lt.u32 %p1, %r1, 2;
	@%p1 bra BASE;
	sub.u32 %r2, %r1, 1;
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r2;
	call (b), fib, (a);
	ld.param.b32 %r3, [b];
	}
	sub.u32 %r4, %r1, 2;
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r4;
	call (b), fib, (a);
	ld.param.b32 %r5, [b];
	}
	add.u32 %r6, %r3, %r5;
	st.param.b32 [r], %r6;
	ret;
BASE:
	st.param.b32 [r], %r1;
	ret;
}
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<6>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r1;
	call (b), fib, (a);
	ld.param.b32 %r2, [b];
	}
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd2, %rd1, %rd2;
	st.global.u32 [%rd2], %r2;
	ret;
}
"""


@pytest.fixture
def session():
    dev = px.device("cpu:sm_90a")
    with px.debug(dev.load(px.parse(FIBONACCI))["k"].launch, 1, 8, (dev.zeros(8, u32),)) as found:
        yield found


def test_the_stack_has_every_call(session):
    session.breakpoint("fib", "%laneid == 7", ignore=3)
    session.resume()
    assert [frame.function for frame in session.thread.stack] == ["fib", "fib", "fib", "fib", "k"]
    session.stepi()
    assert session.thread["%r1"] == 4
    outer = session.warp.thread(7, frame=2)
    assert outer["%r1"] is None, "its registers are those of the innermost call"
    assert session.warp.thread(7, frame=4)["%r1"] == 7


def test_next_goes_over_what_calls_itself_and_finish_out_of_one_call(session):
    session.focus(lane=6)
    session.breakpoint("fib", "%laneid == 6", ignore=1, once=True)
    session.resume()
    depth = len(session.thread.stack)
    while not session.next().instruction.text.startswith("add.u32"):
        assert len(session.thread.stack) == depth
    assert (session.thread["%r3"], session.thread["%r5"]) == (3, 2), "fib(4), fib(3)"
    session.finish()
    assert len(session.thread.stack) == depth - 1
    assert session.reverse_finish().why in ("step", "start")
