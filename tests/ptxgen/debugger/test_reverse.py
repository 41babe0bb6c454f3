"""Back to an earlier moment: the launch runs again, and is there."""

from __future__ import annotations

import pytest

import ptxgen as px
from tests.ptxgen.debugger.conftest import line_of

pytestmark = pytest.mark.cpu_only


def test_every_moment_is_the_same_however_it_is_come_to(loop):
    session = loop(n=4, block=64)
    seen = []
    while session.stop.why != "end":
        seen.append((session.step_number, str(session.thread), session.thread.registers()))
        session.goto(session.step_number + 1)
    for moment in (len(seen) - 1, 3, 40, 0, 17):
        session.goto(moment)
        step, _, registers = seen[moment]
        assert session.step_number == step
        assert session.warp.thread(int(seen[moment][1].rpartition("lane ")[2].rstrip(")"))).registers() == registers


def test_a_step_back_undoes_a_step(loop):
    session = loop(n=6)
    session.until(line_of("add.u32 %r1"))
    there = (session.step_number, session.thread.registers())
    session.stepi()
    session.reverse_stepi()
    assert (session.step_number, session.thread.registers()) == there


def test_back_by_line_from_function_to_call(loop):
    session = loop(n=6)
    session.breakpoint("twice")
    session.resume()
    assert session.reverse_step().instruction.text.startswith("call")
    session.step()
    session.step()
    assert session.stop.instruction.text == "ret;"
    assert session.reverse_finish().instruction.text.startswith("call")
    session.next()
    assert session.reverse_next().instruction.text.startswith("call")


def test_back_to_the_last_change(loop):
    session = loop(n=3)
    session.until(line_of("bar.sync"))
    session.watch("%r3")
    stop = session.reverse_resume()
    assert (stop.why, stop.by.text, stop.changes[0].after) == ("watchpoint", "add.u32 %r3, %r3, %r2;", 6)
    assert session.reverse_resume().changes[0].after == 2
    assert session.reverse_resume().why == "start"
    assert session.step_number == 0


def test_back_from_the_end_to_a_breakpoint_whose_hits_are_counted_once(loop):
    session = loop(n=5)
    session.resume()
    point = session.breakpoint("twice", "%laneid == 2")
    assert session.reverse_resume().breakpoints == (point,)
    assert session.thread["v"] == 4
    assert session.reverse_resume().why == "breakpoint"
    assert session.thread["v"] == 3
    assert point.hits == 0


def test_the_memory_of_the_device_goes_back_too(loop):
    session = loop(n=3)
    session.resume()
    assert session.out.numpy()[0] == 6
    session.goto(2)
    assert session.out.numpy()[0] == 0


def test_what_is_printed_is_printed_once(capsys):
    dev = px.device("cpu")
    text = """
.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 form[4] = {104, 105, 10, 0};
.visible .entry say()
{
	.reg .b64 %rd<3>;
	mov.u64 %rd1, form;
	cvta.global.u64 %rd1, %rd1;
	mov.u64 %rd2, 0;
	{
	.param .b64 f;
	.param .b64 a;
	.param .b32 r;
	st.param.b64 [f], %rd1;
	st.param.b64 [a], %rd2;
	call (r), vprintf, (f, a);
	}
	ret;
}
"""
    with px.debug(dev.load(px.parse(text))["say"].launch, 1, 1, ()) as session:
        session.resume()
        session.goto(1)
        session.resume()
    assert capsys.readouterr().out == "hi\n"


def test_more_memory_than_is_copied_cannot_go_back(loop):
    session = loop(history=16)
    session.stepi()
    with pytest.raises(px.DebugError, match="cannot run again"):
        session.reverse_stepi()


def test_memory_that_was_freed_cannot_come_back(loop):
    session = loop()
    session.stepi()
    session._keep = None
    session.out.close()
    with pytest.raises(px.DebugError, match="was freed"):
        session.goto(0)
